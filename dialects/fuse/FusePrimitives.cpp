// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers, index maps and bodies of the primitives that move data.
#include "dialects/fuse/FuseOps.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;
using utils::IteratorType;

static LogicalResult verifyLength(Operation *op, ArrayRef<int64_t> values,
                                  size_t expected, StringRef what) {
  if (values.size() == expected)
    return success();
  return op->emitOpError() << "needs " << expected << " " << what << ", has "
                           << values.size();
}

static LogicalResult verifySameElementType(Operation *op) {
  Type expected = getTensorType(op->getResult(0)).getElementType();
  for (Value operand : op->getOperands())
    if (getTensorType(operand).getElementType() != expected)
      return op->emitOpError() << "has an operand of element type "
                               << getTensorType(operand).getElementType()
                               << " but a result of " << expected;
  return success();
}

static LogicalResult verifyShape(Operation *op, ArrayRef<int64_t> expected) {
  ArrayRef<int64_t> actual = getTensorType(op->getResult(0)).getShape();
  if (actual == expected)
    return success();
  return op->emitOpError() << "has result shape [" << actual
                           << "] but computes [" << expected << "]";
}

static AffineExpr dim(MLIRContext *context, int64_t position) {
  return getAffineDimExpr(position, context);
}

OpFoldResult fusec::fuse::foldMove(Operation *op) {
  auto primitive = cast<PrimitiveOpInterface>(op);
  SmallVector<unsigned> indices; // say where to read, and are not moved
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    llvm::append_range(indices, primitive.getIndirect(i));
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (!llvm::is_contained(indices, i) &&
        operand.getType() == op->getResult(0).getType() &&
        primitive.getOperandMap(i).isIdentity())
      return operand;
  return {};
}

//===- broadcast ---------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto from = getTensorType(getOperand()), to = getTensorType(getResult());
  if (failed(verifySameElementType(*this)) ||
      failed(verifyLength(*this, getDims(), from.getRank(), "dims")))
    return failure();
  int64_t previous = -1;
  for (auto [index, target] : llvm::enumerate(getDims())) {
    if (target <= previous || target >= to.getRank())
      return emitOpError() << "needs increasing dims below the result's rank "
                           << to.getRank() << ", has [" << getDims() << "]";
    previous = target;
    int64_t extent = from.getDimSize(index);
    if (extent != 1 && extent != to.getDimSize(target))
      return emitOpError() << "cannot repeat dimension " << index
                           << " of extent " << extent << " to "
                           << to.getDimSize(target);
  }
  return success();
}

AffineMap BroadcastOp::getOperandMap(unsigned) {
  auto from = getTensorType(getOperand()), to = getTensorType(getResult());
  SmallVector<AffineExpr> exprs;
  for (auto [index, target] : llvm::enumerate(getDims()))
    exprs.push_back(from.getDimSize(index) == to.getDimSize(target)
                        ? dim(getContext(), target)
                        : getAffineConstantExpr(0, getContext()));
  return AffineMap::get(to.getRank(), 0, exprs, getContext());
}

SmallVector<Value> BroadcastOp::buildBody(OpBuilder &, Location, ValueRange,
                                          ValueRange elements, ValueRange) {
  return {elements[0]};
}

//===- transpose ---------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  auto from = getTensorType(getOperand());
  if (failed(verifySameElementType(*this)) ||
      failed(verifyLength(*this, getPerm(), from.getRank(), "perm entries")))
    return failure();
  if (!isPermutationVector(getPerm()))
    return emitOpError() << "needs a permutation, has [" << getPerm() << "]";
  SmallVector<int64_t> shape;
  for (int64_t source : getPerm())
    shape.push_back(from.getDimSize(source));
  return verifyShape(*this, shape);
}

AffineMap TransposeOp::getOperandMap(unsigned) {
  return inversePermutation(
      AffineMap::getPermutationMap(getPerm(), getContext()));
}

SmallVector<Value> TransposeOp::buildBody(OpBuilder &, Location, ValueRange,
                                          ValueRange elements, ValueRange) {
  return {elements[0]};
}

//===- slice -------------------------------------------------------------===//

