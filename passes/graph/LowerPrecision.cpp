// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/LowerPrecision.h"

#include "passes/Terms.h"
#include "passes/graph/ConstantData.h"
#include "passes/graph/Evaluate.h"
#include "passes/graph/Precision.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// The largest code of a constant, whose least is its opposite, and of what is
/// computed, whose least is 0.
static constexpr float kLargestSigned = 127, kLargestUnsigned = 255;

/// The least step from code to code: its reciprocal is finite, and a row of
/// zeros has codes as well.
static constexpr float kLeastStep = std::numeric_limits<float>::min();

/// The most terms of a sum of products of any two codes that fits 32 bits.
static constexpr int64_t kMostTerms =
    INT32_MAX / int64_t(kLargestSigned * kLargestUnsigned);

//===----------------------------------------------------------------------===//
// What the product is like
//===----------------------------------------------------------------------===//

static bool hasF32(Value value) {
  return getTensorType(value).getElementType().isF32();
}

/// Whether `value` is an access by which an element of memory is read at
/// several places, as those of a window are.
static bool repeatsElements(Value value) {
  for (Operation *op = value.getDefiningOp();
       op && op->getNumOperands() == 1 && !isa<CastOp>(op);
       op = op->getOperand(0).getDefiningOp()) {
    auto primitive = dyn_cast<PrimitiveOpInterface>(op);
    if (isa<ReshapeOp>(op))
      continue;
    if (!primitive || primitive.hasReduction() || primitive.isElementwise())
      return false;
    if (getTensorType(op->getOperand(0)).getNumElements() <
        getTensorType(op->getResult(0)).getNumElements())
      return true;
  }
  return false;
}

SmallVector<unsigned> LowerPrecision::getIterators(unsigned operand) const {
  ContractOp contract = op;
  return llvm::map_to_vector(
      contract.getOperandMap(operand).getResults(),
      [](AffineExpr expr) { return cast<AffineDimExpr>(expr).getPosition(); });
}

SmallVector<int64_t> LowerPrecision::getOuter(unsigned operand) const {
  ContractOp contract = op;
  SmallVector<int64_t> outer;
  for (auto [dim, iterator] : llvm::enumerate(getIterators(operand)))
    if (contract.getResultMap(0).isFunctionOfDim(iterator))
      outer.push_back(dim);
  return outer;
}

/// Why the target has no unit for what the operands become, or an empty text.
std::string LowerPrecision::findUnitObstacle() const {
  const TargetInfo &target = getTargetInfo(ContractOp(op));
  if (precision == Precision::int8Activations && !getByteUnit(target))
    return "the target adds no products of bytes, several at a time, to a sum";
  if (precision == Precision::bf16Activations && !getBf16Unit(target))
    return "the target adds no products of bf16, several at a time, to a sum";
  return "";
}

/// Why the operands are not multiplied several terms at a time as codes or as
/// bf16, or an empty text.
std::string LowerPrecision::findObstacle() const {
  if (std::string obstacle = findUnitObstacle(); !obstacle.empty())
    return obstacle;
  PrimitiveOpInterface primitive = ContractOp(op);
  const TargetInfo &target = getTargetInfo(primitive);
  const unsigned computed = 1 - constant;
  const SmallVector<unsigned> factors = getIterators(computed),
                              weights = getIterators(constant);
  int64_t terms = 1, channels = 1;
  for (auto [iterator, extent] :
       llvm::enumerate(primitive.getIterationExtents())) {
    const bool isOfResult = primitive.getResultMap(0).isFunctionOfDim(iterator);
    if (!isOfResult && !(llvm::is_contained(factors, iterator) &&
                         llvm::is_contained(weights, iterator)))
      return "a sum runs over what one of its operands lacks";
    if (!isOfResult)
      terms *= extent;
    else if (!llvm::is_contained(factors, iterator))
      channels *= extent;
  }
  if (precision == Precision::int8Activations && terms > kMostTerms)
    return "a sum has more than " + std::to_string(kMostTerms) +
           " terms, and may not fit 32 bits";
  if (channels < target.lanes)
    return "its constants have fewer channels than a vector has lanes";
  if (!endsInTerms(primitive, primitive.getOperandMap(computed)) ||
      factors.back() + 1 != primitive.getOperandMap(computed).getNumDims())
    return "the terms of a sum do not lie side by side in what is computed";
  if (endsInTerms(primitive, primitive.getOperandMap(constant)) ||
      !llvm::is_sorted(ArrayRef(weights).drop_back()))
    return "its constants do not lie as lanes read them";
  if (repeatsElements(primitive->getOperand(computed)))
    return "an element of what is computed is read at several places, and "
           "would be made anew for each";
  return "";
}

