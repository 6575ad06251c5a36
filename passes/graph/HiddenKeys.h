// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores of attention of which a mask hides some by a number, for good.
#ifndef FUSEC_PASSES_GRAPH_HIDDENKEYS_H
#define FUSEC_PASSES_GRAPH_HIDDENKEYS_H

#include "dialects/fuse/FuseOps.h"

namespace fusec::fuse {

/// Whether what `scores` hides by -1e30 or less has no part in the softmax of
/// its rows, which run along `dim`: as if it were minus infinity. So it is if
/// what the mask leaves are products, or multiples of them, which are ordinary
/// numbers, and each row has one: the mask compares indices.
bool hidesForGood(mlir::Value scores, unsigned dim);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_HIDDENKEYS_H
