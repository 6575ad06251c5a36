// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each program does about input that makes it run out of stack, about
// files that shrink while it reads them, and about crashes: a message and an
// exit code, where the system would end it without a word.
#ifndef FUSEC_TOOLS_GUARD_H
#define FUSEC_TOOLS_GUARD_H

#include "compiler/import/Problem.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace fusec::tool {

/// Runs `work` on a stack of kStackBytes (dialects/Limits.h) and returns what
/// it does. If it crashes, `report` is told what happened, and the exit code,
/// with which the process then ends: 4 where input is at fault, 70 for a bug of
/// `program`.
int runGuarded(llvm::StringRef program, llvm::function_ref<int()> work,
               llvm::function_ref<void(const Problem &, int)> report);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_GUARD_H
