// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers, index maps and bodies of the primitives that move, contract or
// reduce.
#include "dialects/fuse/FuseOps.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"

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

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  return getOperand().getType() == getType() ? getOperand() : OpFoldResult();
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

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  return llvm::equal(getPerm(), llvm::seq<int64_t>(0, getPerm().size()))
             ? getOperand()
             : OpFoldResult();
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

OpFoldResult SliceOp::fold(FoldAdaptor) {
  bool whole = getOperand().getType() == getType() &&
               llvm::all_of(getOffsets(), [](int64_t o) { return o == 0; }) &&
               llvm::all_of(getStrides(), [](int64_t s) { return s == 1; });
  return whole ? getOperand() : OpFoldResult();
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
  if (failed(verifySameElementType(*this)) || failed(verifyFill(*this, getFill())) ||
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

TypedAttr PadOp::getFill(unsigned) { return getFill(); }

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
  if (failed(verifySameElementType(*this)) || failed(verifyFill(*this, getFill())) ||
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

TypedAttr WindowOp::getFill(unsigned) { return getFill(); }

SmallVector<Value> WindowOp::buildBody(OpBuilder &, Location, ValueRange,
                                       ValueRange elements, ValueRange) {
  return {elements[0]};
}

//===- concat, gather, iota, reshape -------------------------------------===//

LogicalResult ConcatOp::verify() {
  auto to = getTensorType(getResult());
  if (getOperands().empty())
    return emitOpError("needs an operand");
  if (getAxis() < 0 || int64_t(getAxis()) >= to.getRank())
    return emitOpError() << "has axis " << getAxis() << " at rank "
                         << to.getRank();
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

TypedAttr ConcatOp::getFill(unsigned) {
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

LogicalResult GatherOp::verify() {
  auto from = getTensorType(getOperand()), to = getTensorType(getResult());
  auto indices = getTensorType(getIndices());
  if (!indices.getElementType().isInteger(32) &&
      !indices.getElementType().isInteger(64))
    return emitOpError("needs i32 or i64 indices");
  if (from.getElementType() != to.getElementType())
    return emitOpError("changes the element type");
  int64_t axis = getAxis();
  if (axis < 0 || axis >= from.getRank())
    return emitOpError() << "has axis " << axis << " at rank "
                         << from.getRank();
  SmallVector<int64_t> shape(from.getShape().take_front(axis));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, from.getShape().drop_front(axis + 1));
  return verifyShape(*this, shape);
}

AffineMap GatherOp::getOperandMap(unsigned operand) {
  int64_t rank = getTensorType(getResult()).getRank();
  int64_t indexRank = getTensorType(getIndices()).getRank();
  int64_t axis = getAxis();
  SmallVector<AffineExpr> exprs;
  if (operand == 1) {
    for (int64_t i = 0; i < indexRank; ++i)
      exprs.push_back(dim(getContext(), axis + i));
    return AffineMap::get(rank, 0, exprs, getContext());
  }
  for (int64_t i = 0; i < axis; ++i)
    exprs.push_back(dim(getContext(), i));
  exprs.push_back(getAffineSymbolExpr(0, getContext()));
  for (int64_t i = axis + indexRank; i < rank; ++i)
    exprs.push_back(dim(getContext(), i));
  return AffineMap::get(rank, 1, exprs, getContext());
}

SmallVector<unsigned> GatherOp::getIndirect(unsigned operand) {
  return operand == 0 ? SmallVector<unsigned>{1} : SmallVector<unsigned>{};
}

SmallVector<Value> GatherOp::buildBody(OpBuilder &, Location, ValueRange,
                                       ValueRange elements, ValueRange) {
  return {elements[0]};
}

LogicalResult IotaOp::verify() {
  if (getAxis() < 0 || int64_t(getAxis()) >= getTensorType(getResult()).getRank())
    return emitOpError() << "has axis " << getAxis() << " at rank "
                         << getTensorType(getResult()).getRank();
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

//===- contract ----------------------------------------------------------===//

static AffineMap mapAt(ContractOp op, unsigned index) {
  return cast<AffineMapAttr>(op.getMaps()[index]).getValue();
}

LogicalResult ContractOp::verify() {
  if (getMaps().size() != 3)
    return emitOpError("needs three maps: lhs, rhs, result");
  unsigned count = mapAt(*this, 0).getNumDims();
  SmallVector<int64_t> extents(count, -1);
  Value tensors[] = {getLhs(), getRhs(), getResult()};
  for (auto [index, tensor] : llvm::enumerate(tensors)) {
    AffineMap map = mapAt(*this, index);
    auto type = getTensorType(tensor);
    if (map.getNumDims() != count || map.getNumSymbols() != 0 ||
        !map.isProjectedPermutation())
      return emitOpError() << "needs map " << index
                           << " to be a projected permutation of " << count
                           << " iterators";
    if (map.getNumResults() != type.getRank())
      return emitOpError() << "has map " << index << " with "
                           << map.getNumResults()
                           << " results for a tensor of rank "
                           << type.getRank();
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      int64_t &extent = extents[cast<AffineDimExpr>(expr).getPosition()];
      int64_t actual = type.getDimSize(position);
      if (extent != -1 && extent != actual)
        return emitOpError()
               << "has iterator " << cast<AffineDimExpr>(expr).getPosition()
               << " with extents " << extent << " and " << actual;
      extent = actual;
    }
  }
  if (llvm::is_contained(extents, -1))
    return emitOpError("has an iterator that no tensor uses");
  SmallVector<IteratorType> iterators = getIterators();
  if (!llvm::is_sorted(iterators, [](IteratorType a, IteratorType b) {
        return a == IteratorType::parallel && b == IteratorType::reduction;
      }))
    return emitOpError("needs parallel iterators before reduction iterators");
  return success();
}

SmallVector<int64_t> ContractOp::getIterationExtents() {
  SmallVector<int64_t> extents(mapAt(*this, 0).getNumDims());
  Value tensors[] = {getLhs(), getRhs(), getResult()};
  for (auto [index, tensor] : llvm::enumerate(tensors))
    for (auto [position, expr] : llvm::enumerate(mapAt(*this, index).getResults()))
      extents[cast<AffineDimExpr>(expr).getPosition()] =
          getTensorType(tensor).getDimSize(position);
  return extents;
}

SmallVector<IteratorType> ContractOp::getIterators() {
  SmallVector<IteratorType> iterators(mapAt(*this, 0).getNumDims(),
                                      IteratorType::reduction);
  for (AffineExpr expr : mapAt(*this, 2).getResults())
    iterators[cast<AffineDimExpr>(expr).getPosition()] = IteratorType::parallel;
  return iterators;
}

AffineMap ContractOp::getOperandMap(unsigned operand) {
  return mapAt(*this, operand);
}

AffineMap ContractOp::getResultMap(unsigned) { return mapAt(*this, 2); }

TypedAttr ContractOp::getInit(unsigned) {
  return Builder(getContext())
      .getZeroAttr(getComputeType(getTensorType(getResult()).getElementType()));
}

SmallVector<Value> ContractOp::buildBody(OpBuilder &b, Location loc,
                                         ValueRange, ValueRange elements,
                                         ValueRange accumulators) {
  Value acc = accumulators[0];
  if (isa<FloatType>(acc.getType()))
    return {math::FmaOp::create(b, loc, elements[0], elements[1], acc)};
  Value product = arith::MulIOp::create(b, loc, elements[0], elements[1]);
  return {arith::AddIOp::create(b, loc, acc, product)};
}

//===- reduce ------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  if (getInputs().empty())
    return emitOpError("needs an input");
  auto first = getTensorType(getInputs().front());
  int64_t previous = -1;
  for (int64_t d : getDims()) {
    if (d <= previous || d >= first.getRank())
      return emitOpError() << "needs increasing dims below the rank "
                           << first.getRank() << ", has [" << getDims() << "]";
    previous = d;
  }
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < first.getRank(); ++i)
    if (!llvm::is_contained(getDims(), i))
      kept.push_back(first.getDimSize(i));
  SmallVector<Type> expected;
  for (Value result : getResults()) {
    auto type = getTensorType(result);
    if (type.getShape() != ArrayRef<int64_t>(kept))
      return emitOpError() << "has result shape [" << type.getShape()
                           << "] but computes [" << kept << "]";
    expected.push_back(getComputeType(type.getElementType()));
  }
  if (getInits().size() != getResults().size())
    return emitOpError() << "needs one init for each of its "
                         << getResults().size() << " results, has "
                         << getInits().size();
  for (auto [init, type] : llvm::zip(getInits(), expected))
    if (!isa<TypedAttr>(init) || cast<TypedAttr>(init).getType() != type)
      return emitOpError() << "needs an init of type " << type << ", has "
                           << init;
  size_t accumulators = expected.size();
  for (Value input : getInputs()) {
    if (getTensorType(input).getShape() != first.getShape())
      return emitOpError("has inputs of different shapes");
    expected.push_back(getComputeType(getTensorType(input).getElementType()));
  }
  Block &block = getCombiner().front();
  if (TypeRange(block.getArgumentTypes()) != TypeRange(expected))
    return emitOpError()
           << "needs combiner arguments " << TypeRange(expected) << ", has "
           << TypeRange(block.getArgumentTypes());
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || TypeRange(yield.getValues()) !=
                    TypeRange(expected).take_front(accumulators))
    return emitOpError("needs a combiner that yields one value per result");
  for (Operation &op : block.without_terminator())
    if (op.getNumRegions() || !isMemoryEffectFree(&op))
      return emitOpError("needs a combiner of pure scalar operations")
                 .attachNote(op.getLoc())
             << "this operation is not one";
  return success();
}

SmallVector<int64_t> ReduceOp::getIterationExtents() {
  auto type = getTensorType(getInputs().front());
  SmallVector<int64_t> extents;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (!llvm::is_contained(getDims(), i))
      extents.push_back(type.getDimSize(i));
  for (int64_t d : getDims())
    extents.push_back(type.getDimSize(d));
  return extents;
}

SmallVector<IteratorType> ReduceOp::getIterators() {
  size_t rank = getTensorType(getInputs().front()).getRank();
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  for (size_t i = rank - getDims().size(); i < rank; ++i)
    iterators[i] = IteratorType::reduction;
  return iterators;
}

AffineMap ReduceOp::getOperandMap(unsigned) {
  int64_t rank = getTensorType(getInputs().front()).getRank();
  int64_t parallel = 0, reduced = rank - getDims().size();
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < rank; ++i)
    exprs.push_back(dim(getContext(), llvm::is_contained(getDims(), i)
                                          ? reduced++
                                          : parallel++));
  return AffineMap::get(rank, 0, exprs, getContext());
}

