// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which dimension of an operand lanes want side by side, and whether a copy in
// which it lies so pays.
#ifndef FUSEC_PASSES_GRAPH_COPIEDOPERANDS_H
#define FUSEC_PASSES_GRAPH_COPIEDOPERANDS_H

#include "dialects/fuse/FuseOps.h"

#include <optional>

namespace fusec::fuse {

/// The dimension of operand `operand` over whose iterator the other operand is
/// invariant and the result is not: the one that wants to be on lanes. The
/// longest if there are several.
std::optional<unsigned> findLaneDim(ContractOp op, unsigned operand);

/// The operand of `op` that is worth a copy, computed at run time, in which
/// lanes find its elements side by side; nothing if they do in an operand as it
/// is, or if no copy pays. With `keepsOrder`, lanes do not share a sum.
std::optional<unsigned> findCopied(ContractOp op, bool keepsOrder);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_COPIEDOPERANDS_H
