// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/model/Launches.h"

#include "dialects/sched/SchedOps.h"

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

} // namespace fusec::model