AffineMap ReduceOp::getResultMap(unsigned) {
  int64_t rank = getTensorType(getInputs().front()).getRank();
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0, e = rank - getDims().size(); i < e; ++i)
    exprs.push_back(dim(getContext(), i));
  return AffineMap::get(rank, 0, exprs, getContext());
}

TypedAttr ReduceOp::getInit(unsigned result) {
  return cast<TypedAttr>(getInits()[result]);
}

SmallVector<Value> ReduceOp::buildBody(OpBuilder &b, Location, ValueRange,
                                       ValueRange elements,
                                       ValueRange accumulators) {
  Block &block = getCombiner().front();
  IRMapping mapping;
  SmallVector<Value> arguments(accumulators);
  llvm::append_range(arguments, elements);
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    b.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : cast<YieldOp>(block.getTerminator()).getValues())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

void ReduceOp::build(
    OpBuilder &builder, OperationState &state, ValueRange inputs,
    ArrayRef<TypedAttr> inits, ArrayRef<int64_t> dims,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange,
                                          ValueRange)>
        combiner) {
  auto first = getTensorType(inputs.front());
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < first.getRank(); ++i)
    if (!llvm::is_contained(dims, i))
      kept.push_back(first.getDimSize(i));
  state.addOperands(inputs);
  SmallVector<Attribute> initAttrs(inits.begin(), inits.end());
  state.addAttribute(getInitsAttrName(state.name),
                     builder.getArrayAttr(initAttrs));
  state.addAttribute(getDimsAttrName(state.name),
                     builder.getDenseI64ArrayAttr(dims));
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(state.addRegion());
  for (TypedAttr init : inits) {
    state.addTypes(RankedTensorType::get(kept, init.getType()));
    block->addArgument(init.getType(), state.location);
  }
  for (Value input : inputs)
    block->addArgument(getComputeType(getTensorType(input).getElementType()),
                       state.location);
  SmallVector<Value> results = combiner(
      builder, state.location, block->getArguments().take_front(inits.size()),
      block->getArguments().drop_front(inits.size()));
  YieldOp::create(builder, state.location, results);
}
