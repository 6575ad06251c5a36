// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/IndexRanges.h"
#include "passes/kernel/Simplify.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace fusec::kernel {

/// What waking another thread has to be worth.
static constexpr double kGrainNanoseconds = 5000;

/// Trips that an unknown bound is taken for.
static constexpr double kUnknownTrips = 16;

/// Rough nanoseconds of one operation without regions, on one core of 2020s
/// x86: throughput in cache for arithmetic, between cache and memory for loads.
static double estimateOperation(Operation *op) {
  bool lanes = llvm::any_of(op->getResultTypes(), llvm::IsaPred<VectorType>);
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([](LoadOp load) {
        return !load.isVector() ? 0.3 : load.getStride() == 1 ? 1.5 : 6;
      })
      .Case([](StoreOp store) {
        return !store.isVector() ? 0.3 : store.getStride() == 1 ? 1.5 : 6;
      })
      .Case([&](GatherOp) { return lanes ? 8.0 : 1.0; })
      .Case<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(
          [&](auto) { return lanes ? 3.0 : 1.5; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::FloorDivSIOp>([&](auto) { return lanes ? 20.0 : 3.0; })
      .Case<arith::ConstantOp, LocalOp, ApplyOp>([](auto) { return 0.0; })
      .Case([](ReduceOp) { return 3.0; })
      .Default([](Operation *other) {
        return isa<math::MathDialect>(other->getDialect()) &&
                       !isa<math::FmaOp, math::AbsFOp>(other)
                   ? 5.0
                   : 0.3;
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

static double estimateBlock(Block &block) {
  double sum = 0;
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<ForOp>(op)) {
      double overhead = loop.getMapping() == Mapping::unroll ? 0 : 0.3;
      sum += estimateTrips(loop) *
             (estimateBlock(loop.getBody().front()) + overhead);
    } else if (auto branch = dyn_cast<IfOp>(op)) {
      sum += estimateBlock(branch.getBody().front());
    } else {
      sum += estimateOperation(&op);
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
  func.walk([&](ForOp loop) {
    if (loop.getMapping() != Mapping::parallel || loop.getGrain() ||
        isCollapsed(loop))
      return;
    double iteration = std::max(estimateBlock(loop.getBody().front()), 0.1);
    double grain = std::ceil(kGrainNanoseconds / iteration);
    loop.setGrain(std::max<int64_t>(1, int64_t(grain)));
  });
}

} // namespace fusec::kernel
