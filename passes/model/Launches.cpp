// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/model/Launches.h"

#include "dialects/Abi.h"
#include "dialects/TypeInfo.h"
#include "dialects/sched/SchedOps.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace fusec::model {

FailureOr<Operation *> findKernel(kernel::LaunchOp launch,
                                  const SymbolTable &symbols) {
  Operation *kernel = symbols.lookup(launch.getKernel());
  if (isa_and_nonnull<sched::ScopOp, kernel::FuncOp>(kernel))
    return kernel;
  return launch.emitOpError()
         << "launches @" << launch.getKernel() << ", which is no kernel";
}

bool mayWrite(OpOperand &use, const SymbolTable &symbols) {
  unsigned number = use.getOperandNumber();
  return llvm::TypeSwitch<Operation *, bool>(use.getOwner())
      .Case([&](kernel::LaunchOp launch) {
        Operation *kernel = symbols.lookup(launch.getKernel());
        if (auto scop = dyn_cast_if_present<sched::ScopOp>(kernel))
          return number >= scop.getNumInputs();
        auto func = dyn_cast_if_present<kernel::FuncOp>(kernel);
        return !func || number >= func.getNumInputs();
      })
      .Case([&](kernel::CallOp call) {
        return number >= call.getInputs().size();
      })
      .Case([&](kernel::CopyOp) { return number == 1; })
      .Case([&](kernel::RepeatOp loop) {
        return use.get() != loop.getCount() && use.get() != loop.getCondition();
      })
      .Case([&](kernel::BranchOp) { return false; })
      .Default(true);
}

std::optional<int64_t> getArenaBytes(kernel::BufferOp buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  const TypeInfo *info = getTypeInfo(type.getElementType());
  if (!type.hasStaticShape() || !info)
    return std::nullopt;
  return llvm::alignTo(type.getNumElements() * info->storageBytes(),
                       kAbiAlignment);
}

int64_t getArenaBytes(Region &alternative) {
  int64_t bytes = 0;
  alternative.walk([&](kernel::BufferOp buffer) {
    bytes += getArenaBytes(buffer).value_or(0);
  });
  return bytes;
}

} // namespace fusec::model
