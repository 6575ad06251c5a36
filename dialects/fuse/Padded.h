// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run with smaller extents than a model is compiled for is to do.
#ifndef FUSEC_FUSE_PADDED_H
#define FUSEC_FUSE_PADDED_H

#include "llvm/ADT/StringRef.h"

namespace fusec::fuse {

/// The attribute of an argument or a result of the main function that is padded
/// or cut: an array with a dictionary for each place where it is. `symbol` is
/// the number of the symbol, `axis` that of the dimension, of which index i is
/// at (i floordiv inner) mod extent of the symbol, and `fill` the number that
/// an input is padded with; without it, with copies of the last element.
inline constexpr llvm::StringLiteral kPaddedAttr = "fuse.padded";

} // namespace fusec::fuse

#endif // FUSEC_FUSE_PADDED_H