LogicalResult SliceOp::verify() {
  auto from = getTensorType(getOperand()), to = getTensorType(getResult());
  if (failed(verifySameElementType(*this)) ||
      failed(verifyLength(*this, getOffsets(), from.getRank(), "offsets")) ||
      failed(verifyLength(*this, getStrides(), from.getRank(), "strides")) ||
      failed(verifyLength(*this, to.getShape(), from.getRank(),
                          "result dimensions")))
    return failure();
  for (int64_t i = 0; i < from.getRank(); ++i) {
    if (to.getDimSize(i) == 0)
      continue;
    int64_t first = getOffsets()[i];
    int64_t last = first + (to.getDimSize(i) - 1) * getStrides()[i];
    if (std::min(first, last) < 0 ||
        std::max(first, last) >= from.getDimSize(i))
      return emitOpError() << "reads [" << first << ", " << last
                           << "] of dimension " << i << ", whose extent is "
                           << from.getDimSize(i);
  }
  return success();
}

AffineMap SliceOp::getOperandMap(unsigned) {
  SmallVector<AffineExpr> exprs;
  for (auto [i, offset] : llvm::enumerate(getOffsets()))
    exprs.push_back(dim(getContext(), i) * getStrides()[i] + offset);
  return AffineMap::get(exprs.size(), 0, exprs, getContext());
}

SmallVector<Value> SliceOp::buildBody(OpBuilder &, Location, ValueRange,
                                      ValueRange elements, ValueRange) {
  return {elements[0]};
}

//===- pad, window -------------------------------------------------------===//

static LogicalResult verifyFill(Operation *op, TypedAttr fill) {
  Type expected = getTensorType(op->getResult(0)).getElementType();
  if (fill.getType() == expected)
    return success();
  return op->emitOpError() << "has a fill of type " << fill.getType()
                           << " for elements of " << expected;
}

LogicalResult PadOp::verify() {
  auto from = getTensorType(getOperand());
  if (failed(verifySameElementType(*this)) ||
      failed(verifyFill(*this, getFill())) ||
      failed(verifyLength(*this, getLow(), from.getRank(), "low pads")) ||
      failed(verifyLength(*this, getHigh(), from.getRank(), "high pads")))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < from.getRank(); ++i) {
    if (getLow()[i] < 0 || getHigh()[i] < 0)
      return emitOpError("cannot pad by a negative amount; crop with a slice");
    shape.push_back(getLow()[i] + from.getDimSize(i) + getHigh()[i]);
  }
  return verifyShape(*this, shape);
}

AffineMap PadOp::getOperandMap(unsigned) {
  SmallVector<AffineExpr> exprs;
  for (auto [i, low] : llvm::enumerate(getLow()))
    exprs.push_back(dim(getContext(), i) - low);
  return AffineMap::get(exprs.size(), 0, exprs, getContext());
}

TypedAttr PadOp::getPadding(unsigned) { return getFill(); }

SmallVector<Value> PadOp::buildBody(OpBuilder &, Location, ValueRange,
                                    ValueRange elements, ValueRange) {
  return {elements[0]};
}

LogicalResult WindowOp::verify() {
  auto from = getTensorType(getOperand()), to = getTensorType(getResult());
  size_t count = getSizes().size();
  if (int64_t(count) > from.getRank())
    return emitOpError() << "windows " << count
                         << " dimensions of an operand of rank "
                         << from.getRank();
  if (failed(verifySameElementType(*this)) ||
      failed(verifyFill(*this, getFill())) ||
      failed(verifyLength(*this, getStrides(), count, "strides")) ||
      failed(verifyLength(*this, getDilations(), count, "dilations")) ||
      failed(verifyLength(*this, getPadLow(), count, "low pads")) ||
      failed(verifyLength(*this, to.getShape(), from.getRank() + count,
                          "result dimensions")))
    return failure();
  for (size_t i = 0; i < count; ++i)
    if (getSizes()[i] < 1 || getStrides()[i] < 1 || getDilations()[i] < 1)
      return emitOpError("needs positive sizes, strides and dilations");
  if (to.getShape().take_back(count) != getSizes())
    return emitOpError() << "needs the window sizes [" << getSizes()
                         << "] as last result dimensions";
  size_t outer = from.getRank() - count;
  if (to.getShape().take_front(outer) != from.getShape().take_front(outer))
    return emitOpError("changes a dimension that it does not window");
  return success();
}

AffineMap WindowOp::getOperandMap(unsigned) {
  int64_t rank = getTensorType(getOperand()).getRank();
  int64_t count = getSizes().size(), outer = rank - count;
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < outer; ++i)
    exprs.push_back(dim(getContext(), i));
  for (int64_t i = 0; i < count; ++i)
    exprs.push_back(dim(getContext(), outer + i) * getStrides()[i] +
                    dim(getContext(), rank + i) * getDilations()[i] -
                    getPadLow()[i]);
  return AffineMap::get(rank + count, 0, exprs, getContext());
}

