// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/KernelOps.h"
#include "dialects/library/Library.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

LogicalResult CallOp::verify() {
  library::Call call(getInputs().getTypes(), getOutputs().getTypes(),
                     getParameters());
  if (library::Refusal reason = library::refuse(getCallee(), call))
    return emitOpError() << "of @" << getCallee() << " " << *reason;
  int64_t needed = library::find(getCallee())->workspaceBytes(call), given = 0;
  if (getWorkspace()) {
    auto type = cast<MemRefType>(getWorkspace().getType());
    if (!type.getElementType().isSignlessInteger(8) || type.getRank() != 1)
      return emitOpError() << "has the workspace " << type
                           << ", expected bytes of rank 1";
    given = type.getNumElements();
  }
  if (given != needed)
    return emitOpError() << "of @" << getCallee() << " has " << given
                         << " bytes of workspace, needs " << needed;
  return success();
}
