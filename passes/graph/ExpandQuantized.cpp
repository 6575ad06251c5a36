// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantised composites: integers with a scale and a zero point. Contractions
// keep their sums in i32.
#include "passes/graph/ExpandComposites.h"

#include "dialects/coded/CodedFloats.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

using B = TensorBuilder;

static Type elementTypeOf(Value value) {
  return getTensorType(value).getElementType();
}

/// `value - zero` in i32; f8, f6 and f4 in `number`.
static Value subtractZero(Value value, Value zero, B &b, Type number = {}) {
  Type type = isCoded(value.getType()) ? number : b.builder.getI32Type();
  Value wide = b.cast(value, type);
  if (!zero)
    return wide;
  return b.sub(
      wide, b.broadcast(b.cast(zero, type), getTensorType(value).getShape()));
}

// saturate(round(x) + zero). In floats until the end: what is out of range
// there need not fit an integer.
static Value roundAndSaturate(Value x, Value zero, Type coded, B &b) {
  Type type = elementTypeOf(x);
  Value rounded = b.unary<RoundOp>(x);
  if (zero)
    rounded = b.add(
        rounded, b.broadcast(b.cast(zero, type), getTensorType(x).getShape()));
  unsigned bits = coded.getIntOrFloatBitWidth();
  bool isUnsigned = coded.isUnsignedInteger();
  double low = isUnsigned ? 0 : -double(uint64_t(1) << (bits - 1));
  double high = double(uint64_t(1) << (isUnsigned ? bits : bits - 1)) - 1;
  Value inside = b.min(b.max(rounded, low), high);
  return b.cast(inside, coded);
}

// x + zero as f8, f6 or f4, which the cast rounds to. What is too large for the
// type saturates, or is left to the cast.
static Value encodeFloat(Value x, Value zero, FloatType coded, bool saturates,
                         B &b) {
  if (zero)
    x = b.add(x, b.broadcast(b.cast(zero, elementTypeOf(x)),
                             getTensorType(x).getShape()));
  if (!saturates)
    return b.cast(x, coded);
  double largest =
      APFloat::getLargest(coded.getFloatSemantics()).convertToDouble();
  Value inside = b.min(b.max(x, -largest), largest);
  return b.cast(inside, coded);
}

// saturate(round(x / scale) + zero_point)
static SmallVector<Value> expandQuantize(QuantizeOp op, B &b) {
  ArrayRef<int64_t> shape = getTensorType(op.getInput()).getShape();
  Type compute = getComputeType(elementTypeOf(op.getScale()));
  Value scale = b.broadcast(b.cast(op.getScale(), compute), shape);
  Value quotient = b.div(b.cast(op.getInput(), compute), scale);
  Type coded = elementTypeOf(op.getResult());
  if (isCoded(coded))
    return {encodeFloat(quotient, op.getZeroPoint(), cast<FloatType>(coded),
                        !op.getUnsaturated(), b)};
  return {roundAndSaturate(quotient, op.getZeroPoint(), coded, b)};
}

// (x - zero_point) scale
static SmallVector<Value> expandDequantize(DequantizeOp op, B &b) {
  ArrayRef<int64_t> shape = getTensorType(op.getInput()).getShape();
  Type compute = getComputeType(elementTypeOf(op.getScale()));
  Value whole = subtractZero(op.getInput(), op.getZeroPoint(), b, compute);
  Value scale = b.broadcast(b.cast(op.getScale(), compute), shape);
  Value number = b.mul(b.cast(whole, compute), scale);
  return {b.cast(number, elementTypeOf(op.getResult()))};
}

// scale = (high - low) / 255 with low = min(0, min x), high = max(0, max x); 1
// where the range is empty. zero_point = saturate(round(-low / scale)).
static SmallVector<Value> expandDynamicQuantize(DynamicQuantizeOp op, B &b) {
  Value x = op.getInput();
  auto type = getTensorType(x);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  Value high = b.max(b.reduce(Combiner::Max, x, dims), 0.0);
  Value low = b.min(b.reduce(Combiner::Min, x, dims), 0.0);
  Value range = b.sub(high, low);
  Value zero = b.splatLike(0, range);
  Value isEmpty = b.compare(CmpPredicate::eq, range, zero);
  Value one = b.splatLike(1, range);
  Value scale = b.select(isEmpty, one, b.div(range, 255.0));
  Type coded = elementTypeOf(op.getResult());
  Value zeroPoint =
      roundAndSaturate(b.div(b.sub(zero, low), scale), {}, coded, b);
  Value quotient = b.div(x, b.broadcast(scale, type.getShape()));
  return {roundAndSaturate(quotient, zeroPoint, coded, b), scale, zeroPoint};
}

