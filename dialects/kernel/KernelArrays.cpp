// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that a kernel has of its own, and how it writes those of others.
#include "dialects/Abi.h"
#include "dialects/kernel/KernelSyntax.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

//===----------------------------------------------------------------------===//
// kernel.local
//===----------------------------------------------------------------------===//

ParseResult LocalOp::parse(OpAsmParser &parser, OperationState &state) {
  MemRefType type;
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  state.addTypes(type);
  syntax::keepResultName(parser, state);
  return success();
}

void LocalOp::print(OpAsmPrinter &p) {
  p.printOptionalAttrDict((*this)->getAttrs());
  p << " : " << getType();
}

void LocalOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  syntax::printResultName(*this, setName);
}

LogicalResult LocalOp::verify() {
  auto type = cast<MemRefType>(getType());
  // What matrices are loaded from lies as it does in memory.
  const bool isNarrow =
      isShared(type) && bool(getTypeInfo(type.getElementType()));
  if (!isValueType(type.getElementType()) && !isNarrow)
    return emitOpError() << "has elements of type " << type.getElementType()
                         << ", expected a compute type or 16 lanes of one";
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return emitOpError("needs a static shape without a layout");
  return syntax::verifySpace(*this, type);
}

//===----------------------------------------------------------------------===//
// kernel.workspace
//===----------------------------------------------------------------------===//

void WorkspaceOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  syntax::printResultName(*this, setName);
}

LogicalResult WorkspaceOp::verify() {
  auto type = cast<MemRefType>(getType());
  if (!isValueType(type.getElementType()))
    return emitOpError() << "has elements of " << type.getElementType()
                         << ", which is no compute type";
  if (getOffset() < 0)
    return emitOpError() << "has offset " << getOffset()
                         << ", which is negative";
  if (getOffset() % kAbiAlignment)
    return emitOpError() << "has offset " << getOffset() << ", no multiple of "
                         << kAbiAlignment;
  return syntax::verifySpace(*this, type);
}

//===----------------------------------------------------------------------===//
// kernel.store
//===----------------------------------------------------------------------===//

bool StoreOp::isStreamed() {
  auto argument = dyn_cast<BlockArgument>(getMemref());
  auto func = argument ? dyn_cast<FuncOp>(argument.getOwner()->getParentOp())
                       : FuncOp();
  return func && isVector() && getStride() == 1 && !getMask() &&
         func.getArgAttr(argument.getArgNumber(), kStreamAttr);
}
