// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/padding/Scalars.h"

#include "dialects/TypeInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace fusec::padding {

Scalar Scalar::of(Type element, double value) {
  Type type = getComputeType(element);
  Builder builder(type.getContext());
  return known(isa<FloatType>(type)
                   ? TypedAttr(builder.getFloatAttr(type, value))
                   : TypedAttr(builder.getIntegerAttr(type, int64_t(value))));
}

/// The value of a number that is known.
static std::optional<double> getValue(const Scalar &scalar) {
  if (scalar.kind != Scalar::Known)
    return std::nullopt;
  if (auto number = dyn_cast<FloatAttr>(scalar.value))
    return number.getValueAsDouble();
  if (auto number = dyn_cast<IntegerAttr>(scalar.value))
    return number.getValue().isZero() ? 0.0
           : number.getType().isInteger(1)
               ? 1.0
               : double(number.getValue().getSExtValue());
  return std::nullopt;
}

bool Scalar::isZero() const { return getValue(*this) == 0.0; }
bool Scalar::isOne() const { return getValue(*this) == 1.0; }

bool Scalar::isMasked() const {
  if (kind == Masked)
    return true;
  auto number = dyn_cast_or_null<FloatAttr>(value);
  return kind == Known && number && number.getValueAsDouble() <= kMasked;
}

/// Whether all bits of an integer are set.
static bool isAllOnes(const Scalar &scalar) {
  auto number = dyn_cast_or_null<IntegerAttr>(scalar.value);
  return scalar.kind == Scalar::Known && number &&
         number.getValue().isAllOnes();
}

/// The same of what MLIR folds, where all operands are known.
static std::optional<Scalar> fold(Operation &op, ArrayRef<Scalar> operands) {
  SmallVector<Attribute> values;
  for (const Scalar &operand : operands) {
    if (operand.kind != Scalar::Known)
      return std::nullopt;
    values.push_back(operand.value);
  }
  SmallVector<OpFoldResult> results;
  if (failed(op.fold(values, results)) || results.size() != 1)
    return std::nullopt;
  if (auto value = dyn_cast_or_null<TypedAttr>(
          dyn_cast_if_present<Attribute>(results.front())))
    return Scalar::known(value);
  // One of its operands.
  Value value = dyn_cast_if_present<Value>(results.front());
  for (auto [operand, scalar] : llvm::zip_equal(op.getOperands(), operands))
    if (operand == value)
      return scalar;
  return std::nullopt;
}

/// The largest of both, of which one may be an accumulator or a score.
static Scalar evaluateMaximum(const Scalar &a, const Scalar &b) {
  if (a.isMasked())
    return b;
  return b.isMasked() ? a : Scalar();
}

static Scalar evaluateProduct(const Scalar &a, const Scalar &b) {
  if (a.isZero() || b.isOne())
    return a;
  return b.isZero() || a.isOne() ? b : Scalar();
}

static Scalar evaluateSum(const Scalar &a, const Scalar &b) {
  if (a.isZero())
    return b;
  if (b.isZero())
    return a;
  const bool accumulates =
      a.kind == Scalar::Accumulator || b.kind == Scalar::Accumulator;
  return !accumulates && (a.isMasked() || b.isMasked()) ? Scalar{Scalar::Masked}
                                                        : Scalar();
}

static Scalar evaluateSelect(const Scalar &condition, const Scalar &a,
                             const Scalar &b) {
  if (condition.kind == Scalar::Known)
    return condition.isZero() ? b : a;
  if (a == b)
    return a;
  return a.isMasked() && b.isMasked() ? Scalar{Scalar::Masked} : Scalar();
}

/// What follows where some operands are not known.
static Scalar evaluatePartly(Operation &op, ArrayRef<Scalar> x) {
  return llvm::TypeSwitch<Operation *, Scalar>(&op)
      .Case<arith::AddFOp, arith::AddIOp>(
          [&](auto) { return evaluateSum(x[0], x[1]); })
      .Case<arith::SubFOp>([&](auto) {
        if (x[1].isZero())
          return x[0];
        return x[0].isMasked() && x[1].kind == Scalar::Any
                   ? Scalar{Scalar::Masked}
                   : Scalar();
      })
      .Case<arith::MulFOp, arith::MulIOp>(
          [&](auto) { return evaluateProduct(x[0], x[1]); })
      .Case<arith::DivFOp>(
          [&](auto) { return x[0].isZero() ? x[0] : Scalar(); })
      .Case<math::FmaOp>(
          [&](auto) { return evaluateSum(evaluateProduct(x[0], x[1]), x[2]); })
      .Case<math::ExpOp, math::Exp2Op>([&](Operation *exp) {
        return x[0].isMasked() ? Scalar::of(exp->getResult(0).getType(), 0)
                               : Scalar();
      })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>(
          [&](auto) { return evaluateMaximum(x[0], x[1]); })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) {
        return x[0].isMasked() ? Scalar{Scalar::Masked} : Scalar();
      })
      .Case<arith::SelectOp>(
          [&](auto) { return evaluateSelect(x[0], x[1], x[2]); })
      .Case<arith::AndIOp>([&](auto) {
        if (x[0].isZero() || isAllOnes(x[1]))
          return x[0];
        return x[1].isZero() || isAllOnes(x[0]) ? x[1] : Scalar();
      })
      .Case<arith::OrIOp>([&](auto) {
        if (x[1].isZero() || isAllOnes(x[0]))
          return x[0];
        return x[0].isZero() || isAllOnes(x[1]) ? x[1] : Scalar();
      })
      .Default([](Operation *) { return Scalar(); });
}

SmallVector<Scalar> evaluateBody(fuse::PrimitiveOpInterface op,
                                 ArrayRef<Scalar> elements) {
  Block block;
  SmallVector<Value> results = fuse::buildBodyIn(block, op);
  llvm::DenseMap<Value, Scalar> known;
  const unsigned numIterators = op.getIterators().size();
  for (auto [argument, scalar] :
       llvm::zip(block.getArguments().drop_front(numIterators), elements))
    known[argument] = scalar;
  if (op.hasReduction())
    for (auto [number, argument] : llvm::enumerate(
             block.getArguments().drop_front(numIterators + elements.size())))
      known[argument] = {Scalar::Accumulator, {}, unsigned(number)};
  for (Operation &inner : block) {
    if (inner.getNumResults() != 1 || inner.getNumRegions())
      continue;
    SmallVector<Scalar> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(known.lookup(operand));
    std::optional<Scalar> folded = fold(inner, operands);
    Scalar result = folded ? *folded : evaluatePartly(inner, operands);
    if (result.kind == Scalar::Any &&
        llvm::any_of(operands, [](const Scalar &operand) {
          return operand.kind == Scalar::Dropped;
        }))
      result.kind = Scalar::Dropped;
    known[inner.getResult(0)] = result;
  }
  return llvm::map_to_vector(
      results, [&](Value result) { return known.lookup(result); });
}

SmallVector<bool> findReadIndices(fuse::PrimitiveOpInterface op) {
  Block block;
  SmallVector<Value> results = fuse::buildBodyIn(block, op);
  return llvm::map_to_vector(
      block.getArguments().take_front(op.getIterators().size()),
      [&](BlockArgument index) {
        return !index.use_empty() || llvm::is_contained(results, index);
      });
}

} // namespace fusec::padding
