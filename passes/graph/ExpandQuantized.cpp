// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantised composites: integers with a scale and a zero point. Contractions
// keep their sums in i32.
#include "passes/graph/ExpandComposites.h"

#include "dialects/coded/CodedFloats.h"
#include "passes/Terms.h"
#include "passes/graph/ConstantData.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

using B = TensorBuilder;

static Type elementTypeOf(Value value) {
  return getTensorType(value).getElementType();
}

/// `value - zero` in i32; f8, f6 and f4 in `number`, and so integers of less
/// than a byte, which some processors look up as floats.
static Value subtractZero(Value value, Value zero, B &b, Type number = {}) {
  const bool isNumber =
      isCoded(value.getType()) || (number && isPartOfByte(value.getType()));
  Type type = isNumber ? number : b.builder.getI32Type();
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

/// An operand of a product: `value - zero` in i16, which holds any difference
/// of 8 bits in half the memory of i32, and of which kernels add two products
/// in one step.
static Value makeTerm(Value value, Value zero, B &b) {
  Type narrow = b.builder.getIntegerType(16);
  return b.cast(zero ? subtractZero(value, zero, b) : value, narrow);
}

namespace {
/// Numbers of 8 bits as a unit that adds four products in a step takes them,
/// and their zero point in i32; null where that is 0.
struct Codes {
  Value value, zero;
};
} // namespace

/// `value` and its zero point moved into the numbers of 8 bits without a sign,
/// or of those with one.
static Codes moveCodes(Value value, Value zero, bool isUnsigned, B &b) {
  Type i32 = b.builder.getI32Type();
  if (zero)
    zero = b.cast(zero, i32);
  if (elementTypeOf(value).isUnsignedInteger() == isUnsigned)
    return {value, zero};
  const double distance = isUnsigned ? 128 : -128;
  Value moved = b.add(b.cast(value, i32), distance);
  if (!zero)
    zero = b.scalar(0, i32);
  return {b.cast(moved, isUnsigned ? b.builder.getIntegerType(8, false)
                                   : b.builder.getI8Type()),
          b.add(zero, distance)};
}

/// The number that all elements of a zero point are, whether they are written
/// as one or apart; 0 for a zero point that is not there, nothing if they
/// differ or are computed.
static std::optional<int64_t> getZeroPoint(Value zero) {
  if (!zero)
    return 0;
  if (std::optional<int64_t> uniform = getUniformInteger(zero))
    return uniform;
  std::optional<ConstantData> data = getFixedData(zero);
  if (!data)
    return std::nullopt;
  SmallVector<int64_t> numbers =
      getIntegers(packData(*data, getTensorType(zero)));
  return !numbers.empty() && llvm::all_equal(numbers)
             ? std::optional(numbers.front())
             : std::nullopt;
}

/// Whether `value` is computed from constants alone, as codes of 4 bits in 8
/// bits are, which stay as small as they are until they are multiplied.
static bool isKnown(Value value) {
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t next = 0; next < reached.size(); ++next) {
    if (hasConstantData(reached[next]))
      continue;
    Operation *op = reached[next].getDefiningOp();
    if (!op || op->getNumOperands() == 0 || op->getNumRegions() > 0 ||
        !isMemoryEffectFree(op))
      return false;
    reached.insert_range(op->getOperands());
  }
  return true;
}

bool fuse::areSignedWeights(Value weight, Value zero) {
  auto type = cast<IntegerType>(elementTypeOf(weight));
  return type.getWidth() < 8 ||
         getZeroPoint(zero) == (type.isUnsigned() ? 128 : 0);
}

std::optional<int64_t> fuse::fillByteChannels(Operation *conv,
                                              RankedTensorType weights,
                                              int64_t groups) {
  const int64_t step = countByteTerms(conv), channels = weights.getDimSize(1);
  if (step == 0 || weights.getDimSize(0) / groups < getTargetInfo(conv).lanes)
    return std::nullopt;
  const int64_t filled = std::max(step, alignByteTerms(conv, channels));
  // Most of the terms of a step, as of three colours, are worth it.
  if (channels >= filled || (groups == 1 && 2 * channels > filled))
    return filled;
  return std::nullopt;
}

