// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions and loops: what is known about them, and what they need not hold.
#include "passes/graph/Simplify.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// The truth of a boolean of rank 0, if it is known.
static std::optional<bool> getTruth(Value value) {
  std::optional<int64_t> known = getUniformInteger(value);
  return known ? std::optional<bool>(*known != 0) : std::nullopt;
}

/// Puts the operations of `block` but its terminator in front of `op`.
static void inlineBefore(Block &block, Operation *op,
                         PatternRewriter &rewriter) {
  for (Operation &inner :
       llvm::make_early_inc_range(block.without_terminator()))
    rewriter.moveOpBefore(&inner, op);
}

namespace {
/// A condition that is known leaves one body.
struct FoldIf : public OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IfOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<bool> truth = getTruth(op.getCondition());
    if (!truth)
      return failure();
    YieldOp yield = *truth ? op.getThenYield() : op.getElseYield();
    SmallVector<Value> values(yield.getValues());
    inlineBefore(*yield->getBlock(), op, rewriter);
    rewriter.replaceOp(op, values);
    return success();
  }
};

/// Results that nobody uses are not computed.
struct DropIfResults : public OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IfOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<unsigned> kept;
    SmallVector<Type> types;
    for (OpResult result : op.getResults())
      if (!result.use_empty()) {
        kept.push_back(result.getResultNumber());
        types.push_back(result.getType());
      }
    if (kept.size() == op.getNumResults() || kept.empty())
      return failure();
    auto smaller =
        IfOp::create(rewriter, op.getLoc(), types, op.getCondition());
    smaller.getThenBody().takeBody(op.getThenBody());
    smaller.getElseBody().takeBody(op.getElseBody());
    for (YieldOp yield : {smaller.getThenYield(), smaller.getElseYield()}) {
      SmallVector<Value> values;
      for (unsigned number : kept)
        values.push_back(yield.getValues()[number]);
      rewriter.modifyOpInPlace(
          yield, [&] { yield.getValuesMutable().assign(values); });
    }
    SmallVector<Value> results(op.getNumResults());
    for (auto [from, to] : llvm::zip(kept, smaller.getResults()))
      results[from] = to;
    for (auto [from, to] : llvm::zip(op.getResults(), results))
      if (to)
        rewriter.replaceAllUsesWith(from, to);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Bounds of a loop that are known become `trips`.
struct FoldLoopBounds : public OpRewritePattern<LoopOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LoopOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getCount())
      if (std::optional<int64_t> count = getUniformInteger(op.getCount()))
        if (succeeded(setTrips(op, std::max<int64_t>(*count, 0), rewriter)))
          return success();
    if (!op.getCondition() || !(op.getTrips() || op.getCount()) ||
        getTruth(op.getCondition()) != true ||
        getTruth(op.getNextCondition()) != true)
      return failure();
    YieldOp yield = op.getYield();
    rewriter.modifyOpInPlace(yield, [&] { yield.getValuesMutable().erase(0); });
    rewriter.modifyOpInPlace(op, [&] { op.getConditionMutable().clear(); });
    return success();
  }

private:
  /// Drops the count, which is `count`. Slices and stacks fix the trips.
  static LogicalResult setTrips(LoopOp op, int64_t count,
                                PatternRewriter &rewriter) {
    bool isFewer = !op.getTrips() || count < *op.getTrips();
    if (isFewer && (op.getNumStacks() || !op.getSlices().empty()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      if (isFewer)
        op.setTrips(count);
      op.getCountMutable().clear();
    });
    return success();
  }
};

/// A loop that never runs, or once and to its end, is none.
struct UnrollLoop : public OpRewritePattern<LoopOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LoopOp op,
                                PatternRewriter &rewriter) const override {
    bool isNever = op.getTrips() == 0 ||
                   (op.getCondition() && getTruth(op.getCondition()) == false);
    if (isNever && !op.getNumStacks()) {
      rewriter.replaceOp(op, op.getInits());
      return success();
    }
    if (op.getTrips() != 1 || !op.runsAllTrips())
      return failure();
    auto reshape = [&](Value value, Type type) -> Value {
      return ReshapeOp::create(rewriter, op.getLoc(), type, value);
    };
    Type indexType = op.getIteration().getType();
    SmallVector<Value> arguments = {ConstantOp::create(
        rewriter, op.getLoc(), indexType,
        DenseElementsAttr::get(cast<ShapedType>(indexType), int64_t(0)))};
    llvm::append_range(arguments, op.getInits());
    for (auto [number, slice] : llvm::enumerate(op.getSlices()))
      arguments.push_back(reshape(slice, op.getSlice(number).getType()));
    for (auto [argument, value] :
         llvm::zip(op.getBody().getArguments(), arguments))
      rewriter.replaceAllUsesWith(argument, value);
    YieldOp yield = op.getYield();
    SmallVector<Value> values(yield.getValues());
    inlineBefore(op.getBody().front(), op, rewriter);
    for (unsigned i = op.getNumCarried(); i < values.size(); ++i)
      values[i] = reshape(values[i], op.getResult(i).getType());
    rewriter.replaceOp(op, values);
    return success();
  }
};

/// Work that is the same in each iteration is done once, before.
struct HoistInvariants : public OpRewritePattern<LoopOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LoopOp op,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    Region &body = op.getBody();
    for (Operation &inner :
         llvm::make_early_inc_range(body.front().without_terminator())) {
      bool isFixed = isa<PrimitiveOpInterface, ReshapeOp, GetWeightOp>(inner) &&
                     llvm::all_of(inner.getOperands(), [&](Value operand) {
                       return !body.isAncestor(operand.getParentRegion());
                     });
      if (!isFixed)
        continue;
      rewriter.moveOpBefore(&inner, op);
      changed = true;
    }
    return success(changed);
  }
};

