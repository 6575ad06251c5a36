// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which iterators of a scop's statements may run in one loop, and where in it
// each statement stands.
#ifndef FUSEC_PASSES_POLY_SCHEDULES_SHAREDLOOPS_H
#define FUSEC_PASSES_POLY_SCHEDULES_SHAREDLOOPS_H

#include "passes/poly/tree/PolyScop.h"

#include <optional>

namespace fusec::poly {

/// Where an instance of a statement stands in a loop: at the value of an
/// iterator plus `shift`, or, without one, at `shift`.
struct LoopPlace {
  std::optional<unsigned> iterator;
  int64_t shift = 0;

  /// "i2 + 64"
  std::string toString() const;
};

/// Statements by their numbers, in an order.
using Run = llvm::SmallVector<unsigned>;
/// One loop: a place for each statement of a run, in the run's order.
using SharedLoop = llvm::SmallVector<LoopPlace>;

/// Iterators that index the same dimension of an array that the scop writes are
/// of one loop: "the row", "the column".
class SharedLoops {
public:
  /// With `shifted`, statements stand where they access the arrays, so that
  /// pieces of one array, which begin at different offsets and have different
  /// extents, share a loop over all of it; what has no array in common stands
  /// side by side. Without, they share loops that begin and end together.
  SharedLoops(const PolyScop &scop, bool shifted);

  /// Loops, outermost first, that every statement of `run` has a place in; of
  /// iterators that are not taken yet. Those of `shifted` if `outermost`.
  llvm::SmallVector<SharedLoop> find(const Run &run, bool outermost) const;
  void take(const Run &run, const SharedLoop &loop);
  /// Whether a statement has iterators that are not taken.
  bool hasLeft(unsigned stmt) const;
  /// From the first place of `loop` to the last.
  int64_t getExtent(const Run &run, const SharedLoop &loop) const;

private:
  using Range = std::pair<int64_t, int64_t>; // the end is excluded

  unsigned getIterator(unsigned stmt, unsigned dim) const {
    return firstOf[stmt] + dim;
  }
  unsigned getDimension(mlir::Value array, unsigned position);
  std::pair<unsigned, int64_t> getLoop(unsigned node) const;
  void join(unsigned a, unsigned b, int64_t distance);
  void visit(unsigned stmt, mlir::Value array, mlir::AffineMap map);
  void joinComponents();
  std::pair<unsigned, int64_t> getFirstIterator(const Run &run,
                                                const SharedLoop &loop) const;
  std::optional<LoopPlace> findPlace(unsigned stmt, unsigned loop) const;
  Range getRange(const Run &run, const SharedLoop &loop) const;

  llvm::ArrayRef<PolyStmt> stmts;
  const bool shifted;
  llvm::DenseSet<mlir::Value> written;
  /// The first of the nodes of a statement's iterators. Dimensions of arrays
  /// are nodes, too.
  llvm::SmallVector<unsigned> firstOf;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, unsigned> dimensions;
  /// Of each node another one of its loop, or itself, and how much further a
  /// value of it stands there.
  std::vector<std::pair<unsigned, int64_t>> next;
  /// Of each statement the dimensions that it accesses at a constant.
  std::vector<llvm::SmallVector<std::pair<unsigned, int64_t>>> constants;
  std::vector<std::vector<bool>> taken;
};

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_SCHEDULES_SHAREDLOOPS_H
