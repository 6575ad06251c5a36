// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of dequantised numbers: their codes are multiplied, and what they
// stand for is computed once for each sum. A sum of integers is exact, which
// one of rounded products is not.
#include "passes/Terms.h"
#include "passes/graph/ConstantData.h"
#include "passes/graph/ExpandComposites.h"
#include "passes/graph/Passes.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

const Rule fuse::kQuantisedProductsRule = {
    "quantised.products", RuleArea::QDQ, /*level=*/2, Bits::Changed,
    "Multiplies the codes of dequantised numbers, whose sums are exact, by "
    "those of constant weights."};

/// The dequantisation that makes `value` of integers of `leastBits` to 8 bits,
/// all in f32; null if none does.
static DequantizeOp findDequantize(Value value, unsigned leastBits) {
  auto op = value.getDefiningOp<DequantizeOp>();
  auto codes =
      op ? dyn_cast<IntegerType>(getTensorType(op.getInput()).getElementType())
         : IntegerType();
  return codes && codes.getWidth() >= leastBits && codes.getWidth() <= 8 &&
                 getTensorType(value).getElementType().isF32() &&
                 getTensorType(op.getScale()).getElementType().isF32()
             ? op
             : DequantizeOp();
}

DequantizeOp fuse::getDequantize(Value value) {
  return findDequantize(value, /*leastBits=*/8);
}

/// Whether `parameter`, which repeats over a tensor of rank `rank`, is one
/// number, or null.
static bool isNumber(Value parameter) {
  return !parameter || getTensorType(parameter).getNumElements() == 1;
}

/// Whether it changes along dimension `dim` of the tensor at most.
static bool isAlong(Value parameter, int64_t rank, int64_t dim) {
  if (isNumber(parameter))
    return true;
  ArrayRef<int64_t> shape = getTensorType(parameter).getShape();
  for (auto [position, extent] : llvm::enumerate(shape))
    if (extent != 1 && int64_t(position + rank - shape.size()) != dim)
      return false;
  return true;
}

/// The most terms of sums of products of any two differences of 8-bit numbers
/// that fit 32 bits, with room for a bias.
static constexpr int64_t kMostTerms = (INT32_MAX - (1 << 24)) / (255 * 255);

/// Whether a unit of the target multiplies codes, `terms` for each sum, by
/// those of `weight`. Matrices have whole steps of terms (images are filled up)
/// and leave no zero point of weights to threads, which multiply floats as fast
/// as integers.
static bool multipliesCodes(Operation *op, DequantizeOp weight, int64_t terms) {
  if (countByteTerms(op) == 0)
    return false;
  return !getTargetInfo(op).hasBlocks() ||
         (areSignedWeights(weight.getInput(), weight.getZeroPoint()) &&
          (isa<ConvOp>(op) || alignByteTerms(op, terms) == terms));
}

/// The two operands of a product, if their codes are worth multiplying: of the
/// first, each has the same scale; of the second, constant weights, each along
/// dimension `channels`.
static std::optional<std::pair<DequantizeOp, DequantizeOp>>
findOperands(Operation *op, int64_t channels, int64_t terms) {
  DequantizeOp input = getDequantize(op->getOperand(0)),
               weight = findDequantize(op->getOperand(1), /*leastBits=*/2);
  if (!input || !weight || !multipliesCodes(op, weight, terms) ||
      terms > kMostTerms || !hasConstantData(weight.getInput()))
    return std::nullopt;
  const int64_t rank = getTensorType(weight.getInput()).getRank();
  if (!isNumber(input.getScale()) || !isNumber(input.getZeroPoint()) ||
      !isAlong(weight.getScale(), rank, channels) ||
      !isAlong(weight.getZeroPoint(), rank, channels))
    return std::nullopt;
  return std::pair(input, weight);
}

