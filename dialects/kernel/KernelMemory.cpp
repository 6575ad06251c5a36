// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/KernelSyntax.h"
#include "dialects/kernel/Nibbles.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

//===----------------------------------------------------------------------===//
// Rules that loads, stores and gathers share
//===----------------------------------------------------------------------===//

/// Checks that `value` may go from or to `memref`: the compute type of its
/// elements or 16 lanes of it; from a memref of vectors exactly the vector.
static LogicalResult verifyValueType(Operation *op, MemRefType memref,
                                     Type value, StringRef what) {
  Type element = memref.getElementType();
  if (isa<VectorType>(element)) {
    if (value != element)
      return op->emitOpError() << what << " is " << value << ", expected "
                               << element << ", the element type of " << memref;
    return success();
  }
  if (!getTypeInfo(element))
    return op->emitOpError() << "accesses elements of type " << element
                             << ", which has no row in the TypeInfo table";
  Type compute = getComputeType(element);
  if (value != compute && value != getVectorOf(compute))
    return op->emitOpError()
           << what << " is " << value << ", expected " << compute << " or "
           << getVectorOf(compute) << ", the compute type of " << element;
  return success();
}

static LogicalResult verifySubscripts(Operation *op, MemRefType memref,
                                      AffineMap map) {
  if (int64_t(map.getNumResults()) != memref.getRank())
    return op->emitOpError()
           << "has " << map.getNumResults() << " subscripts for " << memref
           << ", which has rank " << memref.getRank();
  return success();
}

/// Checks that the mask (may be null) has as many lanes as `value`, and that a
/// fill has what it fills.
static LogicalResult verifyMask(Operation *op, MemRefType memref, Value mask,
                                Type value, TypedAttr fill = {}) {
  if (fill && !mask)
    return op->emitOpError("has a fill but no mask: all lanes are read");
  if (!mask)
    return success();
  if (isa<VectorType>(memref.getElementType()))
    return op->emitOpError(
        "has a mask on a memref of vectors; select the value instead");
  Type i1 = IntegerType::get(op->getContext(), 1);
  Type expected = isa<VectorType>(value) ? Type(getVectorOf(i1)) : i1;
  if (mask.getType() != expected)
    return op->emitOpError()
           << "mask is " << mask.getType() << ", expected " << expected;
  Type compute = getComputeType(memref.getElementType());
  if (fill && fill.getType() != compute)
    return op->emitOpError()
           << "fill is of type " << fill.getType() << ", expected " << compute
           << ", the compute type of " << memref.getElementType();
  return success();
}

static LogicalResult verifyStride(Operation *op, MemRefType memref, Type value,
                                  int64_t stride) {
  if (stride == 0)
    return op->emitOpError("has stride 0; load a scalar and broadcast it");
  if (stride != 1 &&
      (!isa<VectorType>(value) || isa<VectorType>(memref.getElementType())))
    return op->emitOpError("has a stride but no lanes for it");
  return success();
}

/// access := `[` affine expressions of index values `]`
static ParseResult
parseSubscripts(OpAsmParser &parser, StringAttr mapName, OperationState &state,
                SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices) {
  AffineMapAttr map;
  return parser.parseAffineMapOfSSAIds(indices, map, mapName, state.attributes);
}

/// qualifiers := (`stride` `=` integer)? (`mask` value)?
static ParseResult
parseQualifiers(OpAsmParser &parser, StringAttr strideName,
                OperationState &state,
                std::optional<OpAsmParser::UnresolvedOperand> &mask) {
  if (succeeded(parser.parseOptionalKeyword("stride"))) {
    int64_t stride = 0;
    if (parser.parseEqual() || parser.parseInteger(stride))
      return failure();
    state.addAttribute(strideName,
                       parser.getBuilder().getI64IntegerAttr(stride));
  }
  if (succeeded(parser.parseOptionalKeyword("mask"))) {
    mask.emplace();
    if (parser.parseOperand(*mask))
      return failure();
  }
  return success();
}

static void printQualifiers(OpAsmPrinter &p, int64_t stride, Value mask) {
  if (stride != 1)
    p << " stride = " << stride;
  if (mask)
    p << " mask " << mask;
}

static void addSegments(OpAsmParser &parser, OperationState &state,
                        StringRef name, ArrayRef<int32_t> segments) {
  state.addAttribute(name, parser.getBuilder().getDenseI32ArrayAttr(segments));
}

