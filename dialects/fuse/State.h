// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a model carries from one run to the next.
#ifndef FUSEC_FUSE_STATE_H
#define FUSEC_FUSE_STATE_H

#include "llvm/ADT/StringRef.h"

namespace fusec::fuse {

/// The attribute of an argument of the main function that the program keeps
/// itself: an integer, the number of the result, of the same type, that is its
/// value in the next run.
inline constexpr llvm::StringLiteral kStateAttr = "fuse.state";

} // namespace fusec::fuse

#endif // FUSEC_FUSE_STATE_H
