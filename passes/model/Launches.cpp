// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/model/Launches.h"

#include "dialects/Abi.h"
#include "dialects/TypeInfo.h"
#include "dialects/sched/SchedOps.h"

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