/// The operands of a contraction of 8-bit numbers with constant weights whose
/// zero point is 0 in numbers with a sign: nothing is taken off either of them
/// before it is multiplied. Nothing, where the weights are others or the target
/// multiplies no such numbers at once.
static std::optional<std::pair<Codes, Codes>>
moveOperands(Operation *op, Value input, Value inputZero, Value weight,
             Value weightZero, B &b) {
  if (countByteTerms(op) == 0 || !isKnown(weight) ||
      !areSignedWeights(weight, weightZero))
    return std::nullopt;
  Codes moved = moveCodes(weight, {}, /*isUnsigned=*/false, b);
  return std::pair(moveCodes(input, inputZero, /*isUnsigned=*/true, b), moved);
}

/// `sum - zero sum(weights)`, of which the sums of weights are repeated along
/// `dims` of the result.
static Value takeZeroOff(Value sum, Value zero, Value weights,
                         ArrayRef<int64_t> dims, B &b) {
  ArrayRef<int64_t> shape = getTensorType(sum).getShape();
  Value zeros = b.broadcast(zero, shape);
  return b.sub(sum, b.mul(zeros, b.broadcast(weights, shape, dims)));
}

/// numpy.matmul(A - a_zero, B - b_zero) in i32.
static Value buildProduct(Operation *op, Value lhs, Value lhsZero, Value rhs,
                          Value rhsZero, ArrayRef<int64_t> shape, B &b) {
  auto rhsType = getTensorType(rhs);
  if (rhsType.getRank() == 2 &&
      alignByteTerms(op, rhsType.getDimSize(0)) == rhsType.getDimSize(0))
    if (auto moved = moveOperands(op, lhs, lhsZero, rhs, rhsZero, b)) {
      auto [left, right] = *moved;
      Value sum = buildMatmul(left.value, right.value, shape, b);
      if (!left.zero)
        return sum;
      Value columns = b.reduce(
          Combiner::Add, b.cast(right.value, b.builder.getI32Type()), {0});
      return takeZeroOff(sum, left.zero, columns, {int64_t(shape.size()) - 1},
                         b);
    }
  Value left = makeTerm(lhs, lhsZero, b), right = makeTerm(rhs, rhsZero, b);
  return buildMatmul(left, right, shape, b);
}

/// The most that a difference of 8-bit numbers and their zero points may be,
/// where `zero` is that of `value`.
static double boundDifference(Value value, Value zero) {
  const bool isUnsigned = elementTypeOf(value).isUnsignedInteger();
  return !isUnsigned && getZeroPoint(zero) == 0 ? 128 : 255;
}

/// Whole numbers within 2^24 as i32.
static Value castWhole(Value numbers, B &b) {
  return b.make<CastOp>(getTensorType(numbers).clone(b.builder.getI32Type()),
                        numbers, /*whole=*/true);
}

/// `value` with zeros behind its channels, dimension 1, `count` in all.
static Value fillChannels(Value value, int64_t count, B &b) {
  auto type = getTensorType(value);
  SmallVector<int64_t> shape(type.getShape());
  shape[1] = count - shape[1];
  if (shape[1] <= 0)
    return value;
  Value zero = b.scalar(0, type.getElementType());
  return b.concat({value, b.broadcast(zero, shape)}, 1);
}