//===----------------------------------------------------------------------===//
// kernel.load
//===----------------------------------------------------------------------===//

void LoadOp::build(OpBuilder &builder, OperationState &state, Type result,
                   Value memref, AffineMap map, ValueRange indices, Value mask,
                   int64_t stride, TypedAttr fill) {
  build(builder, state, result, memref, indices, mask, AffineMapAttr::get(map),
        builder.getI64IntegerAttr(stride), fill);
}

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand memref;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  std::optional<OpAsmParser::UnresolvedOperand> mask;
  if (parser.parseOperand(memref) ||
      parseSubscripts(parser, getMapAttrName(state.name), state, indices) ||
      parseQualifiers(parser, getStrideAttrName(state.name), state, mask))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("fill"))) {
    TypedAttr fill;
    if (parser.parseAttribute(fill, getFillAttrName(state.name),
                              state.attributes))
      return failure();
  }
  MemRefType memrefType;
  Type maskType, resultType;
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(memrefType) ||
      (mask && (parser.parseComma() || parser.parseType(maskType))) ||
      parser.parseArrow() || parser.parseType(resultType) ||
      parser.resolveOperand(memref, memrefType, state.operands) ||
      parser.resolveOperands(indices, parser.getBuilder().getIndexType(),
                             state.operands) ||
      (mask && parser.resolveOperand(*mask, maskType, state.operands)))
    return failure();
  addSegments(parser, state, getOperandSegmentSizeAttr(),
              {1, int32_t(indices.size()), mask ? 1 : 0});
  state.addTypes(resultType);
  syntax::keepResultName(parser, state);
  return success();
}

void LoadOp::print(OpAsmPrinter &p) {
  p << ' ' << getMemref() << '[';
  p.printAffineMapOfSSAIds(getMapAttr(), getIndices());
  p << ']';
  printQualifiers(p, getStride(), getMask());
  if (getFillAttr())
    p << " fill " << getFillAttr();
  p.printOptionalAttrDict((*this)->getAttrs(),
                          {getMapAttrName(), getStrideAttrName(),
                           getFillAttrName(), getOperandSegmentSizeAttr()});
  p << " : " << getMemref().getType();
  if (getMask())
    p << ", " << getMask().getType();
  p << " -> " << getType();
}

void LoadOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  syntax::printResultName(*this, setName);
}

bool kernel::fillsZeros(TypedAttr fill) {
  if (auto number = dyn_cast_or_null<FloatAttr>(fill))
    return number.getValue().isPosZero();
  if (auto number = dyn_cast_or_null<IntegerAttr>(fill))
    return number.getValue().isZero();
  return !fill;
}

LogicalResult LoadOp::verify() {
  MemRefType memref = getMemRefType();
  // Lanes of integers of 4 bits may be looked up as floats.
  const bool isLookedUp =
      isNibbles(memref) &&
      getType() == getVectorOf(Float32Type::get(getContext()));
  return failure(
      failed(syntax::verifyMapOperands(*this, getMap(), getIndices().size(),
                                       "subscripts")) ||
      failed(verifySubscripts(*this, memref, getMap())) ||
      (!isLookedUp &&
       failed(verifyValueType(*this, memref, getType(), "result"))) ||
      failed(verifyStride(*this, memref, getType(), getStride())) ||
      failed(verifyMask(*this, memref, getMask(), getType(), getFillAttr())));
}

//===----------------------------------------------------------------------===//
// kernel.store
//===----------------------------------------------------------------------===//

void StoreOp::build(OpBuilder &builder, OperationState &state, Value value,
                    Value memref, AffineMap map, ValueRange indices, Value mask,
                    int64_t stride) {
  build(builder, state, value, memref, indices, mask, AffineMapAttr::get(map),
        builder.getI64IntegerAttr(stride));
}

ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand value, memref;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  std::optional<OpAsmParser::UnresolvedOperand> mask;
  Type valueType, maskType;
  MemRefType memrefType;
  if (parser.parseOperand(value) || parser.parseComma() ||
      parser.parseOperand(memref) ||
      parseSubscripts(parser, getMapAttrName(state.name), state, indices) ||
      parseQualifiers(parser, getStrideAttrName(state.name), state, mask) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(valueType) || parser.parseComma() ||
      parser.parseType(memrefType) ||
      (mask && (parser.parseComma() || parser.parseType(maskType))) ||
      parser.resolveOperand(value, valueType, state.operands) ||
      parser.resolveOperand(memref, memrefType, state.operands) ||
      parser.resolveOperands(indices, parser.getBuilder().getIndexType(),
                             state.operands) ||
      (mask && parser.resolveOperand(*mask, maskType, state.operands)))
    return failure();
  addSegments(parser, state, getOperandSegmentSizeAttr(),
              {1, 1, int32_t(indices.size()), mask ? 1 : 0});
  return success();
}

