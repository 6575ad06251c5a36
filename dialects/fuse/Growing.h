// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Caches that grow with each run, as buffers of a fixed number of rows.
#ifndef FUSEC_FUSE_GROWING_H
#define FUSEC_FUSE_GROWING_H

#include "llvm/ADT/StringRef.h"

namespace fusec::fuse {

/// The attribute of an imported module with caches that grow, until the rows
/// that are not there are masked: a dictionary. `symbols` are the names of the
/// dimensions that grow with the caches, `past` is the number of rows before
/// the longest run, and `rows` the number of those that a run adds.
inline constexpr llvm::StringLiteral kGrowingAttr = "fuse.growing";

/// The attribute of the argument of the main function that is the number of
/// rows that the caches hold, an i64: how many a run adds, and how many there
/// is room for.
inline constexpr llvm::StringLiteral kRoomAttr = "fuse.room";

/// The attribute of the call that writes the new rows of such a cache.
inline constexpr llvm::StringLiteral kGrownAttr = "fuse.grown";

} // namespace fusec::fuse

#endif // FUSEC_FUSE_GROWING_H