TypedAttr WindowOp::getPadding(unsigned) { return getFill(); }

SmallVector<Value> WindowOp::buildBody(OpBuilder &, Location, ValueRange,
                                       ValueRange elements, ValueRange) {
  return {elements[0]};
}

//===- concat, iota, reshape ---------------------------------------------===//

LogicalResult ConcatOp::verify() {
  auto to = getTensorType(getResult());
  if (getOperands().empty())
    return emitOpError("needs an operand");
  if (int64_t axis = getAxis(); axis < 0 || axis >= to.getRank())
    return emitOpError() << "has axis " << axis << " at rank " << to.getRank();
  if (failed(verifySameElementType(*this)))
    return failure();
  SmallVector<int64_t> shape(to.getShape());
  shape[getAxis()] = 0;
  for (Value operand : getOperands()) {
    auto from = getTensorType(operand);
    if (from.getRank() != to.getRank())
      return emitOpError("has operands of different ranks");
    for (int64_t i = 0; i < to.getRank(); ++i)
      if (i != int64_t(getAxis()) && from.getDimSize(i) != to.getDimSize(i))
        return emitOpError() << "has operands that differ in dimension " << i;
    shape[getAxis()] += from.getDimSize(getAxis());
  }
  return verifyShape(*this, shape);
}

int64_t ConcatOp::getOffset(unsigned operand) {
  int64_t offset = 0;
  for (Value before : getOperands().take_front(operand))
    offset += getTensorType(before).getDimSize(getAxis());
  return offset;
}

AffineMap ConcatOp::getOperandMap(unsigned operand) {
  int64_t rank = getTensorType(getResult()).getRank();
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < rank; ++i)
    exprs.push_back(dim(getContext(), i));
  exprs[getAxis()] = exprs[getAxis()] - getOffset(operand);
  return AffineMap::get(rank, 0, exprs, getContext());
}

AffineMap ConcatOp::getPlacement(unsigned operand) {
  int64_t rank = getTensorType(getResult()).getRank();
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < rank; ++i)
    exprs.push_back(dim(getContext(), i));
  exprs[getAxis()] = exprs[getAxis()] + getOffset(operand);
  return AffineMap::get(rank, 0, exprs, getContext());
}

TypedAttr ConcatOp::getPadding(unsigned) {
  return Builder(getContext())
      .getZeroAttr(getTensorType(getResult()).getElementType());
}

SmallVector<Value> ConcatOp::buildBody(OpBuilder &b, Location loc,
                                       ValueRange indices, ValueRange elements,
                                       ValueRange) {
  Value chosen = elements.back();
  for (int64_t i = int64_t(elements.size()) - 2; i >= 0; --i) {
    Value end = arith::ConstantIndexOp::create(b, loc, getOffset(i + 1));
    Value before = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                         indices[getAxis()], end);
    chosen = arith::SelectOp::create(b, loc, before, elements[i], chosen);
  }
  return {chosen};
}

LogicalResult IotaOp::verify() {
  int64_t axis = getAxis(), rank = getTensorType(getResult()).getRank();
  if (axis < 0 || axis >= rank)
    return emitOpError() << "has axis " << axis << " at rank " << rank;
  return success();
}

SmallVector<Value> IotaOp::buildBody(OpBuilder &b, Location loc,
                                     ValueRange indices, ValueRange,
                                     ValueRange) {
  Type to = getComputeType(getTensorType(getResult()).getElementType());
  Value index = indices[getAxis()];
  if (!isa<FloatType>(to))
    return {arith::IndexCastOp::create(b, loc, to, index)};
  Value wide = arith::IndexCastOp::create(b, loc, b.getI32Type(), index);
  return {arith::SIToFPOp::create(b, loc, to, wide)};
}

LogicalResult ReshapeOp::verify() {
  auto from = getTensorType(getOperand()), to = getTensorType(getResult());
  if (failed(verifySameElementType(*this)))
    return failure();
  if (from.getNumElements() != to.getNumElements())
    return emitOpError() << "has " << from.getNumElements()
                         << " elements in and " << to.getNumElements()
                         << " out";
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto before = getOperand().getDefiningOp<ReshapeOp>()) {
    getOperandMutable().assign(before.getOperand());
    return getResult();
  }
  return {};
}
