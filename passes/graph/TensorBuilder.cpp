// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/TensorBuilder.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

static TypedAttr getNumber(Type type, double value) {
  Builder builder(type.getContext());
  if (isa<FloatType>(type))
    return builder.getFloatAttr(type, value);
  return builder.getIntegerAttr(
      type, APInt(type.getIntOrFloatBitWidth(), static_cast<int64_t>(value),
                  /*isSigned=*/true, /*implicitTrunc=*/true));
}

TypedAttr fusec::fuse::getLowest(Type elementType) {
  // Unsigned integers count from zero, too.
  if (elementType.isUnsignedInteger())
    return Builder(elementType.getContext()).getIntegerAttr(elementType, 0);
  return getNeutral(Combiner::Max, elementType);
}

Value TensorBuilder::scalar(double value, Type elementType) {
  auto type = RankedTensorType::get({}, elementType);
  // Element attributes of the storage types hold numbers of that width.
  return ConstantOp::create(
      builder, loc, type,
      DenseElementsAttr::get(type, Attribute(getNumber(elementType, value))));
}

Value TensorBuilder::splat(double value, RankedTensorType type) {
  return broadcast(scalar(value, type.getElementType()), type.getShape(), {});
}

Value TensorBuilder::compare(CmpPredicate predicate, Value lhs, Value rhs) {
  auto type = getTensorType(lhs).clone(builder.getI1Type());
  return CmpOp::create(builder, loc, type, predicate, lhs, rhs);
}

Value TensorBuilder::select(Value condition, Value lhs, Value rhs) {
  return SelectOp::create(builder, loc, lhs.getType(), condition, lhs, rhs);
}

Value TensorBuilder::cast(Value value, Type elementType) {
  auto type = getTensorType(value);
  if (type.getElementType() == elementType)
    return value;
  return CastOp::create(builder, loc, type.clone(elementType), value);
}

Value TensorBuilder::castToCompute(Value value) {
  return cast(value, getComputeType(getTensorType(value).getElementType()));
}

Value TensorBuilder::broadcast(Value value, ArrayRef<int64_t> shape,
                               ArrayRef<int64_t> dims) {
  auto type = getTensorType(value);
  if (type.getShape() == shape)
    return value;
  return BroadcastOp::create(builder, loc, type.clone(shape), value, dims);
}

Value TensorBuilder::broadcast(Value value, ArrayRef<int64_t> shape) {
  int64_t rank = shape.size(), own = getTensorType(value).getRank();
  return broadcast(value, shape,
                   llvm::to_vector(llvm::seq<int64_t>(rank - own, rank)));
}

Value TensorBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  auto type = getTensorType(value);
  if (type.getShape() == shape)
    return value;
  return ReshapeOp::create(builder, loc, type.clone(shape), value);
}

Value TensorBuilder::slice(Value value, int64_t dim, int64_t offset,
                           int64_t extent, int64_t stride) {
  auto type = getTensorType(value);
  if (stride == 1 && type.getDimSize(dim) == extent)
    return value;
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1);
  SmallVector<int64_t> shape(type.getShape());
  offsets[dim] = offset;
  strides[dim] = stride;
  shape[dim] = extent;
  return make<SliceOp>(type.clone(shape), value, offsets, strides);
}

Value TensorBuilder::transpose(Value value, ArrayRef<int64_t> perm) {
  auto type = getTensorType(value);
  SmallVector<int64_t> shape;
  for (int64_t source : perm)
    shape.push_back(type.getDimSize(source));
  if (llvm::is_sorted(perm))
    return value;
  return TransposeOp::create(builder, loc, type.clone(shape), value, perm);
}

Value TensorBuilder::concat(ArrayRef<Value> values, int64_t dim) {
  auto type = getTensorType(values.front());
  if (values.size() == 1)
    return values.front();
  SmallVector<int64_t> shape(type.getShape());
  for (Value value : values.drop_front())
    shape[dim] += getTensorType(value).getDimSize(dim);
  return make<ConcatOp>(type.clone(shape), values, dim);
}

Value TensorBuilder::iota(RankedTensorType type, int64_t axis) {
  return IotaOp::create(builder, loc, type, axis);
}

Value TensorBuilder::reduce(Combiner combiner, Value value,
                            ArrayRef<int64_t> dims) {
  if (dims.empty())
    return castToCompute(value);
  TypedAttr init = getNeutral(
      combiner, getComputeType(getTensorType(value).getElementType()));
  auto op = ReduceOp::create(
      builder, loc, ValueRange{value}, ArrayRef<TypedAttr>{init}, dims,
      [&](OpBuilder &b, Location loc, ValueRange accumulators,
          ValueRange elements) -> SmallVector<Value> {
        return {
            createCombination(b, loc, combiner, accumulators[0], elements[0])};
      });
  return op.getResult(0);
}

Value TensorBuilder::reduction(ReductionKind kind, Value value,
                               ArrayRef<int64_t> dims) {
  auto type = getTensorType(value);
  SmallVector<int64_t> kept(type.getShape());
  for (int64_t dim : dims)
    kept[dim] = 1;
  return make<ReductionOp>(type.clone(kept), kind, value, dims);
}

Value TensorBuilder::broadcastBack(Value value, ArrayRef<int64_t> shape,
                                   ArrayRef<int64_t> dims) {
  SmallVector<int64_t> kept;
  for (int64_t i = 0, e = shape.size(); i < e; ++i)
    if (!llvm::is_contained(dims, i))
      kept.push_back(i);
  return broadcast(value, shape, kept);
}

Value TensorBuilder::mean(Value value, ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t d : dims)
    count *= getTensorType(value).getDimSize(d);
  Value sum = reduce(Combiner::Add, value, dims);
  return count == 1 ? sum : binary<DivOp>(sum, double(count));
}
