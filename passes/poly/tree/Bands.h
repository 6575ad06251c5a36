// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bands: which iterator of which statement a member runs over; tiles, loops.
#ifndef FUSEC_PASSES_POLY_TREE_BANDS_H
#define FUSEC_PASSES_POLY_TREE_BANDS_H

#include "passes/poly/tree/PolyScop.h"

namespace fusec::poly {

/// The outer band of a proposed tree if all of its members are coincident; a
/// null node otherwise.
isl::schedule_node getOuterBand(const isl::schedule &schedule);

/// Whether a band stands below `node`.
bool hasBandBelow(const isl::schedule_node &node);

/// What a member of a band is for a statement: the iterators that have a
/// coefficient outside of divisions (`i + c`, or `i mod c` in a band of point
/// loops; `floor(i / c)` has none), each as often as it has one.
struct MemberUse {
  llvm::SmallVector<unsigned> iterators;
  /// Whether all of these coefficients are one.
  bool unit = true;
  /// The constant that it adds.
  int64_t shift = 0;
  /// Whether it adds up several iterators: the loop runs askew to the arrays.
  bool isSkewed() const { return iterators.size() > 1; }
};

/// Statement name -> what member `member` of `band` is for it, but for
/// statements where it has several pieces.
std::map<std::string, MemberUse>
getMemberUses(const isl::schedule_node_band &band, unsigned member);

/// Statement name -> the iterator that member `member` of `band` runs over, for
/// the statements where the member is one iterator (plus a constant).
std::map<std::string, unsigned>
getMemberIterators(const isl::schedule_node_band &band, unsigned member);

/// The same for the loop below `mark`, one that threads share in groups of
/// neighbouring iterations too: a loop over these stands in it.
std::map<std::string, unsigned>
getLoopIterators(const isl::schedule_node &mark);

/// { [(i)], [(j)] } for the iterators `dims` of `stmt`: a band of its own.
isl::multi_union_pw_aff makeLoops(const PolyStmt &stmt,
                                  llvm::ArrayRef<unsigned> dims);

/// Tiles `band`, of as many members as there are `sizes`. Returns the tile
/// loops, which count tiles or, in steps of a tile, points; its only child are
/// the point loops, from 0.
isl::schedule_node tileBand(const isl::schedule_node &band,
                            llvm::ArrayRef<int64_t> sizes,
                            bool countsTiles = true);

/// Tiles the outer band, of as many members as there are `sizes`; point loops
/// sink below what stands inside of it. Nobody has checked that it is legal.
isl::schedule tileOuterBand(const isl::schedule &schedule,
                            llvm::ArrayRef<int64_t> sizes);

/// From the first value that member `member` of `band` takes to the last.
int64_t getExtent(const isl::schedule_node_band &band, unsigned member);

/// Makes each member of `band` a band of its own in the order `order`
/// (outermost first), with a mark of the name `marks[i]` above member i (none
/// where empty). Returns the node at the place of `band`.
isl::schedule_node splitIntoLoops(isl::schedule_node_band band,
                                  llvm::ArrayRef<unsigned> order,
                                  llvm::ArrayRef<std::string> marks);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_TREE_BANDS_H
