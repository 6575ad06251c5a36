// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/NarrowFloats.h"

#include "dialects/TypeInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace fusec {

FloatType getNarrowFloat(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && (element.isF16() || element.isBF16()) ? element
                                                          : FloatType();
}

Value buildRounding(OpBuilder &b, Location loc, FloatType narrow,
                    Value number) {
  Value rounded = arith::TruncFOp::create(b, loc, narrow, number);
  return arith::ExtFOp::create(b, loc, getComputeType(narrow), rounded);
}

Value getRounded(Value value, FloatType narrow) {
  auto wide = value.getDefiningOp<arith::ExtFOp>();
  auto rounded =
      wide ? wide.getIn().getDefiningOp<arith::TruncFOp>() : arith::TruncFOp();
  return rounded && rounded.getType() == narrow &&
                 rounded.getIn().getType() == value.getType()
             ? rounded.getIn()
             : Value();
}

static bool isRepresentable(arith::ConstantOp constant, FloatType narrow) {
  auto number = dyn_cast<FloatAttr>(constant.getValue());
  if (!number)
    return false;
  APFloat value = number.getValue();
  bool losesInfo = false;
  value.convert(narrow.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return !losesInfo;
}

static bool isNumberOf(FloatType narrow, Value value,
                       llvm::function_ref<bool(Value)> isLoaded,
                       unsigned depth) {
  if (depth == 0)
    return false;
  auto all = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value operand) {
      return isNumberOf(narrow, operand, isLoaded, depth - 1);
    });
  };
  Operation *op = value.getDefiningOp();
  if (!op)
    return isLoaded(value);
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case(
          [&](arith::ExtFOp wide) { return wide.getIn().getType() == narrow; })
      .Case([&](arith::ConstantOp constant) {
        return isRepresentable(constant, narrow);
      })
      .Case([&](arith::SelectOp select) {
        return all({select.getTrueValue(), select.getFalseValue()});
      })
      .Case([&](math::CopySignOp sign) { return all(sign.getLhs()); })
      .Case<arith::NegFOp, math::AbsFOp, arith::MaximumFOp, arith::MinimumFOp,
            arith::MaxNumFOp, arith::MinNumFOp, arith::RemFOp, math::FloorOp,
            math::CeilOp, math::TruncOp, math::RoundEvenOp>(
          [&](Operation *exact) { return all(exact->getOperands()); })
      .Default([&](Operation *) { return isLoaded(value); });
}

bool isNumberOf(FloatType narrow, Value value,
                llvm::function_ref<bool(Value)> isLoaded) {
  constexpr unsigned kFarEnough = 6;
  return isNumberOf(narrow, value, isLoaded, kFarEnough);
}

} // namespace fusec