/// A convolution in i32, but for its bias. Padding reads the zero point.
template <typename Op>
static Value buildConv(Op op, Value inputZero, Value weightZero, B &b) {
  ArrayRef<int64_t> shape = getTensorType(op.getResult()).getShape();
  auto weights = getTensorType(op.getWeight());
  Type i32 = b.builder.getI32Type();
  auto build = [&](Value input, Value weight, int64_t fill, Type factors = {}) {
    return buildConvolution({input, weight, shape, op.getStrides(),
                             op.getDilations(), op.getPadLow(), op.getPadHigh(),
                             int64_t(op.getGroups()), fill, factors},
                            b);
  };
  // The sum of the weights of each channel, which a zero point multiplies.
  auto sumWeights = [&](Value weight) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(1, weights.getRank()));
    return b.reduce(Combiner::Add, b.cast(weight, i32), dims);
  };
  auto isZero = [](int64_t padding) { return padding == 0; };
  const bool isPadded = !llvm::all_of(op.getPadLow(), isZero) ||
                        !llvm::all_of(op.getPadHigh(), isZero);
  std::optional<int64_t> fill = getZeroPoint(inputZero);
  const std::optional<int64_t> filled =
      fillByteChannels(op, weights, int64_t(op.getGroups()));
  if (filled && (fill || !isPadded))
    if (auto moved = moveOperands(op, op.getInput(), inputZero, op.getWeight(),
                                  weightZero, b)) {
      auto [input, weight] = *moved;
      if (fill && !elementTypeOf(op.getInput()).isUnsignedInteger())
        *fill += 128;
      Value sum =
          build(fillChannels(input.value, *filled, b),
                fillChannels(weight.value, *filled, b), fill.value_or(0));
      if (!input.zero)
        return sum;
      return takeZeroOff(sum, input.zero, sumWeights(weight.value), {1}, b);
    }
  Value weight = subtractZero(op.getWeight(), weightZero, b);
  // All sums of so few terms are floats, of which a multiply-add takes less.
  const double terms =
      double(weights.getNumElements()) / double(weights.getDimSize(0));
  if (terms * boundDifference(op.getInput(), inputZero) *
          boundDifference(op.getWeight(), weightZero) >
      0x1p24)
    return build(subtractZero(op.getInput(), inputZero, b), weight, 0);
  Type f32 = b.builder.getF32Type();
  Value factors = b.cast(weight, f32);
  // An element that is multiplied by weights of many channels is converted
  // before, once for all of them.
  const bool isRepeated = weights.getDimSize(0) != int64_t(op.getGroups());
  if (isRepeated || !hasConstantData(op.getWeight()) || (!fill && isPadded))
    return castWhole(
        build(b.cast(subtractZero(op.getInput(), inputZero, b), f32), factors,
              0),
        b);
  // Codes are read as they are, and become floats in registers.
  Value sum =
      castWhole(build(op.getInput(), factors, fill.value_or(0), f32), b);
  if (fill == 0)
    return sum;
  return takeZeroOff(sum, b.cast(inputZero, i32), sumWeights(weight), {1}, b);
}

// matmul(A - a_zero, B - b_zero)
static SmallVector<Value> expandMatmulInteger(MatmulIntegerOp op, B &b) {
  return {buildProduct(op, op.getLhs(), op.getLhsZero(), op.getRhs(),
                       op.getRhsZero(),
                       getTensorType(op.getResult()).getShape(), b)};
}

// conv(x - x_zero, W - w_zero)
static SmallVector<Value> expandConvInteger(ConvIntegerOp op, B &b) {
  return {buildConv(op, op.getInputZero(), op.getWeightZero(), b)};
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
  Value sum = buildProduct(op, op.getLhs(), op.getLhsZero(), op.getRhs(),
                           op.getRhsZero(),
                           getTensorType(op.getResult()).getShape(), b);
  return {requantize(sum, op.getLhsScale(), op.getRhsScale(),
                     op.getResultScale(), op.getResultZero(),
                     elementTypeOf(op.getResult()), b)};
}

// saturate(round((conv(x - x_zero, W - w_zero) + bias) (x_scale w_scale /
// y_scale)) + y_zero)
static SmallVector<Value> expandQLinearConv(QLinearConvOp op, B &b) {
  Value sum = buildConv(op, op.getInputZero(), op.getWeightZero(), b);
  if (Value bias = op.getBias())
    sum = b.add(sum, b.broadcast(bias, getTensorType(sum).getShape(), {1}));
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
