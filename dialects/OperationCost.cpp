// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/OperationCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace fusec {

bool isFunction(Operation *op) {
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
