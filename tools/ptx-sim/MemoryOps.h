// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers of instructions (Program.h): memory.
#ifndef FUSEC_TOOLS_PTXSIM_MEMORYOPS_H
#define FUSEC_TOOLS_PTXSIM_MEMORYOPS_H

#include "tools/ptx-sim/Exec.h"

namespace fusec::ptx {

void load(Exec &exec, const Inst &inst, Mask mask);
void store(Exec &exec, const Inst &inst, Mask mask);
/// Parameters of the kernel at a known offset; of calls, in the frame.
void loadParam(Exec &exec, const Inst &inst, Mask mask);
void loadFrame(Exec &exec, const Inst &inst, Mask mask);
void storeFrame(Exec &exec, const Inst &inst, Mask mask);
void atomic(Exec &exec, const Inst &inst, Mask mask);
/// cvta and cvta.to, isspacep, prefetch.
void toGeneric(Exec &exec, const Inst &inst, Mask mask);
void isSpace(Exec &exec, const Inst &inst, Mask mask);
void nothing(Exec &exec, const Inst &inst, Mask mask);

void copyAsync(Exec &exec, const Inst &inst, Mask mask);
void commitCopies(Exec &exec, const Inst &inst, Mask mask);
void waitCopies(Exec &exec, const Inst &inst, Mask mask);

/// mbarrier: the operation is in Inst::mode.
enum MbarrierOp : uint32_t {
  kMbarrierInit,
  kMbarrierInval,
  kMbarrierArrive,
  kMbarrierArriveDrop,
  kMbarrierTest,
  kMbarrierTestParity,
  kMbarrierCopies, ///< cp.async.mbarrier.arrive
  kMbarrierCopiesNoInc,
  kMbarrierExpectBytes,
  kMbarrierCompleteBytes,
};
void mbarrier(Exec &exec, const Inst &inst, Mask mask);
void pendingCount(Exec &exec, const Inst &inst, Mask mask);

void loadMatrix(Exec &exec, const Inst &inst, Mask mask);
void storeMatrix(Exec &exec, const Inst &inst, Mask mask);
void multiply(Exec &exec, const Inst &inst, Mask mask);
void moveMatrix(Exec &exec, const Inst &inst, Mask mask);

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_MEMORYOPS_H