void StoreOp::print(OpAsmPrinter &p) {
  p << ' ' << getValue() << ", " << getMemref() << '[';
  p.printAffineMapOfSSAIds(getMapAttr(), getIndices());
  p << ']';
  printQualifiers(p, getStride(), getMask());
  p.printOptionalAttrDict(
      (*this)->getAttrs(),
      {getMapAttrName(), getStrideAttrName(), getOperandSegmentSizeAttr()});
  p << " : " << getValue().getType() << ", " << getMemref().getType();
  if (getMask())
    p << ", " << getMask().getType();
}

LogicalResult StoreOp::verify() {
  MemRefType memref = getMemRefType();
  Type value = getValue().getType();
  return failure(failed(syntax::verifyMapOperands(
                     *this, getMap(), getIndices().size(), "subscripts")) ||
                 failed(verifySubscripts(*this, memref, getMap())) ||
                 failed(verifyValueType(*this, memref, value, "value")) ||
                 failed(verifyStride(*this, memref, value, getStride())) ||
                 failed(verifyMask(*this, memref, getMask(), value)));
}

//===----------------------------------------------------------------------===//
// kernel.store_transposed
//===----------------------------------------------------------------------===//

void StoreTransposedOp::build(OpBuilder &builder, OperationState &state,
                              Value rows, AffineMap rowsMap,
                              ValueRange rowsIndices, Value memref,
                              AffineMap map, ValueRange indices, Value mask,
                              int64_t stride) {
  build(builder, state, rows, rowsIndices, memref, indices, mask,
        AffineMapAttr::get(rowsMap), AffineMapAttr::get(map),
        builder.getI64IntegerAttr(stride));
}

ParseResult StoreTransposedOp::parse(OpAsmParser &parser,
                                     OperationState &state) {
  OpAsmParser::UnresolvedOperand rows, memref;
  SmallVector<OpAsmParser::UnresolvedOperand> rowsIndices, indices;
  std::optional<OpAsmParser::UnresolvedOperand> mask;
  MemRefType rowsType, memrefType;
  Type maskType, index = parser.getBuilder().getIndexType();
  if (parser.parseOperand(rows) ||
      parseSubscripts(parser, getRowsMapAttrName(state.name), state,
                      rowsIndices) ||
      parser.parseComma() || parser.parseOperand(memref) ||
      parseSubscripts(parser, getMapAttrName(state.name), state, indices) ||
      parseQualifiers(parser, getStrideAttrName(state.name), state, mask) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(rowsType) || parser.parseComma() ||
      parser.parseType(memrefType) ||
      (mask && (parser.parseComma() || parser.parseType(maskType))) ||
      parser.resolveOperand(rows, rowsType, state.operands) ||
      parser.resolveOperands(rowsIndices, index, state.operands) ||
      parser.resolveOperand(memref, memrefType, state.operands) ||
      parser.resolveOperands(indices, index, state.operands) ||
      (mask && parser.resolveOperand(*mask, maskType, state.operands)))
    return failure();
  addSegments(parser, state, getOperandSegmentSizeAttr(),
              {1, int32_t(rowsIndices.size()), 1, int32_t(indices.size()),
               mask ? 1 : 0});
  return success();
}

void StoreTransposedOp::print(OpAsmPrinter &p) {
  p << ' ' << getRows() << '[';
  p.printAffineMapOfSSAIds(getRowsMapAttr(), getRowsIndices());
  p << "], " << getMemref() << '[';
  p.printAffineMapOfSSAIds(getMapAttr(), getIndices());
  p << ']';
  printQualifiers(p, getStride(), getMask());
  p.printOptionalAttrDict((*this)->getAttrs(),
                          {getRowsMapAttrName(), getMapAttrName(),
                           getStrideAttrName(), getOperandSegmentSizeAttr()});
  p << " : " << getRows().getType() << ", " << getMemref().getType();
  if (getMask())
    p << ", " << getMask().getType();
}

