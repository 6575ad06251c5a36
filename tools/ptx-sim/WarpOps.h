// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers of instructions (Program.h): what the lanes of a warp do together,
// and what else is neither arithmetic nor memory.
#ifndef FUSEC_TOOLS_PTXSIM_WARPOPS_H
#define FUSEC_TOOLS_PTXSIM_WARPOPS_H

#include "tools/ptx-sim/Exec.h"

namespace fusec::ptx {

void shuffle(Exec &exec, const Inst &inst, Mask mask);
void vote(Exec &exec, const Inst &inst, Mask mask);
void match(Exec &exec, const Inst &inst, Mask mask);
void reduceLanes(Exec &exec, const Inst &inst, Mask mask);
void elect(Exec &exec, const Inst &inst, Mask mask);
void activeMask(Exec &exec, const Inst &inst, Mask mask);
void syncWarp(Exec &exec, const Inst &inst, Mask mask);
void fence(Exec &exec, const Inst &inst, Mask mask);
void trap(Exec &exec, const Inst &inst, Mask mask);
void failAssertion(Exec &exec, const Inst &inst, Mask mask);
void sleep(Exec &exec, const Inst &inst, Mask mask);
void readClock(Exec &exec, const Inst &inst, Mask mask);
void moveVector(Exec &exec, const Inst &inst, Mask mask);

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_WARPOPS_H
