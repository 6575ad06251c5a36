// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TargetInfo.h"
#include "passes/kernel/IndexRanges.h"
#include "passes/kernel/Simplify.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace fusec::kernel {

/// Trips that an unknown bound is taken for.
static constexpr double kUnknownTrips = 16;

/// Rough nanoseconds of one operation without regions, on one core.
static double estimateOperation(Operation *op, const OperationCosts &costs) {
  bool lanes = llvm::any_of(op->getResultTypes(), llvm::IsaPred<VectorType>);
  auto ofAccess = [&](auto access) {
    return !access.isVector()        ? costs.simple
           : access.getStride() == 1 ? costs.vectorAccess
                                     : costs.stridedAccess;
  };
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<LoadOp, StoreOp>(ofAccess)
      .Case([&](GatherOp) { return lanes ? costs.vectorGather : costs.gather; })
      .Case<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(
          [&](auto) { return lanes ? costs.vectorDivision : costs.division; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::FloorDivSIOp>([&](auto) {
        return lanes ? costs.vectorIntDivision : costs.intDivision;
      })
      .Case<arith::ConstantOp, LocalOp, ApplyOp>([](auto) { return 0.0; })
      .Case([&](ReduceOp) { return costs.reduce; })
      .Default([&](Operation *other) {
        return isa<math::MathDialect>(other->getDialect()) &&
                       !isa<math::FmaOp, math::AbsFOp>(other)
                   ? costs.function
                   : costs.simple;
      });
}

static double estimateTrips(ForOp loop) {
  if (std::optional<int64_t> trips = loop.getConstantTripCount())
    return double(*trips);
  // The most that any iteration of the loops around can have.
  double most = -1;
  AffineForm lower(loop.getLowerMap(), loop.getLowerOperands());
  lower.exprs = {lower.exprs.front()};
  for (AffineExpr expr : loop.getUpperMap().getResults()) {
    AffineForm upper(loop.getUpperMap(), loop.getUpperOperands());
    upper.exprs = {expr};
    AffineForm extent = subtract(upper, lower);
    IndexRange range = rangeOf(extent.exprs.front(), rangesOf(extent.operands));
    if (range.high && (most < 0 || double(*range.high) < most))
      most = std::max<double>(0, double(*range.high));
  }
  return most < 0 ? kUnknownTrips : std::ceil(most / double(loop.getStep()));
}

static double estimateBlock(Block &block, const OperationCosts &costs) {
  double sum = 0;
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<ForOp>(op)) {
      double overhead = loop.getMapping() == Mapping::unroll ? 0 : costs.simple;
      sum += estimateTrips(loop) *
             (estimateBlock(loop.getBody().front(), costs) + overhead);
    } else if (auto branch = dyn_cast<IfOp>(op)) {
      sum += estimateBlock(branch.getBody().front(), costs);
    } else {
      sum += estimateOperation(&op, costs);
    }
  }
  return sum;
}

/// Whether the body is one parallel loop: the two run as one.
static bool isCollapsed(ForOp loop) {
  Block &body = loop.getBody().front();
  auto inner = dyn_cast<ForOp>(body.front());
  return inner && inner.getMapping() == Mapping::parallel &&
         llvm::hasSingleElement(body.without_terminator());
}

void setGrains(FuncOp func) {
  const TargetInfo &target = getTargetInfo(func);
  func.walk([&](ForOp loop) {
    if (loop.getMapping() != Mapping::parallel || loop.getGrain() ||
        isCollapsed(loop))
      return;
    double iteration =
        std::max(estimateBlock(loop.getBody().front(), target.costs), 0.1);
    double grain = std::ceil(target.forkNanoseconds / iteration);
    loop.setGrain(std::max<int64_t>(1, int64_t(grain)));
  });
}

} // namespace fusec::kernel
