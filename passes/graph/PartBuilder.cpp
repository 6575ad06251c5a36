// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values computed part by part.
#include "passes/graph/SplitReduction.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

bool fusec::fuse::isPointwise(PrimitiveOpInterface op) {
  return op->getNumOperands() > 0 && op->getNumResults() == 1 &&
         op.isElementwise();
}

bool fusec::fuse::isRepetition(PrimitiveOpInterface op) {
  if (op->getNumOperands() != 1 || op.hasReduction() || op.getPadding(0) ||
      !op.getIndirect(0).empty())
    return false;
  // Dimensions of the operand, each once and in order.
  AffineMap map = op.getOperandMap(0);
  int64_t last = -1;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || int64_t(dim.getPosition()) <= last)
      return false;
    last = dim.getPosition();
  }
  return map.getNumResults() < map.getNumDims();
}

/// Whether `value` is in memory in any case, or an access of what is.
static bool isStored(Value value, Block *block) {
  Operation *op = value.getDefiningOp();
  auto primitive = dyn_cast_if_present<PrimitiveOpInterface>(op);
  if (!primitive || op->getBlock() != block || primitive.hasReduction())
    return true;
  return op->getNumOperands() == 1 && !isPointwise(primitive) &&
         isStored(op->getOperand(0), block);
}

/// The dimension of operand `number` of `op` that result dimension `dim` is
/// one of, if any.
static std::optional<unsigned> getOperandDim(PrimitiveOpInterface op,
                                             unsigned number, unsigned dim) {
  return op.getOperandMap(number).getResultPosition(
      op.getResultMap(0).getResult(dim));
}

bool fusec::fuse::collectParts(Value value, unsigned dim, Block *block,
                               llvm::SetVector<Operation *> &producers,
                               bool contractsToo) {
  auto op = dyn_cast_if_present<PrimitiveOpInterface>(value.getDefiningOp());
  if (!op || op->getBlock() != block || producers.contains(op))
    return true;
  auto transpose = dyn_cast<TransposeOp>(op.getOperation());
  const bool isIndex = isa<IotaOp>(op.getOperation());
  const bool contracts = contractsToo && isa<ContractOp>(op.getOperation());
  const bool isCopy = contractsToo && transpose && transpose.getStored();
  if (!isRepetition(op) && !isPointwise(op) && !contracts && !isCopy &&
      !isIndex)
    return isStored(value, block);
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    std::optional<unsigned> own = getOperandDim(op, number, dim);
    auto made = dyn_cast_if_present<TransposeOp>(operand.getDefiningOp());
    // A contraction reads what is stored.
    if (own && (!contracts || made) &&
        !collectParts(operand, *own, block, producers, contractsToo))
      return false;
  }
  producers.insert(op);
  return true;
}

static SmallVector<int64_t> getPartShape(ArrayRef<int64_t> shape, unsigned dim,
                                         const Cut &cut) {
  SmallVector<int64_t> result = {cut.parts};
  result.append(shape.begin(), shape.end());
  result[dim + 1] = cut.length;
  return result;
}

Value PartBuilder::build(Value value, unsigned dim) {
  if (Value known = built.lookup({value, dim}))
    return known;
  Operation *op = value.getDefiningOp();
  Value result;
  if (!op || !producers.contains(op))
    result = read(value, dim);
  else if (isPointwise(cast<PrimitiveOpInterface>(op)))
    result = buildElementwise(op, dim);
  else if (auto iota = dyn_cast<IotaOp>(op))
    result = buildIndex(iota, dim);
  else if (auto contraction = dyn_cast<ContractOp>(op))
    result = buildContraction(contraction, dim);
  else if (auto transpose = dyn_cast<TransposeOp>(op))
    result = buildTranspose(transpose, dim);
  else
    result = buildRepetition(cast<PrimitiveOpInterface>(op), dim);
  return built[{value, dim}] = result;
}

Value PartBuilder::buildElementwise(Operation *op, unsigned dim) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, build(operand, dim));
  Operation *clone = b.builder.clone(*op, mapping);
  auto type = getTensorType(op->getResult(0));
  clone->getResult(0).setType(
      type.clone(getPartShape(type.getShape(), dim, cut)));
  return clone->getResult(0);
}

