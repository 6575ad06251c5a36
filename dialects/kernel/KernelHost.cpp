// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/KernelSyntax.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

LogicalResult WeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom(*this, getWeightAttr()))
    return emitOpError() << "refers to weight " << getWeightAttr()
                         << ", which is not in this module";
  return success();
}

ParseResult BufferOp::parse(OpAsmParser &parser, OperationState &state) {
  if (succeeded(parser.parseOptionalKeyword("offset"))) {
    int64_t offset = 0;
    if (parser.parseEqual() || parser.parseInteger(offset))
      return failure();
    state.addAttribute(getOffsetAttrName(state.name),
                       parser.getBuilder().getI64IntegerAttr(offset));
  }
  MemRefType type;
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  state.addTypes(type);
  syntax::keepResultName(parser, state);
  return success();
}

void BufferOp::print(OpAsmPrinter &p) {
  if (getOffset())
    p << " offset = " << *getOffset();
  p.printOptionalAttrDict((*this)->getAttrs(), {getOffsetAttrName()});
  p << " : " << getType();
}

void BufferOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  syntax::printResultName(*this, setName);
}

LogicalResult BufferOp::verify() {
  if (getOffset() && *getOffset() < 0)
    return emitOpError() << "has offset " << *getOffset()
                         << ", expected 0 or more";
  return success();
}

LogicalResult ViewOp::verify() {
  auto from = cast<MemRefType>(getSource().getType()),
       to = cast<MemRefType>(getType());
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "changes the element type from "
                         << from.getElementType() << " to "
                         << to.getElementType();
  if (from.hasStaticShape() && to.hasStaticShape() &&
      from.getNumElements() != to.getNumElements())
    return emitOpError() << "has " << from.getNumElements() << " elements as "
                         << from << " but " << to.getNumElements() << " as "
                         << to;
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *target = symbols.lookupNearestSymbolFrom(*this, getKernelAttr());
  if (!target)
    return emitOpError() << "refers to kernel " << getKernelAttr()
                         << ", which is not in this module";
  // A scop is of another dialect; its operands are checked when it is one.
  auto func = dyn_cast<FuncOp>(target);
  if (!func)
    return success();
  auto fail = [&](InFlightDiagnostic diagnostic) -> LogicalResult {
    diagnostic.attachNote(func.getLoc()) << "the kernel is here";
    return diagnostic;
  };
  if (func.getNumArguments() != getOperands().size())
    return fail(emitOpError() << "passes " << getOperands().size()
                              << " operands to " << getKernelAttr()
                              << ", which takes " << func.getNumArguments());
  for (auto [number, actual, expected] :
       llvm::enumerate(getOperandTypes(), func.getArgumentTypes()))
    if (actual != expected)
      return fail(emitOpError() << "operand " << number << " is " << actual
                                << ", expected " << expected);
  return success();
}