LogicalResult StoreTransposedOp::verify() {
  MemRefType rows = getRowsType(), memref = getMemRefType();
  auto vector = dyn_cast<VectorType>(rows.getElementType());
  if (!vector || rows.getRank() == 0)
    return emitOpError() << "has rows of type " << rows
                         << ", expected an array of vectors";
  if (int64_t(getRowsMap().getNumResults()) != rows.getRank() - 1)
    return emitOpError() << "has " << getRowsMap().getNumResults()
                         << " subscripts for a row of " << rows
                         << ", which has " << rows.getRank() - 1;
  if (isa<VectorType>(memref.getElementType()))
    return emitOpError("writes to a memref of vectors; their elements lie side "
                       "by side");
  return failure(
      failed(syntax::verifyMapOperands(
          *this, getRowsMap(), getRowsIndices().size(), "rows' subscripts")) ||
      failed(syntax::verifyMapOperands(*this, getMap(), getIndices().size(),
                                       "subscripts")) ||
      failed(verifySubscripts(*this, memref, getMap())) ||
      failed(verifyValueType(*this, memref, vector, "a row")) ||
      failed(verifyStride(*this, memref, vector, getStride())) ||
      failed(verifyMask(*this, memref, getMask(), vector)));
}

//===----------------------------------------------------------------------===//
// kernel.prefetch
//===----------------------------------------------------------------------===//

void PrefetchOp::build(OpBuilder &builder, OperationState &state, Value memref,
                       AffineMap map, ValueRange indices, bool write) {
  build(builder, state, memref, indices, AffineMapAttr::get(map),
        write ? builder.getUnitAttr() : UnitAttr());
}

ParseResult PrefetchOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand memref;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  MemRefType memrefType;
  if (succeeded(parser.parseOptionalKeyword("write")))
    state.addAttribute(getWriteAttrName(state.name),
                       parser.getBuilder().getUnitAttr());
  return failure(
      parser.parseOperand(memref) ||
      parseSubscripts(parser, getMapAttrName(state.name), state, indices) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(memrefType) ||
      parser.resolveOperand(memref, memrefType, state.operands) ||
      parser.resolveOperands(indices, parser.getBuilder().getIndexType(),
                             state.operands));
}

void PrefetchOp::print(OpAsmPrinter &p) {
  p << (getWrite() ? " write " : " ") << getMemref() << '[';
  p.printAffineMapOfSSAIds(getMapAttr(), getIndices());
  p << ']';
  p.printOptionalAttrDict((*this)->getAttrs(),
                          {getMapAttrName(), getWriteAttrName()});
  p << " : " << getMemref().getType();
}

LogicalResult PrefetchOp::verify() {
  return failure(failed(syntax::verifyMapOperands(
                     *this, getMap(), getIndices().size(), "subscripts")) ||
                 failed(verifySubscripts(*this, getMemRefType(), getMap())));
}

//===----------------------------------------------------------------------===//
// kernel.gather
//===----------------------------------------------------------------------===//

void GatherOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  syntax::printResultName(*this, setName);
}

LogicalResult GatherOp::verify() {
  MemRefType memref = getMemRefType();
  AffineMap map = getMap();
  if (map.getNumDims() != getIndices().size() ||
      map.getNumSymbols() != getDynamic().size())
    return emitOpError() << "has " << getIndices().size() << " indices and "
                         << getDynamic().size()
                         << " dynamic values for a map of " << map.getNumDims()
                         << " dims and " << map.getNumSymbols() << " symbols";
  if (getDynamic().empty())
    return emitOpError("has no dynamic subscript; use kernel.load");
  if (isa<VectorType>(memref.getElementType()))
    return emitOpError("reads from a memref of vectors; gathers read scalars");
  bool vector = isa<VectorType>(getType());
  for (Value value : getDynamic())
    if (isa<VectorType>(value.getType()) && !vector)
      return emitOpError("has a subscript of 16 lanes but a scalar result");
  return failure(
      failed(verifySubscripts(*this, memref, map)) ||
      failed(verifyValueType(*this, memref, getType(), "result")) ||
      failed(verifyMask(*this, memref, getMask(), getType(), getFillAttr())));
}
