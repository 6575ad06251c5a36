// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies to shared memory that arrive while threads compute.
#include "dialects/TargetInfo.h"
#include "dialects/kernel/KernelSyntax.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

/// Whether the target has such copies.
static LogicalResult verifyHasCopies(Operation *op) {
  if (failed(syntax::verifyHasBlocks(op, "is of copies while threads go on")))
    return failure();
  const TargetInfo &target = getTargetInfo(op);
  if (target.getCopyBytes() > 0)
    return success();
  return op->emitOpError() << "is of copies while threads go on, which target "
                           << target.name
                           << " does not have; load and store the elements";
}

//===----------------------------------------------------------------------===//
// kernel.copy_async
//===----------------------------------------------------------------------===//

void CopyAsyncOp::build(OpBuilder &builder, OperationState &state, Value from,
                        AffineMap map, ValueRange indices, Value to,
                        AffineMap toMap, ValueRange toIndices, Value mask,
                        int64_t elements) {
  build(builder, state, from, indices, to, toIndices, mask,
        AffineMapAttr::get(map), AffineMapAttr::get(toMap),
        builder.getI64IntegerAttr(elements));
}

ParseResult CopyAsyncOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand from, to, mask;
  SmallVector<OpAsmParser::UnresolvedOperand> indices, toIndices;
  AffineMapAttr map, toMap;
  MemRefType fromType, toType;
  IntegerAttr elements;
  Builder &builder = parser.getBuilder();
  if (parser.parseOperand(from) ||
      parser.parseAffineMapOfSSAIds(indices, map, getMapAttrName(state.name),
                                    state.attributes) ||
      parser.parseKeyword("to") || parser.parseOperand(to) ||
      parser.parseAffineMapOfSSAIds(
          toIndices, toMap, getToMapAttrName(state.name), state.attributes))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("elements")) &&
      (parser.parseEqual() ||
       parser.parseAttribute(elements, builder.getIntegerType(64),
                             getElementsAttrName(state.name),
                             state.attributes)))
    return failure();
  bool hasMask = succeeded(parser.parseOptionalKeyword("mask"));
  if ((hasMask && parser.parseOperand(mask)) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(fromType) || parser.parseComma() ||
      parser.parseType(toType) ||
      parser.resolveOperand(from, fromType, state.operands) ||
      parser.resolveOperands(indices, builder.getIndexType(), state.operands) ||
      parser.resolveOperand(to, toType, state.operands) ||
      parser.resolveOperands(toIndices, builder.getIndexType(),
                             state.operands) ||
      (hasMask &&
       parser.resolveOperand(mask, builder.getI1Type(), state.operands)))
    return failure();
  state.addAttribute(
      getOperandSegmentSizeAttr(),
      builder.getDenseI32ArrayAttr(
          {1, int32_t(indices.size()), 1, int32_t(toIndices.size()), hasMask}));
  return success();
}

void CopyAsyncOp::print(OpAsmPrinter &p) {
  p << ' ' << getFrom() << '[';
  p.printAffineMapOfSSAIds(getMapAttr(), getIndices());
  p << "] to " << getTo() << '[';
  p.printAffineMapOfSSAIds(getToMapAttr(), getToIndices());
  p << ']';
  if (getElements() != 1)
    p << " elements = " << getElements();
  if (getMask())
    p << " mask " << getMask();
  p.printOptionalAttrDict((*this)->getAttrs(),
                          {getMapAttrName(), getToMapAttrName(),
                           getElementsAttrName(), getOperandSegmentSizeAttr()});
  p << " : " << getFromType() << ", " << getToType();
}

LogicalResult CopyAsyncOp::verify() {
  MemRefType from = getFromType(), to = getToType();
  if (failed(verifyHasCopies(*this)) ||
      failed(syntax::verifyMapOperands(*this, getMap(), getIndices().size(),
                                       "subscripts")) ||
      failed(syntax::verifyMapOperands(*this, getToMap(), getToIndices().size(),
                                       "subscripts")))
    return failure();
  for (auto [type, map] :
       {std::pair(from, getMap()), std::pair(to, getToMap())})
    if (int64_t(map.getNumResults()) != type.getRank())
      return emitOpError() << "has " << map.getNumResults()
                           << " subscripts for " << type;
  if (getFrom().getDefiningOp<LocalOp>() || !isShared(to))
    return emitOpError() << "copies from " << from << " to " << to
                         << "; it goes from memory to shared memory";
  Type element = to.getElementType();
  int64_t bytes =
      element.isIntOrFloat() ? int64_t(element.getIntOrFloatBitWidth()) / 8 : 0;
  if (from.getElementType() != element || !getTypeInfo(element) ||
      (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8))
    return emitOpError()
           << "copies elements of " << from.getElementType() << " to such of "
           << element << "; it leaves them as they are, of 1, 2, 4 or 8 bytes";
  int64_t elements = getElements();
  int64_t most = getTargetInfo(*this).getCopyBytes();
  if (elements < 1 || !llvm::isPowerOf2_64(elements) || elements * bytes < 4 ||
      elements * bytes > most)
    return emitOpError() << "copies " << elements << " elements of " << bytes
                         << " bytes; there are a power of two of them, 4 to "
                         << most << " bytes";
  auto begins = [&](MemRefType type, AffineMap map) {
    return elements == 1 ||
           (type.getRank() > 0 && type.getShape().back() % elements == 0 &&
            map.getResults().back().isMultipleOf(elements));
  };
  if (!begins(from, getMap()) || !begins(to, getToMap()))
    return emitOpError() << "begins at no multiple of " << elements
                         << " elements";
  return success();
}

//===----------------------------------------------------------------------===//
// kernel.commit_copies, kernel.wait_copies
//===----------------------------------------------------------------------===//

LogicalResult CommitCopiesOp::verify() {
  return failure(failed(verifyHasCopies(*this)) ||
                 failed(syntax::verifyAllCome(*this, Scope::block)));
}

LogicalResult WaitCopiesOp::verify() {
  if (getMost() < 0)
    return emitOpError() << "leaves " << getMost()
                         << " groups on their way, expected 0 or more";
  return failure(failed(verifyHasCopies(*this)) ||
                 failed(syntax::verifyAllCome(*this, Scope::block)));
}
