// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Losses of classifiers.
#include "passes/graph/ExpandComposites.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

// -w[t] x[n, t, ...]: the target's element is the one summand whose class is
// the target. So the classes are a reduction like any other, which fuses with
// the softmax that mostly stands before.
static SmallVector<Value> expandNllLoss(NllLossOp op, TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  Value x = b.castToCompute(op.getInput());
  auto all = getTensorType(x);
  Value target = op.getTarget();
  Value number = b.cast(target, b.builder.getI32Type());
  Value classes = b.iota(all.clone(b.builder.getI32Type()), 1);
  Value hit = b.compare(CmpPredicate::eq, classes,
                        b.broadcastBack(number, all.getShape(), {1}));
  Value zero = b.splatLike(0, x), weight;
  if (op.getWeight()) {
    weight = b.broadcast(b.castToCompute(op.getWeight()), all.getShape(), {1});
    x = b.mul(x, weight);
  }
  Value loss = b.reduce(Combiner::Add, b.select(hit, x, zero), {1});
  loss = b.unary<NegOp>(loss);
  if (op.getReduction() == LossReduction::none && !op.getIgnoreIndex())
    return {b.cast(loss, type.getElementType())};
  Value count = b.splatLike(1, loss);
  if (weight)
    count = b.reduce(Combiner::Add, b.select(hit, weight, zero), {1});
  if (op.getIgnoreIndex()) {
    auto ignored = double(int64_t(*op.getIgnoreIndex()));
    Value kept = b.compare(CmpPredicate::ne, target, ignored);
    loss = b.select(kept, loss, 0);
    count = b.select(kept, count, 0);
  }
  if (op.getReduction() != LossReduction::none) {
    auto dims =
        llvm::to_vector(llvm::seq<int64_t>(0, getTensorType(loss).getRank()));
    Value sum = b.reduce(Combiner::Add, loss, dims);
    if (op.getReduction() == LossReduction::sum)
      loss = sum;
    else if (!weight && !op.getIgnoreIndex())
      loss = b.mean(loss, dims);
    else
      loss = b.div(sum, b.reduce(Combiner::Add, count, dims));
  }
  return {b.cast(loss, type.getElementType())};
}

void fusec::fuse::populateExpandLosses(RewritePatternSet &patterns) {
  patterns.add<Expansion<NllLossOp>>(patterns.getContext(), expandNllLoss);
}