/// What a loop carries, slices and stacks in vain is dropped; what it carries
/// unchanged is used from outside.
struct DropLoopValues : public OpRewritePattern<LoopOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LoopOp op,
                                PatternRewriter &rewriter) const override {
    shareInvariants(op, rewriter);
    Kept kept = findKept(op);
    if (kept.carried.size() == op.getNumCarried() &&
        kept.slices.size() == op.getSlices().size() &&
        kept.stacks.size() == op.getNumStacks())
      return failure();
    // A loop without results is dead, and erased as such.
    if (kept.carried.empty() && kept.stacks.empty())
      return failure();
    rebuild(op, kept, rewriter);
    return success();
  }

private:
  struct Kept {
    SmallVector<unsigned> carried, slices, stacks;
  };

  static void shareInvariants(LoopOp op, PatternRewriter &rewriter) {
    for (unsigned i = 0; i < op.getNumCarried(); ++i) {
      if (op.getNextCarried()[i] != op.getCarried(i))
        continue;
      // The yield keeps the argument, which marks the value as unchanged.
      Value init = op.getInits()[i];
      rewriter.replaceUsesWithIf(op.getCarried(i), init, [&](OpOperand &use) {
        return use.getOwner() != op.getYield();
      });
      rewriter.replaceAllUsesWith(op.getResult(i), init);
    }
  }

  static Kept findKept(LoopOp op) {
    Kept kept;
    YieldOp yield = op.getYield();
    for (unsigned i = 0; i < op.getNumCarried(); ++i) {
      Value carried = op.getCarried(i);
      bool isRead = llvm::any_of(carried.getUses(), [&](OpOperand &use) {
        return use.getOwner() != yield ||
               &use != &yield->getOpOperand(
                           op.getNextCarried().getBeginOperandIndex() + i);
      });
      if (isRead || !op.getResult(i).use_empty())
        kept.carried.push_back(i);
    }
    for (unsigned i = 0; i < op.getSlices().size(); ++i)
      if (!op.getSlice(i).use_empty())
        kept.slices.push_back(i);
    for (unsigned i = 0; i < op.getNumStacks(); ++i)
      if (!op.getStack(i).use_empty())
        kept.stacks.push_back(i);
    return kept;
  }

  /// Those of `numbers` that are kept, as they are numbered then.
  static SmallVector<int64_t> renumber(ArrayRef<int64_t> numbers,
                                       ArrayRef<unsigned> kept) {
    SmallVector<int64_t> result;
    for (auto [now, before] : llvm::enumerate(kept))
      if (llvm::is_contained(numbers, int64_t(before)))
        result.push_back(now);
    return result;
  }

  static void rebuild(LoopOp op, const Kept &kept, PatternRewriter &rewriter) {
    SmallVector<Value> inits, slices, results, yielded;
    if (op.getCondition())
      yielded.push_back(op.getNextCondition());
    for (unsigned i : kept.carried) {
      inits.push_back(op.getInits()[i]);
      results.push_back(op.getResult(i));
      yielded.push_back(op.getNextCarried()[i]);
    }
    for (unsigned i : kept.slices)
      slices.push_back(op.getSlices()[i]);
    for (unsigned i : kept.stacks) {
      results.push_back(op.getStack(i));
      yielded.push_back(op.getRows()[i]);
    }
    YieldOp yield = op.getYield();
    rewriter.modifyOpInPlace(yield,
                             [&] { yield.getValuesMutable().assign(yielded); });
    llvm::BitVector dropped(op.getBody().getNumArguments(), true);
    dropped.reset(0);
    for (unsigned i : kept.carried)
      dropped.reset(op.getCarried(i).getArgNumber());
    for (unsigned i : kept.slices)
      dropped.reset(op.getSlice(i).getArgNumber());
    auto smaller = LoopOp::create(
        rewriter, op.getLoc(), ValueRange(results).getTypes(),
        op.getTripsAttr(), op.getCount(), op.getCondition(), inits, slices,
        renumber(op.getReversedSlices(), kept.slices),
        renumber(op.getReversedStacks(), kept.stacks));
    op.getBody().front().eraseArguments(dropped);
    smaller.getBody().takeBody(op.getBody());
    for (auto [before, now] : llvm::zip(results, smaller.getResults()))
      rewriter.replaceAllUsesWith(before, now);
    rewriter.eraseOp(op);
  }
};
} // namespace

void fusec::fuse::populateSimplifyControl(RuleSet &rules) {
  rules.add<FoldIf>({"control.fold-if", RuleArea::Compute, /*level=*/1,
                     Bits::Kept,
                     "Keeps the body that a known condition chooses."});
  rules.add<DropIfResults>(
      {"control.drop-if-results", RuleArea::Compute, /*level=*/1, Bits::Kept,
       "Drops results of a condition that nothing reads."});
  rules.add<FoldLoopBounds>(
      {"control.fold-bounds", RuleArea::Compute, /*level=*/1, Bits::Kept,
       "Makes a constant of a loop's bounds that are known."});
  rules.add<UnrollLoop>({"control.unroll", RuleArea::Compute, /*level=*/1,
                         Bits::Kept,
                         "Replaces a loop that never runs, or runs once."});
  rules.add<HoistInvariants>(
      {"control.hoist", RuleArea::Compute, /*level=*/1, Bits::Kept,
       "Computes before a loop what is the same in each of its iterations."});
  rules.add<DropLoopValues>(
      {"control.drop-loop-values", RuleArea::Compute, /*level=*/1, Bits::Kept,
       "Drops what a loop carries, slices or stacks in vain."});
}