FailureOr<LowerPrecision> LowerPrecision::plan(PrimitiveOpInterface primitive,
                                               Precision precision,
                                               std::string &reason) {
  auto refuse = [&](const llvm::Twine &why) {
    reason = why.str();
    return failure();
  };
  auto op = dyn_cast<ContractOp>(primitive.getOperation());
  if (!op || !hasF32(op.getLhs()) || !hasF32(op.getRhs()) ||
      !hasF32(op.getResult()))
    return refuse("");
  if (isPrecise(op))
    return refuse("a last bit of its result decides about something");
  if (getTargetInfo(op).hasBlocks())
    return refuse("the target is no CPU");
  const bool areConstant[] = {hasConstantData(op.getLhs()),
                              hasConstantData(op.getRhs())};
  if (areConstant[0] == areConstant[1])
    return refuse("neither of its operands is a constant in f32");
  LowerPrecision plan(op, precision, areConstant[0] ? 0 : 1);
  if (precision != Precision::bf16)
    if (std::string obstacle = plan.findObstacle(); !obstacle.empty())
      return refuse(obstacle);
  return plan;
}

//===----------------------------------------------------------------------===//
// Its parts
//===----------------------------------------------------------------------===//

Value LowerPrecision::contract(Value computed, Value constants, Type sums,
                               TensorBuilder &b) const {
  ContractOp contract = op;
  Value lhs = constant ? computed : constants,
        rhs = constant ? constants : computed;
  return b.make<ContractOp>(contract.getType().clone(sums), lhs, rhs,
                            contract.getMaps());
}

/// The name of what `constants` become.
static std::string nameConstant(ConstantData data, StringRef suffix) {
  return (data.weight ? data.weight.getSymName() : StringRef("constant"))
             .str() +
         suffix.str();
}

Value LowerPrecision::buildRounded(TensorBuilder &b) const {
  ContractOp contract = op;
  Value constants = contract->getOperand(constant);
  Operation *cast = b.cast(constants, b.builder.getBF16Type()).getDefiningOp();
  auto bytes = evaluate(::cast<PrimitiveOpInterface>(cast));
  auto type = getTensorType(cast->getResult(0));
  cast->erase();
  std::optional<ConstantData> data = getConstantData(constants);
  Value rounded = createConstant(b.builder, b.loc, type, bytes->front(),
                                 nameConstant(*data, "_bf16"), data->weight);
  Value computed = contract->getOperand(1 - constant);
  if (precision == Precision::bf16Activations)
    computed = b.cast(computed, b.builder.getBF16Type());
  return this->contract(computed, rounded, b.builder.getF32Type(), b);
}

/// An operand as codes.
struct LowerPrecision::Codes {
  Value codes;
  /// Of each row or channel: the step from code to code in f32, and of
  /// constants the sum of the codes, of what is computed the code of 0, in i32.
  Value step, sumOrZero;
};

Value LowerPrecision::spread(Value value, unsigned operand,
                             TensorBuilder &b) const {
  ContractOp contract = op;
  const SmallVector<unsigned> iterators = getIterators(operand);
  SmallVector<int64_t> dims, order;
  for (auto [number, outer] : llvm::enumerate(getOuter(operand))) {
    dims.push_back(*contract.getResultMap(0).getResultPosition(
        getAffineDimExpr(iterators[outer], b.builder.getContext())));
    order.push_back(number);
  }
  llvm::sort(order, [&](int64_t x, int64_t y) { return dims[x] < dims[y]; });
  llvm::sort(dims);
  return b.broadcast(b.transpose(value, order), contract.getType().getShape(),
                     dims);
}

/// A constant of `numbers`.
template <typename T>
static Value makeConstant(ArrayRef<T> numbers, RankedTensorType type,
                          StringRef name, WeightOp from, TensorBuilder &b) {
  ArrayRef<char> bytes(reinterpret_cast<const char *>(numbers.data()),
                       numbers.size() * sizeof(T));
  return createConstant(b.builder, b.loc, type, bytes, name, from);
}

