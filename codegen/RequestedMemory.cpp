// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/RequestedMemory.h"
#include "codegen/KernelEmitter.h"
#include "codegen/TargetSyntax.h"

using namespace mlir;

namespace fusec::codegen {

FailureOr<std::string> elementTypeName(kernel::LocalOp op) {
  Type element = cast<MemRefType>(op.getType()).getElementType();
  std::string name = kernel::isValueType(element) ? valueTypeName(element)
                                                  : storageTypeName(element);
  if (name.empty())
    return op.emitOpError("has elements of type ")
           << element << ", which emitted source has no name for";
  return name;
}

std::string writeExtents(ArrayRef<int64_t> extents) {
  std::string text;
  for (int64_t extent : extents)
    text += "[" + std::to_string(extent) + "]";
  return text;
}

LogicalResult declareRequested(kernel::FuncOp func, KernelEmitter &emitter) {
  const int64_t bytes = kernel::countRequestedBytes(func);
  if (bytes == 0)
    return success();
  const std::string shared = emitter.names.declare("shared", "shared");
  std::vector<std::string> names;
  emitter.out.open("struct Shared");
  WalkResult result = func.walk([&](kernel::LocalOp op) {
    auto type = cast<MemRefType>(op.getType());
    if (!kernel::isShared(type))
      return WalkResult::advance();
    FailureOr<std::string> element = elementTypeName(op);
    if (failed(element))
      return WalkResult::interrupt();
    names.push_back(emitter.declare(op, arrayName(op.getLoc()), "tile").text);
    emitter.out.line("alignas(16) {} {}{};", *element, names.back(),
                     writeExtents(type.getShape()));
    return WalkResult::advance();
  });
  emitter.out.close(";");
  emitter.out.line("static_assert(sizeof(Shared) == {});", bytes);
  emitter.out.line("Shared &{} = shared_memory<Shared>();", shared);
  for (const std::string &name : names)
    emitter.out.line("auto &{0} = {1}.{0};", name, shared);
  return failure(result.wasInterrupted());
}

} // namespace fusec::codegen
