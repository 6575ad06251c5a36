// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The band of a set of operations: what it is parallel over, and where in it
// each operation is computed (passes/fusion/README.md).
#ifndef FUSEC_PASSES_FUSION_BANDANALYSIS_H
#define FUSEC_PASSES_FUSION_BANDANALYSIS_H

#include "dialects/fuse/FuseOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <string>

namespace fusec::fuse {

/// Finds the band of operations, or why they have none in common.
///
/// The band is the list of parallel extents (those of 1 left out) of the
/// reducing operations; without any, of the operations that no other one reads.
/// A contraction beside other reductions makes a row, of the dimensions that
/// they reduce, at each point of their band. What is reduced may be read by
/// windows, or at an offset, along a dimension that lanes do not run along:
/// such a dimension is not of the band. Nor is one that numbers parts of rows,
/// which a further reduction joins.
/// An operation's coordinates name, for each band dimension, the dimension of
/// its result that runs along with it.
class BandAnalysis {
public:
  using Coordinates = llvm::SmallVector<unsigned>;

  /// `ops` are in program order and distinct.
  explicit BandAnalysis(llvm::ArrayRef<mlir::Operation *> ops);

  const std::optional<std::string> &getRefusal() const { return refusal; }
  llvm::ArrayRef<int64_t> getBand() const { return band; }
  /// Whether reduced values are read by windows.
  bool hasWindows() const { return !loose.empty() && !inRows; }
  /// Whether the operation reduces, or reads what was reduced.
  bool dependsOnBand(mlir::Operation *op) const {
    return dependent.contains(op);
  }

private:
  void analyse();
  void findBand();
  bool loosen(unsigned dim);
  /// Of the wide dimensions of a reducing operation, those of the band.
  Coordinates dropLoose(Coordinates wide) const;
  Coordinates dropRow(mlir::Operation *op, Coordinates wide) const;
  void propagateForwards();
  void propagateBackwards();
  bool inferFromOperands(PrimitiveOpInterface op,
                         std::optional<Coordinates> &iterators);
  bool placeReduction(PrimitiveOpInterface op,
                      std::optional<Coordinates> iterators);
  std::optional<Coordinates> inferFromUsers(PrimitiveOpInterface op);
  bool fail(std::string reason);

  llvm::ArrayRef<mlir::Operation *> ops;
  llvm::DenseSet<mlir::Operation *> set, dependent;
  llvm::DenseMap<mlir::Operation *, Coordinates> coordinates;
  llvm::SmallVector<int64_t> band;
  /// The dimensions that are not of the band, by their place among the wide
  /// ones of the first reducing operation; those that turned out so.
  llvm::SmallDenseSet<unsigned> loose, leaving;
  unsigned numWide = 0;
  bool reduces = false, contracts = false, inRows = false;
  std::optional<std::string> refusal;
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_FUSION_BANDANALYSIS_H