/// Codes of weights, of 8 bits, and their zero point: of fewer bits these are
/// the differences, of which nothing is to be taken off any more.
static std::pair<Value, Value> getWeights(DequantizeOp weight,
                                          TensorBuilder &b) {
  Value codes = weight.getInput(), zero = weight.getZeroPoint();
  auto type = getTensorType(codes);
  if (type.getElementTypeBitWidth() == 8)
    return {codes, zero};
  Type i8 = b.builder.getI8Type();
  Value wide = b.cast(codes, i8);
  if (zero)
    wide = b.sub(wide, b.broadcast(b.cast(zero, i8), type.getShape()));
  return {wide, Value()};
}

/// A parameter of one number, or one for each channel, as [] or [channels].
static Value flatten(Value parameter, TensorBuilder &b) {
  if (!parameter)
    return {};
  const int64_t count = getTensorType(parameter).getNumElements();
  return count == 1 ? b.reshape(parameter, {}) : b.reshape(parameter, {count});
}

/// Repeats [] or [channels] along dimension `dim` of `shape`.
static Value repeat(Value parameter, ArrayRef<int64_t> shape, int64_t dim,
                    TensorBuilder &b) {
  if (getTensorType(parameter).getRank() == 0)
    return b.broadcast(parameter, shape);
  return b.broadcast(parameter, shape, {dim});
}

static std::optional<SmallVector<float>> getFloats(Value value) {
  std::optional<ConstantData> data = getFixedData(value);
  auto type = getTensorType(value);
  if (!data || !type.getElementType().isF32())
    return std::nullopt;
  ConstantData packed = packData(*data, type);
  SmallVector<float> floats(type.getNumElements());
  if (!floats.empty())
    std::memcpy(floats.data(), packed.bytes.data(),
                floats.size() * sizeof(float));
  return floats;
}

/// The integers in i32 of which `bias`, constants of each channel, are exactly
/// multiples by the scale of the products: then they are terms of the sums as
/// well. Null if some are not.
static Value getBiasCodes(Value bias, Value inputScale, Value weightScale,
                          TensorBuilder &b) {
  auto numbers = getFloats(bias), inputs = getFloats(inputScale),
       weights = getFloats(weightScale);
  if (!numbers || !inputs || !weights ||
      (weights->size() != 1 && weights->size() != numbers->size()))
    return {};
  SmallVector<int32_t> codes;
  for (auto [channel, number] : llvm::enumerate(*numbers)) {
    const float scale =
        inputs->front() * (*weights)[weights->size() == 1 ? 0 : channel];
    const float code = std::nearbyint(number / scale);
    // Sums and the bias together fit 32 bits.
    if (!(std::fabs(code) < 0x1p24f) || code * scale != number)
      return {};
    codes.push_back(int32_t(code));
  }
  ArrayRef<char> bytes(reinterpret_cast<const char *>(codes.data()),
                       codes.size() * sizeof(int32_t));
  return createConstant(b.builder, b.loc,
                        getTensorType(bias).clone(b.builder.getI32Type()),
                        bytes, "bias");
}

/// What `sum`, an i32 of products of codes, stands for, with the bias, which
/// may be null and changes along dimension `dim` at most.
static Value scaleSum(Value sum, DequantizeOp input, DequantizeOp weight,
                      Value bias, int64_t dim, TensorBuilder &b) {
  ArrayRef<int64_t> shape = getTensorType(sum).getShape();
  Value codes = bias
                    ? getBiasCodes(bias, input.getScale(), weight.getScale(), b)
                    : Value();
  if (codes)
    sum = b.add(sum, repeat(codes, shape, dim, b));
  Value weightScale = flatten(weight.getScale(), b);
  Value scale = b.mul(b.broadcast(flatten(input.getScale(), b),
                                  getTensorType(weightScale).getShape()),
                      weightScale);
  Value result =
      b.mul(b.cast(sum, b.builder.getF32Type()), repeat(scale, shape, dim, b));
  if (bias && !codes)
    result = b.add(result, b.broadcast(bias, shape, {dim}));
  return result;
}

