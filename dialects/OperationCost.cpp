// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/OperationCost.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace fusec {

bool isFunction(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::FmaOp, math::AbsFOp, math::AbsIOp, math::SqrtOp,
              math::RsqrtOp, math::FloorOp, math::CeilOp, math::RoundEvenOp,
              math::TruncOp, math::CopySignOp>(op);
}

} // namespace fusec
