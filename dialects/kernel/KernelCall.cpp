// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/KernelSyntax.h"
#include "dialects/library/Declared.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

/// Where a call stands says who runs it: the host, or blocks of threads.
static LogicalResult verifyBlock(CallOp op) {
  auto func = op->getParentOfType<FuncOp>();
  if (!func) {
    if (op.getBlock())
      return op.emitOpError("says which block runs it, outside of a kernel");
    return success();
  }
  if (failed(syntax::verifyHasBlocks(op, "is in a kernel")))
    return failure();
  if (!op.getBlock())
    return op.emitOpError("is in a kernel, and does not say which block runs "
                          "it");
  auto around = dyn_cast<ForOp>(op->getParentOp());
  if (!around || around.getMapping() != Mapping::block)
    return op.emitOpError("is in a kernel, but not right in a loop of blocks: "
                          "all threads of a block come to it");
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &tables) {
  return library::verifyDeclaredCall(*this, getCalleeAttr(), getParameters(),
                                     getInputs().size(), getOutputs().size(),
                                     tables);
}

/// The memory that `value` is, under whatever shape; a row is its own.
static Value findMemory(Value value) {
  auto view = value.getDefiningOp<ViewOp>();
  while (view && !view.getIndex()) {
    value = view.getSource();
    view = value.getDefiningOp<ViewOp>();
  }
  return value;
}

/// Where results lie of operators of users: apart from all operands, but for
/// those that the call says.
static LogicalResult verifyAliases(CallOp op) {
  for (auto [number, output] : llvm::enumerate(op.getOutputs())) {
    const int64_t must = library::getAliased(
                      op.getParameters(), library::kMustAliasParameter, number),
                  may = library::getAliased(
                      op.getParameters(), library::kMayAliasParameter, number);
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      if (int64_t(index) == must && findMemory(input) != findMemory(output))
        return op.emitOpError() << "of @" << op.getCallee() << " has result "
                                << number << " in other memory than operand "
                                << index << ", where it must lie";
      if (input == output && int64_t(index) != must && int64_t(index) != may)
        return op.emitOpError()
               << "of @" << op.getCallee() << " has result " << number
               << " in the memory of operand " << index
               << ", and does not say that it may lie there";
    }
  }
  return success();
}

LogicalResult CallOp::verify() {
  if (failed(verifyBlock(*this)))
    return failure();
  library::Call call(getInputs().getTypes(), getOutputs().getTypes(),
                     getParameters());
  if (library::Refusal reason = library::refuse(getCallee(), call))
    return emitOpError() << "of @" << getCallee() << " " << *reason;
  if (getParameters().contains(library::kAlgorithmsParameter))
    return emitOpError() << "of @" << getCallee()
                         << " has several algorithms; only a fuse.call may, "
                            "until one is taken";
  // A kernel has arguments for each of them, which do not say where they lie.
  if (library::isDeclared(getCallee()) && !getBlock() &&
      failed(verifyAliases(*this)))
    return failure();
  const library::Routine *routine = library::find(getCallee());
  if (getBlock() && !routine->getDeviceForm(call))
    return emitOpError() << "of @" << getCallee()
                         << " is in a kernel; the routine has no form for a "
                            "device";
  int64_t needed = routine->workspaceBytes(call), given = 0;
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
