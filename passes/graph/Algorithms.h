// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What --fuse-expand-algorithms offers, for those who only have its name.
#ifndef FUSEC_PASSES_GRAPH_ALGORITHMS_H
#define FUSEC_PASSES_GRAPH_ALGORITHMS_H

#include "llvm/ADT/StringRef.h"

namespace fusec::fuse {

/// Whether `algorithm` is offered with numerics=fast only.
bool needsFastNumerics(llvm::StringRef algorithm);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_ALGORITHMS_H