namespace {

bool isPadded(ConvOp op) {
  auto isPadding = [](int64_t padding) { return padding != 0; };
  return llvm::any_of(op.getPadLow(), isPadding) ||
         llvm::any_of(op.getPadHigh(), isPadding);
}

// conv(dequantize(x), dequantize(W)) + b
struct FoldConv : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    auto weights = getTensorType(op.getWeight());
    auto found = findOperands(op, /*channels=*/0,
                              weights.getNumElements() /
                                  std::max<int64_t>(1, weights.getDimSize(0)));
    if (!found)
      return failure();
    auto [input, weight] = *found;
    if (getTargetInfo(op).hasBlocks() &&
        (!fillByteChannels(op, weights, int64_t(op.getGroups())) ||
         (isPadded(op) && input.getZeroPoint() &&
          !getUniformInteger(input.getZeroPoint()))))
      return failure();
    TensorBuilder b(rewriter, op.getLoc());
    auto [codes, zero] = getWeights(weight, b);
    auto type = getTensorType(op.getResult());
    Value sum = b.make<ConvIntegerOp>(
        type.clone(b.builder.getI32Type()), input.getInput(), codes,
        input.getZeroPoint(), zero, op.getStrides(), op.getDilations(),
        op.getPadLow(), op.getPadHigh(), op.getGroups());
    rewriter.replaceOp(
        op, scaleSum(sum, input, weight, op.getBias(), /*dim=*/1, b));
    return success();
  }
};

// matmul(dequantize(A), dequantize(B))
struct FoldMatmul : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    auto weights = getTensorType(op.getRhs());
    if (weights.getRank() != 2)
      return failure();
    auto found = findOperands(op, /*channels=*/1, weights.getDimSize(0));
    if (!found)
      return failure();
    auto [input, weight] = *found;
    TensorBuilder b(rewriter, op.getLoc());
    auto [codes, zero] = getWeights(weight, b);
    auto type = getTensorType(op.getResult());
    Value sum = b.make<MatmulIntegerOp>(type.clone(b.builder.getI32Type()),
                                        input.getInput(), codes,
                                        input.getZeroPoint(), zero);
    rewriter.replaceOp(
        op, scaleSum(sum, input, weight, /*bias=*/{}, type.getRank() - 1, b));
    return success();
  }
};

// op(dequantize(A)) op(dequantize(B)) + c
struct FoldGemm : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp op,
                                PatternRewriter &rewriter) const override {
    auto weights = getTensorType(op.getRhs());
    auto type = getTensorType(op.getResult());
    const bool turned = op.getTransRhs();
    if (op.getAlpha().convertToDouble() != 1)
      return failure();
    if (op.getBias() && op.getBeta().convertToDouble() != 1)
      return failure();
    auto found =
        findOperands(op, /*channels=*/!turned, weights.getDimSize(turned));
    if (!found)
      return failure();
    auto [input, weight] = *found;
    TensorBuilder b(rewriter, op.getLoc());
    auto [codes, zero] = getWeights(weight, b);
    auto turn = [&](Value value, bool turns) {
      return turns ? b.transpose(value, {1, 0}) : value;
    };
    Value sum = b.make<MatmulIntegerOp>(
        type.clone(b.builder.getI32Type()),
        turn(input.getInput(), op.getTransLhs()), turn(codes, turned),
        flatten(input.getZeroPoint(), b), flatten(zero, b));
    Value bias = op.getBias();
    const bool isRow = bias && getTensorType(bias).getRank() == 1 &&
                       getTensorType(bias).getDimSize(0) == type.getDimSize(1);
    Value result =
        scaleSum(sum, input, weight, isRow ? bias : Value(), /*dim=*/1, b);
    if (bias && !isRow)
      result = b.add(result, b.broadcast(bias, type.getShape()));
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void fusec::fuse::populateFoldQuantized(RewritePatternSet &patterns) {
  patterns.add<FoldConv, FoldMatmul, FoldGemm>(patterns.getContext());
}
