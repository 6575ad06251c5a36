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