LowerPrecision::Codes
LowerPrecision::quantiseConstants(TensorBuilder &b) const {
  ContractOp contract = op;
  Value constants = contract->getOperand(constant);
  auto type = getTensorType(constants);
  std::optional<ConstantData> data = getConstantData(constants);
  const ConstantData packed = packData(*data, type);
  std::vector<float> numbers(type.getNumElements());
  std::memcpy(numbers.data(), packed.bytes.data(),
              numbers.size() * sizeof(float));

  // The channel of an element is its index along the outer dimensions.
  const SmallVector<int64_t> outer = getOuter(constant);
  SmallVector<int64_t> shape, strides(type.getRank(), 0);
  int64_t channels = 1;
  for (int64_t dim : llvm::reverse(outer)) {
    strides[dim] = channels;
    channels *= type.getDimSize(dim);
  }
  for (int64_t dim : outer)
    shape.push_back(type.getDimSize(dim));
  auto forEach = [&](llvm::function_ref<void(int64_t, int64_t)> visit) {
    SmallVector<int64_t> index(type.getRank(), 0);
    int64_t channel = 0;
    for (int64_t element = 0; element < int64_t(numbers.size()); ++element) {
      visit(element, channel);
      for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
        channel += strides[dim];
        if (++index[dim] < type.getDimSize(dim))
          break;
        channel -= strides[dim] * index[dim];
        index[dim] = 0;
      }
    }
  };

  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> steps(channels, kLeastStep * kLargestSigned);
  forEach([&](int64_t element, int64_t channel) {
    const float size = std::fabs(numbers[element]);
    steps[channel] = !std::isfinite(size) ? kNan
                     : std::isnan(steps[channel])
                         ? kNan
                         : std::max(steps[channel], size);
  });
  for (float &step : steps)
    step /= kLargestSigned;
  std::vector<int8_t> codes(numbers.size());
  std::vector<int32_t> sums(channels, 0);
  forEach([&](int64_t element, int64_t channel) {
    if (std::isnan(steps[channel]))
      return;
    const float code = std::nearbyint(numbers[element] / steps[channel]);
    codes[element] = int8_t(std::clamp(code, -kLargestSigned, kLargestSigned));
    sums[channel] += codes[element];
  });

  auto outerType = RankedTensorType::get(shape, b.builder.getF32Type());
  return {makeConstant<int8_t>(codes, type.clone(b.builder.getI8Type()),
                               nameConstant(*data, "_int8"), data->weight, b),
          makeConstant<float>(steps, outerType, nameConstant(*data, "_steps"),
                              data->weight, b),
          makeConstant<int32_t>(sums, outerType.clone(b.builder.getI32Type()),
                                nameConstant(*data, "_sums"), data->weight, b)};
}

LowerPrecision::Codes LowerPrecision::quantiseComputed(TensorBuilder &b) const {
  ContractOp contract = op;
  Value x = contract->getOperand(1 - constant);
  auto type = getTensorType(x);
  const SmallVector<int64_t> outer = getOuter(1 - constant);
  SmallVector<int64_t> inner;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(outer, dim))
      inner.push_back(dim);
  Value high = b.max(b.reduce(Combiner::Max, x, inner), 0.0);
  Value low = b.min(b.reduce(Combiner::Min, x, inner), 0.0);
  // high - low may be infinite where both are finite.
  constexpr double kShare = 1 / double(kLargestUnsigned);
  Value above = b.mul(high, kShare), below = b.mul(low, kShare);
  Value step = b.max(b.sub(above, below), double(kLeastStep));
  Value isFinite = b.compare(CmpPredicate::lt, step,
                             std::numeric_limits<double>::infinity());
  Value inverse = b.select(isFinite, b.div(1.0, step), 0.0);
  Value zero = b.select(isFinite,
                        b.unary<RoundOp>(b.mul(b.sub(0.0, low), inverse)), 0.0);
  auto repeat = [&](Value value) {
    return b.broadcast(value, type.getShape(), outer);
  };
  Value code = b.unary<RoundOp>(b.mul(x, repeat(inverse)));
  code = b.add(code, repeat(zero));
  code = b.min(code, double(kLargestUnsigned));
  // Of a NaN, too, there is a code: a comparison with it does not hold.
  code = b.select(b.compare(CmpPredicate::gt, code, 0.0), code, 0.0);
  return {b.cast(code, b.builder.getIntegerType(8, /*isSigned=*/false)),
          b.select(isFinite, step, std::numeric_limits<double>::quiet_NaN()),
          b.cast(zero, b.builder.getI32Type())};
}

// sum (code - zero) weight = sum code weight - zero sum weight
Value LowerPrecision::buildQuantised(TensorBuilder &b) const {
  const unsigned other = 1 - constant;
  Codes constants = quantiseConstants(b), computed = quantiseComputed(b);
  Value sum =
      contract(computed.codes, constants.codes, b.builder.getI32Type(), b);
  Value zeros = spread(computed.sumOrZero, other, b);
  Value shift = b.mul(zeros, spread(constants.sumOrZero, constant, b));
  Value number = b.cast(b.sub(sum, shift), b.builder.getF32Type());
  // Constants are small: so it is the result alone that may be out of range.
  number = b.mul(number, spread(constants.step, constant, b));
  return b.mul(number, spread(computed.step, other, b));
}

Value LowerPrecision::build(OpBuilder &builder) const {
  TensorBuilder b(builder, ContractOp(op)->getLoc());
  return precision == Precision::int8Activations ? buildQuantised(b)
                                                 : buildRounded(b);
}
