// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/Work.h"

#include "passes/graph/ConstantData.h"
#include "passes/graph/Simplify.h"

#include "dialects/OperationCost.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// How far it is looked for what is repeated.
static constexpr unsigned kRepetitionDepth = 4;

/// The dimensions of `value` that its elements differ along.
static llvm::BitVector getVaryingDims(Value value, unsigned depth) {
  ArrayRef<int64_t> shape = getTensorType(value).getShape();
  llvm::BitVector dims(shape.size());
  if (getUniformFloat(value) || getUniformInteger(value))
    return dims;
  auto op = value.getDefiningOp<PrimitiveOpInterface>();
  if (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
    llvm::BitVector from = getVaryingDims(broadcast.getOperand(), depth);
    for (unsigned d : from.set_bits())
      dims.set(broadcast.getDims()[d]);
    return dims;
  }
  if (depth != 0 && op && isPointByPoint(op)) {
    for (Value operand : op->getOperands())
      dims |= getVaryingDims(operand, depth - 1);
    return dims;
  }
  for (auto [d, extent] : llvm::enumerate(shape))
    if (extent != 1)
      dims.set(d);
  return dims;
}

int64_t fusec::fuse::countDistinct(Value value) {
  ArrayRef<int64_t> shape = getTensorType(value).getShape();
  llvm::BitVector dims = getVaryingDims(value, kRepetitionDepth);
  int64_t elements = 1;
  for (unsigned d : dims.set_bits())
    elements *= shape[d];
  return elements;
}

/// The steps of all elements that `op` computes, on the target with `costs`.
static double getWork(Operation *op, const OperationCosts &costs) {
  auto primitive = dyn_cast<PrimitiveOpInterface>(op);
  if (!primitive || op->getNumResults() != 1)
    return 0;
  Block body;
  buildBodyIn(body, primitive);
  return double(countDistinct(op->getResult(0))) * countSteps(body, costs);
}

/// The work of `op` and of what nothing else reads.
static double getSparedWork(Operation *op, const OperationCosts &costs) {
  llvm::SmallSetVector<Operation *, 8> spared;
  spared.insert(op);
  double work = 0;
  for (size_t i = 0; i < spared.size(); ++i) {
    work += getWork(spared[i], costs);
    for (Value operand : spared[i]->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && isPointByPoint(source) &&
          llvm::all_of(source->getUsers(),
                       [&](Operation *user) { return spared.contains(user); }))
        spared.insert(source);
    }
  }
  return work;
}

LogicalResult
fusec::fuse::replaceByLessWork(PatternRewriter &rewriter, Operation *op,
                               function_ref<Value(TensorBuilder &)> build) {
  const OperationCosts &costs = getTargetInfo(op).costs;
  // Nobody hears of what is made here until it is taken.
  Block scratch;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToStart(&scratch);
  TensorBuilder b(builder, op->getLoc());
  Value result = build(b);
  double work = 0;
  for (Operation &made : scratch)
    work += getWork(&made, costs);
  double spared = getSparedWork(op, costs);
  if (work > spared)
    return rewriter.notifyMatchFailure(op, [&](Diagnostic &reason) {
      reason << "it would take " << int64_t(work)
             << " steps of simple arithmetic, and takes " << int64_t(spared)
             << " as it is written";
    });
  for (Operation &made : llvm::make_early_inc_range(scratch)) {
    made.remove();
    rewriter.insert(&made);
  }
  rewriter.replaceOp(op, result);
  return success();
}
