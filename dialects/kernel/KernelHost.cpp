// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/KernelSyntax.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

LogicalResult WeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom(*this, getWeightAttr()))
    return emitOpError() << "refers to weight " << getWeightAttr()
                         << ", which is not in this module";
  return syntax::verifySpace(*this, cast<MemRefType>(getType()));
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
  return syntax::verifySpace(*this, cast<MemRefType>(getType()));
}

// `kernel.view %x at 16 + %i * -4 : ...`; the `16 +` is left out if it is 0.
ParseResult ViewOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  OpAsmParser::UnresolvedOperand source, index;
  MemRefType from, to;
  if (parser.parseOperand(source))
    return failure();
  bool isPart = succeeded(parser.parseOptionalKeyword("at"));
  if (isPart) {
    int64_t start = 0, stride = 0;
    OptionalParseResult hasStart = parser.parseOptionalInteger(start);
    if (hasStart.has_value() && (failed(*hasStart) || parser.parsePlus()))
      return failure();
    if (parser.parseOperand(index) || parser.parseStar() ||
        parser.parseInteger(stride))
      return failure();
    state.addAttribute(getStartAttrName(state.name),
                       builder.getI64IntegerAttr(start));
    state.addAttribute(getStrideAttrName(state.name),
                       builder.getI64IntegerAttr(stride));
  }
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(from) || parser.parseArrow() ||
      parser.parseType(to) ||
      parser.resolveOperand(source, from, state.operands) ||
      (isPart &&
       parser.resolveOperand(index, builder.getIndexType(), state.operands)))
    return failure();
  state.addTypes(to);
  return success();
}

void ViewOp::print(OpAsmPrinter &p) {
  p << " " << getSource();
  if (getIndex()) {
    p << " at ";
    if (getStart())
      p << getStart() << " + ";
    p << getIndex() << " * " << getStride();
  }
  p.printOptionalAttrDict((*this)->getAttrs(),
                          {getStartAttrName(), getStrideAttrName()});
  p << " : " << getSource().getType() << " -> " << getType();
}

LogicalResult ViewOp::verify() {
  auto from = cast<MemRefType>(getSource().getType()),
       to = cast<MemRefType>(getType());
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "changes the element type from "
                         << from.getElementType() << " to "
                         << to.getElementType();
  if (!getIndex() && (getStart() || getStride()))
    return emitOpError("has a place but no index");
  if (failed(syntax::verifySpace(*this, to)))
    return failure();
  if (from.getMemorySpace() != to.getMemorySpace())
    return emitOpError() << "is of " << from << " but lies in other memory, as "
                         << to;
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return success();
  int64_t whole = from.getNumElements(), part = to.getNumElements();
  if (!getIndex() && whole != part)
    return emitOpError() << "has " << whole << " elements as " << from
                         << " but " << part << " as " << to;
  if (getIndex() && (getStart() < 0 || getStart() + part > whole))
    return emitOpError() << "leads outside of " << from << " at iteration 0";
  if (part && (getStart() % part || getStride() % part))
    return emitOpError() << "begins at " << getStart() << " + i * "
                         << getStride() << ", no multiples of its " << part
                         << " elements";
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

bool kernel::isOnHost(Type type) {
  auto space =
      dyn_cast_if_present<SpaceAttr>(cast<MemRefType>(type).getMemorySpace());
  return space && space.getValue() == Space::host;
}

WeightOp kernel::getWeight(Value operand) {
  auto view = operand.getDefiningOp<ViewOp>();
  if (view && !view.getIndex())
    operand = view.getSource();
  return operand.getDefiningOp<WeightOp>();
}

// The second type is left out where it is the first.
ParseResult CopyOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand source, target;
  MemRefType from, to;
  if (parser.parseOperand(source) || parser.parseComma() ||
      parser.parseOperand(target) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(from))
    return failure();
  to = from;
  if (succeeded(parser.parseOptionalComma()) && parser.parseType(to))
    return failure();
  return failure(parser.resolveOperand(source, from, state.operands) ||
                 parser.resolveOperand(target, to, state.operands));
}

void CopyOp::print(OpAsmPrinter &p) {
  p << " " << getSource() << ", " << getTarget();
  p.printOptionalAttrDict((*this)->getAttrs());
  p << " : " << getSource().getType();
  if (getTarget().getType() != getSource().getType())
    p << ", " << getTarget().getType();
}

LogicalResult CopyOp::verify() {
  auto from = cast<MemRefType>(getSource().getType()),
       to = cast<MemRefType>(getTarget().getType());
  if (MemRefType(MemRefType::Builder(from).setMemorySpace({})) !=
      MemRefType(MemRefType::Builder(to).setMemorySpace({})))
    return emitOpError() << "is of " << from << " to " << to
                         << ", expected the same type but for the memory";
  return success();
}

LogicalResult FillOp::verify() {
  Type element = cast<MemRefType>(getTarget().getType()).getElementType();
  if (!isa<FloatAttr, IntegerAttr>(getValue()) ||
      getValue().getType() != element)
    return emitOpError() << "has value " << getValue()
                         << ", expected a number of type " << element;
  return success();
}

APInt FillOp::getBits() {
  if (auto number = dyn_cast<FloatAttr>(getValue()))
    return number.getValue().bitcastToAPInt();
  return cast<IntegerAttr>(getValue()).getValue();
}
