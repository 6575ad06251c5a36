// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where in a schedule tree an array of the scop can be local, and how much of
// it is there at a time.
#ifndef FUSEC_PASSES_POLY_TREE_LOCALPLACES_H
#define FUSEC_PASSES_POLY_TREE_LOCALPLACES_H

#include "passes/poly/tree/PolyScop.h"

#include <optional>

namespace fusec::poly {

/// The node above which an array begins to live, with an extent for each of its
/// dimensions: elements lie at their subscripts modulo these.
struct LocalPlace {
  isl::schedule_node node;
  llvm::SmallVector<int64_t> shape;

  /// Bytes of such an array.
  int64_t getBytes(mlir::BlockArgument array) const;
};

/// The deepest place at which no value of `array` goes from one iteration of
/// the loops above to another. Nothing, with why in `refusal`, where there is
/// none, and, with an empty refusal, where no statement accesses the array.
std::optional<LocalPlace> findLocalPlace(const PolyScop &scop,
                                         const isl::schedule &schedule,
                                         mlir::BlockArgument array,
                                         std::string &refusal);

/// The extents of what one iteration of the loops above `node` accesses below
/// it of `array`; nothing where they are not fixed.
std::optional<llvm::SmallVector<int64_t>>
findFootprint(const PolyScop &scop, const isl::schedule_node &node,
              mlir::BlockArgument array);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_TREE_LOCALPLACES_H
