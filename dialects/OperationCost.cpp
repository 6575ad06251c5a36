// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/OperationCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace fusec {

/// Of what says so itself, how many additions take as long.
static std::optional<double> getOwnSteps(Operation *op) {
  if (!op->hasTrait<ScalarFunction>())
    return std::nullopt;
  auto steps = op->getAttrOfType<IntegerAttr>("steps");
  return steps ? std::optional<double>(steps.getInt()) : std::nullopt;
}

bool isFunction(Operation *op) {
  if (op->hasTrait<ScalarFunction>())
    return true;
  return isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::FmaOp, math::AbsFOp, math::AbsIOp, math::SqrtOp,
              math::RsqrtOp, math::FloorOp, math::CeilOp, math::RoundEvenOp,
              math::TruncOp, math::CopySignOp>(op);
}

double getOperationCost(Operation *op, const OperationCosts &costs,
                        bool lanes) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return 0;
  if (isa<arith::DivFOp, arith::RemFOp, math::SqrtOp, math::RsqrtOp>(op))
    return lanes ? costs.vectorDivision : costs.division;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::FloorDivSIOp>(op))
    return lanes ? costs.vectorIntDivision : costs.intDivision;
  if (isa<math::PowFOp>(op))
    return costs.power;
  if (std::optional<double> steps = getOwnSteps(op))
    return *steps * costs.simple;
  return isFunction(op) ? costs.function : costs.simple;
}

unsigned countSteps(Operation *op, const OperationCosts &costs) {
  return costs.countSteps(getOperationCost(op, costs, /*lanes=*/false));
}

unsigned countSteps(Block &block, const OperationCosts &costs) {
  unsigned steps = 0;
  for (Operation &op : block)
    steps += countSteps(&op, costs);
  return steps;
}

} // namespace fusec
