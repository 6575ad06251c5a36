// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/UnrolledText.h"

#include "dialects/OperationCost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace fusec::kernel {

/// The operations of a function of the vocabulary, such as exp.
static constexpr int64_t kOfFunction = 16;
/// Those of each lane that is accessed by itself: its number, its place, the
/// access.
static constexpr int64_t kOfLane = 3;

static bool isVector(Type type) { return isa<VectorType>(type); }

/// Of the operation without what is in its regions.
static int64_t countOwn(Operation *op) {
  auto lanesApart = [](bool apart) { return apart ? kLanes * kOfLane : 1; };
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<LoadOp, StoreOp>([&](auto access) -> int64_t {
        if (isReadWithOthers(access))
          return 0;
        return lanesApart(access.isVector() && access.getStride() != 1);
      })
      .Case([&](GatherOp gather) {
        return lanesApart(isVector(gather.getType()));
      })
      .Case<arith::ConstantOp, ApplyOp, YieldOp, ForOp>([](auto) { return 0; })
      .Default(
          [](Operation *other) { return isFunction(other) ? kOfFunction : 1; });
}

int64_t countText(Operation *op) {
  int64_t text = countOwn(op);
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      text += countText(&inner);
  auto loop = dyn_cast<ForOp>(op);
  if (loop && loop.getMapping() == Mapping::unroll)
    text *= loop.getConstantTripCount().value_or(1);
  return text;
}

int64_t countUnrolled(FuncOp func) {
  int64_t text = 0;
  func.walk<WalkOrder::PreOrder>([&](ForOp loop) {
    if (loop.getMapping() != Mapping::unroll)
      return WalkResult::advance();
    text += countText(loop);
    return WalkResult::skip();
  });
  return text;
}

} // namespace fusec::kernel
