// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/fuse/FuseOps.h"
#include "dialects/library/Declared.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

LogicalResult CallOp::verify() {
  library::Call call(getOperandTypes(), getResultTypes(), getParameters());
  if (library::Refusal reason = library::refuse(getCallee(), call))
    return emitOpError() << "of @" << getCallee() << " " << *reason;
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &tables) {
  return library::verifyDeclaredCall(*this, getCalleeAttr(), getParameters(),
                                     getNumOperands(), getNumResults(), tables);
}

/// Also asked before the operation is verified.
static bool isPureRoutine(CallOp op) {
  const library::Routine *routine = library::find(op.getCallee());
  return routine && routine->isPure;
}

void CallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (isPureRoutine(*this))
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

Speculation::Speculatability CallOp::getSpeculatability() {
  return isPureRoutine(*this) ? Speculation::Speculatable
                              : Speculation::NotSpeculatable;
}
