// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What makes two groups, or two choices, the same: what they compute on which
// shapes and types. Names, places and models do not count.
#ifndef FUSEC_PASSES_LOCK_GROUPKEY_H
#define FUSEC_PASSES_LOCK_GROUPKEY_H

#include "dialects/kernel/KernelOps.h"
#include "dialects/sched/SchedOps.h"

#include "mlir/IR/SymbolTable.h"

namespace fusec::lock {

/// A text that two kernels (`sched.scop` or `kernel.func`) have in common
/// exactly if they are equal but for the names of themselves, their arrays,
/// statements and iterators.
std::string getStructure(mlir::Operation *kernel);

/// The key of a group for `target`: 16 hexadecimal digits of a hash of its
/// structure without what was decided about it. (Where two groups had one key,
/// an entry of the one would at worst be refused for the other: each is checked
/// against the group that takes it.)
std::string getGroupKey(sched::ScopOp scop, llvm::StringRef target);

/// The key of a choice: of its algorithms, with what each computes. `symbols`
/// has the scops that it launches.
std::string getChoiceKey(kernel::ChoiceOp choice,
                         const mlir::SymbolTable &symbols,
                         llvm::StringRef target);

} // namespace fusec::lock

#endif // FUSEC_PASSES_LOCK_GROUPKEY_H
