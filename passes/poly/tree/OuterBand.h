// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops around all statements of a scop, and what each costs on lanes.
#ifndef FUSEC_PASSES_POLY_TREE_OUTERBAND_H
#define FUSEC_PASSES_POLY_TREE_OUTERBAND_H

#include "passes/poly/tree/PolyScop.h"

#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace fusec::poly {

/// The outer band of a proposed tree; without members where it has none.
class OuterBand {
public:
  OuterBand(sched::ScopOp scop, const isl::schedule &schedule);

  unsigned size() const { return members.size(); }
  /// From the first iteration of member `m` to the last.
  int64_t getExtent(unsigned m) const { return members[m].extent; }
  /// Whether all statements have the same iterations of member `m` of the band,
  /// which is that of `schedule`.
  bool isUniform(const isl::schedule &schedule, unsigned m) const;
  /// The iterator of `stmt` that member `m` runs over.
  std::optional<unsigned> getIterator(sched::StmtOp stmt, unsigned m) const;
  bool contains(sched::StmtOp stmt, unsigned iterator) const;
  /// How many iterations of member `m` run before the first one of `stmt`.
  int64_t getShift(sched::StmtOp stmt, unsigned m) const;
  /// Whether a statement has iterators that no member runs over.
  bool hasLoopsBelow() const;

  /// Memory operations of `scop` with member `m` on lanes; infinite if a
  /// statement neither has an iterator there nor stands at one iteration.
  double getMemberCost(unsigned m) const;
  /// Members as threads of a GPU fill them, from the end: `m`, then the others.
  llvm::SmallVector<unsigned> getThreadOrder(unsigned m) const;
  /// Memory operations of threads that have their points so.
  double getThreadsCost(unsigned m) const;
  /// The same with each statement's best loop below the band on lanes.
  double getInnerCost() const;
  double getInnerCost(sched::StmtOp stmt) const;
  /// Members whose loops reuse the vectors that `stmt` loads with iterator
  /// `vector` on lanes: it reads them at stride 0 in them. Those with room for
  /// a tile first, of these what moves least through the other operands.
  llvm::SmallVector<unsigned> findReuses(sched::StmtOp stmt,
                                         unsigned vector) const;
  /// Bytes of the scop's arrays that are live in one iteration of the band.
  int64_t getBytesPerRow() const;

private:
  struct Member {
    std::map<std::string, unsigned> iterators;
    /// From where on statements run, of those that stand at one iteration too.
    std::map<std::string, int64_t> shifts;
    int64_t begin = 0, extent = 0;
  };

  bool standsAtOne(sched::StmtOp stmt, unsigned m) const;

  mutable sched::ScopOp scop;
  std::vector<Member> members;
};

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_TREE_OUTERBAND_H