Value PartBuilder::buildRepetition(PrimitiveOpInterface op, unsigned dim) {
  AffineMap map = op.getOperandMap(0);
  Value operand = op->getOperand(0);
  auto shape = getTensorType(op->getResult(0)).getShape();
  std::optional<unsigned> own =
      map.getResultPosition(getAffineDimExpr(dim, op->getContext()));
  SmallVector<int64_t> dims;
  if (own) {
    operand = build(operand, *own);
    dims.push_back(0);
  }
  for (AffineExpr expr : map.getResults())
    dims.push_back(cast<AffineDimExpr>(expr).getPosition() + 1);
  TensorBuilder at(b.builder, op->getLoc());
  return at.broadcast(operand, getPartShape(shape, dim, cut), dims);
}

/// Along the cut dimension, an index is that of the part's first element and
/// the one within the part.
Value PartBuilder::buildIndex(IotaOp op, unsigned dim) {
  TensorBuilder at(b.builder, op->getLoc());
  auto type = getTensorType(op->getResult(0));
  auto parts = type.clone(getPartShape(type.getShape(), dim, cut));
  Value within = at.iota(parts, int64_t(op.getAxis()) + 1);
  if (op.getAxis() != dim)
    return within;
  Value first = at.binary<MulOp>(at.iota(parts, 0), double(cut.length));
  return at.add(first, within);
}

Value PartBuilder::buildContraction(ContractOp op, unsigned dim) {
  auto primitive = cast<PrimitiveOpInterface>(op.getOperation());
  auto iterator = cast<AffineDimExpr>(primitive.getResultMap(0).getResult(dim));
  SmallVector<Value> operands;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    std::optional<unsigned> own = getOperandDim(primitive, number, dim);
    operands.push_back(own ? build(operand, *own) : operand);
  }
  Value result = contract(op, iterator.getPosition(), operands);
  contractions.push_back(result.getDefiningOp<ContractOp>());
  return result;
}

/// Iterators: the part, then as before, the cut one within its part.
Value PartBuilder::contract(ContractOp like, unsigned iterator,
                            ArrayRef<Value> operands) {
  MLIRContext *context = like->getContext();
  AffineExpr cutExpr = getAffineDimExpr(iterator, context);
  const unsigned result = like->getNumOperands();
  SmallVector<AffineMap> maps;
  for (auto [number, attr] : llvm::enumerate(like.getMaps())) {
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    SmallVector<AffineExpr> exprs;
    if (number == result || map.getResultPosition(cutExpr))
      exprs.push_back(getAffineDimExpr(0, context));
    for (AffineExpr expr : map.getResults())
      exprs.push_back(getAffineDimExpr(
          cast<AffineDimExpr>(expr).getPosition() + 1, context));
    maps.push_back(AffineMap::get(map.getNumDims() + 1, 0, exprs, context));
  }
  auto type = like.getType();
  SmallVector<int64_t> shape = {cut.parts};
  llvm::append_range(shape, type.getShape());
  if (std::optional<unsigned> own = cast<AffineMapAttr>(like.getMaps()[result])
                                        .getValue()
                                        .getResultPosition(cutExpr))
    shape[*own + 1] = cut.length;
  TensorBuilder at(b.builder, like->getLoc());
  return at.make<ContractOp>(type.clone(shape), operands[0], operands[1],
                             b.builder.getAffineMapArrayAttr(maps));
}

Value PartBuilder::buildTranspose(TransposeOp op, unsigned dim) {
  SmallVector<int64_t> order = {0};
  for (int64_t d : op.getPerm())
    order.push_back(d + 1);
  Value operand = build(op.getOperand(), op.getPerm()[dim]);
  TensorBuilder at(b.builder, op->getLoc());
  Value result = at.transpose(operand, order);
  if (auto made = result.getDefiningOp<TransposeOp>())
    made.setStored(op.getStored());
  return result;
}

Value PartBuilder::read(Value value, unsigned dim) {
  // Located at the reduction: `value` may be an input, whose name is no node.
  int64_t rank = getTensorType(value).getRank();
  SmallVector<int64_t> last;
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim)
      last.push_back(d);
  last.push_back(dim);
  if (dim + 1 != rank)
    value = b.transpose(value, last);
  auto type = getTensorType(value);
  SmallVector<int64_t> shape(type.getShape().drop_back());
  shape.append({cut.parts, cut.length});
  int64_t one = 1, none = 0, length = cut.length;
  value = b.make<WindowOp>(
      type.clone(shape), value, length, length, one, none,
      cast<TypedAttr>(b.builder.getZeroAttr(type.getElementType())));
  SmallVector<int64_t> first = {rank - 1};
  for (int64_t d = 0; d < rank - 1; ++d)
    first.push_back(d);
  first.insert(first.begin() + 1 + dim, rank);
  return rank == 1 ? value : b.transpose(value, first);
}
