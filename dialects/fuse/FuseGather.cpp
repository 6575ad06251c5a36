// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fuse.gather: its text, what is well formed, and its interface.
#include "dialects/AffineRanges.h"
#include "dialects/fuse/FuseOps.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// The maps of a gather whose index tensor takes the place of dimension `axis`:
/// of the operand, then of the indices.
static SmallVector<AffineMap> makeAxisMaps(MLIRContext *context, int64_t rank,
                                           int64_t indexRank, int64_t axis) {
  int64_t numDims = rank - 1 + indexRank;
  SmallVector<AffineExpr> operand, index;
  for (int64_t i = 0; i < axis; ++i)
    operand.push_back(getAffineDimExpr(i, context));
  operand.push_back(getAffineSymbolExpr(0, context));
  for (int64_t i = axis + indexRank; i < numDims; ++i)
    operand.push_back(getAffineDimExpr(i, context));
  for (int64_t i = 0; i < indexRank; ++i)
    index.push_back(getAffineDimExpr(axis + i, context));
  return {AffineMap::get(numDims, 1, operand, context),
          AffineMap::get(numDims, 0, index, context)};
}

static AffineMap mapAt(GatherOp op, unsigned index) {
  return cast<AffineMapAttr>(op.getMaps()[index]).getValue();
}

void GatherOp::build(OpBuilder &builder, OperationState &state,
                     RankedTensorType result, Value operand, Value indices,
                     uint64_t axis) {
  build(builder, state, result, operand, indices,
        builder.getAffineMapArrayAttr(
            makeAxisMaps(builder.getContext(), getTensorType(operand).getRank(),
                         getTensorType(indices).getRank(), axis)));
}

std::optional<int64_t> GatherOp::getAxis() {
  if (getIndices().size() != 1 || getMaps().size() != 2)
    return std::nullopt;
  AffineMap map = mapAt(*this, 0);
  const AffineExpr *axis =
      llvm::find(map.getResults(), getAffineSymbolExpr(0, getContext()));
  int64_t position = axis - map.getResults().begin();
  if (position == map.getNumResults())
    return std::nullopt;
  SmallVector<AffineMap> expected =
      makeAxisMaps(getContext(), getTensorType(getOperand()).getRank(),
                   getTensorType(getIndices().front()).getRank(), position);
  if (map != expected[0] || mapAt(*this, 1) != expected[1])
    return std::nullopt;
  return position;
}

//===- text --------------------------------------------------------------===//

void GatherOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printOperands(getOperands());
  if (std::optional<int64_t> axis = getAxis())
    p << " axis = " << *axis;
  else
    p << " maps = " << getMaps();
  p.printOptionalAttrDict((*this)->getAttrs(), {getMapsAttrName()});
  p << " : " << getOperandTypes() << " -> " << getType();
}

ParseResult GatherOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  Type type;
  ArrayAttr maps;
  int64_t axis = -1;
  SMLoc loc = parser.getCurrentLocation(), form;
  if (parser.parseOperandList(operands) || parser.getCurrentLocation(&form))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("axis"))) {
    if (parser.parseEqual() || parser.parseInteger(axis))
      return failure();
  } else if (parser.parseKeyword("maps") || parser.parseEqual() ||
             parser.parseAttribute(maps)) {
    return failure();
  }
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonTypeList(types) || parser.parseArrow() ||
      parser.parseType(type) ||
      parser.resolveOperands(operands, types, loc, result.operands))
    return failure();
  if (!maps) {
    auto from = types.size() == 2 ? dyn_cast<RankedTensorType>(types[0])
                                  : RankedTensorType();
    auto indices =
        from ? dyn_cast<RankedTensorType>(types[1]) : RankedTensorType();
    if (!indices)
      return parser.emitError(form, "needs one operand and one index tensor "
                                    "with an axis");
    if (axis < 0 || axis >= from.getRank())
      return parser.emitError(form)
             << "has axis " << axis << " at rank " << from.getRank();
    maps = parser.getBuilder().getAffineMapArrayAttr(makeAxisMaps(
        parser.getContext(), from.getRank(), indices.getRank(), axis));
  }
  result.getOrAddProperties<Properties>().maps = maps;
  result.addTypes(type);
  return success();
}

//===- verifier ----------------------------------------------------------===//

/// Checks that `map` leads from `result` into a tensor of `shape` where it uses
/// no symbol.
static LogicalResult verifyMap(GatherOp op, AffineMap map, unsigned number,
                               unsigned numSymbols, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> result = op.getType().getShape();
  if (map.getNumDims() != result.size() || map.getNumSymbols() != numSymbols ||
      map.getNumResults() != shape.size())
    return op.emitOpError() << "needs map " << number << " to take "
                            << result.size() << " dims and " << numSymbols
                            << " symbols to " << shape.size() << " subscripts";
  if (llvm::is_contained(result, 0))
    return success();
  SmallVector<IndexRange> dims;
  for (int64_t extent : result)
    dims.push_back({0, extent - 1});
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    bool isDynamic = false;
    expr.walk(
        [&](AffineExpr part) { isDynamic |= isa<AffineSymbolExpr>(part); });
    if (isDynamic)
      continue;
    IndexRange range = rangeOf(expr, dims);
    if (!range.low || !range.high || *range.low < 0 ||
        *range.high >= shape[position])
      return op.emitOpError()
             << "leads outside dimension " << position << ", of extent "
             << shape[position] << ", by map " << number;
  }
  return success();
}

LogicalResult GatherOp::verify() {
  auto from = getTensorType(getOperand()), to = getType();
  if (getIndices().empty())
    return emitOpError("needs an index tensor");
  for (Value indices : getIndices())
    if (Type type = getTensorType(indices).getElementType();
        !type.isInteger(32) && !type.isInteger(64))
      return emitOpError("needs i32 or i64 indices");
  if (from.getElementType() != to.getElementType())
    return emitOpError("changes the element type");
  if (getMaps().size() != getIndices().size() + 1)
    return emitOpError() << "needs a map for the operand and for each of its "
                         << getIndices().size() << " index tensors";
  if (std::optional<int64_t> axis = getAxis()) {
    SmallVector<int64_t> shape(from.getShape().take_front(*axis));
    llvm::append_range(shape, getTensorType(getIndices()[0]).getShape());
    llvm::append_range(shape, from.getShape().drop_front(*axis + 1));
    if (to.getShape() == ArrayRef<int64_t>(shape))
      return success();
    return emitOpError() << "has result shape [" << to.getShape()
                         << "] but computes [" << shape << "]";
  }
  if (failed(verifyMap(*this, mapAt(*this, 0), 0, getIndices().size(),
                       from.getShape())))
    return failure();
  for (auto [number, indices] : llvm::enumerate(getIndices()))
    if (failed(verifyMap(*this, mapAt(*this, number + 1), number + 1, 0,
                         getTensorType(indices).getShape())))
      return failure();
  return success();
}

//===- interface ---------------------------------------------------------===//

AffineMap GatherOp::getOperandMap(unsigned operand) {
  return mapAt(*this, operand);
}

SmallVector<unsigned> GatherOp::getIndirect(unsigned operand) {
  if (operand != 0)
    return {};
  return llvm::to_vector(llvm::seq(1u, (*this)->getNumOperands()));
}

SmallVector<Value> GatherOp::buildBody(OpBuilder &, Location, ValueRange,
                                       ValueRange elements, ValueRange) {
  return {elements[0]};
}