/// An operand of a matrix product: `value - zero` in i16, which holds any
/// difference of 8 bits in half the memory of i32, and of which kernels add two
/// products in one step. (Lanes of a padded convolution load under a mask,
/// which is slow for 16 bits.)
static Value makeTerm(Value value, Value zero, B &b) {
  Type narrow = b.builder.getIntegerType(16);
  return b.cast(zero ? subtractZero(value, zero, b) : value, narrow);
}

/// numpy.matmul in i32.
static Value buildMatmul(Value lhs, Value lhsZero, Value rhs, Value rhsZero,
                         ArrayRef<int64_t> shape, B &b) {
  auto type = RankedTensorType::get(shape, b.builder.getI32Type());
  lhs = makeTerm(lhs, lhsZero, b);
  rhs = makeTerm(rhs, rhsZero, b);
  return b.make<MatmulOp>(type, lhs, rhs);
}

/// A convolution in i32. The zero point is taken off first, so that the padding
/// reads zeros.
template <typename Op>
static Value buildConv(Op op, Value inputZero, Value weightZero, Value bias,
                       B &b) {
  auto type = getTensorType(op.getResult()).clone(b.builder.getI32Type());
  Value input = subtractZero(op.getInput(), inputZero, b);
  Value weight = subtractZero(op.getWeight(), weightZero, b);
  return b.make<ConvOp>(type, input, weight, bias, op.getStrides(),
                        op.getDilations(), op.getPadLow(), op.getPadHigh(),
                        op.getGroups());
}

// matmul(A - a_zero, B - b_zero)
static SmallVector<Value> expandMatmulInteger(MatmulIntegerOp op, B &b) {
  return {buildMatmul(op.getLhs(), op.getLhsZero(), op.getRhs(),
                      op.getRhsZero(), getTensorType(op.getResult()).getShape(),
                      b)};
}

// conv(x - x_zero, W - w_zero)
static SmallVector<Value> expandConvInteger(ConvIntegerOp op, B &b) {
  return {buildConv(op, op.getInputZero(), op.getWeightZero(), {}, b)};
}

/// saturate(round(sum (lhs rhs / result)) + zero): the scales in f32.
static Value requantize(Value sum, Value lhs, Value rhs, Value result,
                        Value zero, Type coded, B &b) {
  ArrayRef<int64_t> shape = getTensorType(sum).getShape();
  Type f32 = b.builder.getF32Type();
  auto widen = [&](Value scale) {
    return b.broadcast(b.cast(scale, f32), shape);
  };
  lhs = widen(lhs);
  rhs = widen(rhs);
  Value product = b.mul(lhs, rhs);
  Value scale = b.div(product, widen(result));
  return roundAndSaturate(b.mul(b.cast(sum, f32), scale), zero, coded, b);
}

// saturate(round(matmul(A - a_zero, B - b_zero) (a_scale b_scale / y_scale)) +
// y_zero)
static SmallVector<Value> expandQLinearMatmul(QLinearMatmulOp op, B &b) {
  Value sum =
      buildMatmul(op.getLhs(), op.getLhsZero(), op.getRhs(), op.getRhsZero(),
                  getTensorType(op.getResult()).getShape(), b);
  return {requantize(sum, op.getLhsScale(), op.getRhsScale(),
                     op.getResultScale(), op.getResultZero(),
                     elementTypeOf(op.getResult()), b)};
}

// saturate(round((conv(x - x_zero, W - w_zero) + bias) (x_scale w_scale /
// y_scale)) + y_zero)
static SmallVector<Value> expandQLinearConv(QLinearConvOp op, B &b) {
  Value sum =
      buildConv(op, op.getInputZero(), op.getWeightZero(), op.getBias(), b);
  // [O, 1...] of the weight is [O, 1...] of the result behind its batch.
  Value scale = op.getWeightScale();
  if (auto type = getTensorType(scale); type.getNumElements() != 1) {
    SmallVector<int64_t> shape(type.getRank() - 1, 1);
    shape[0] = type.getDimSize(0);
    scale = b.reshape(scale, shape);
  } else {
    scale = b.reshape(scale, {});
  }
  return {requantize(sum, op.getInputScale(), scale, op.getResultScale(),
                     op.getResultZero(), elementTypeOf(op.getResult()), b)};
}

void fusec::fuse::populateExpandQuantized(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Expansion<QuantizeOp>>(context, expandQuantize);
  patterns.add<Expansion<DequantizeOp>>(context, expandDequantize);
  patterns.add<Expansion<DynamicQuantizeOp>>(context, expandDynamicQuantize);
  patterns.add<Expansion<MatmulIntegerOp>>(context, expandMatmulInteger);
  patterns.add<Expansion<ConvIntegerOp>>(context, expandConvInteger);
  patterns.add<Expansion<QLinearMatmulOp>>(context, expandQLinearMatmul);
  patterns.add<Expansion<QLinearConvOp>>(context, expandQLinearConv);
}
