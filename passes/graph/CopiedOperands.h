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

/// Has `op` read `operand`, whose lanes are along `findLaneDim`, from a stored
/// copy in which they lie side by side.
void copyOperand(ContractOp op, unsigned operand);

/// The order of the operand's dimensions in which `dim` is the last; of
/// contractions of several terms in a step, the others follow the iterators,
/// the last of which is that of the terms.
llvm::SmallVector<int64_t> putLast(ContractOp op, unsigned operand,
                                   unsigned dim);

/// Has `op` read `packed`, the operand with its dimensions in the order `perm`.
void replaceOperand(ContractOp op, unsigned operand,
                    llvm::ArrayRef<int64_t> perm, mlir::Value packed);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_COPIEDOPERANDS_H
