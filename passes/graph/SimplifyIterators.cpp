// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions over other iterators: one that reads a merged repetition
// iterates over the dimensions before merging.
#include "passes/Expansion.h"
#include "passes/graph/Simplify.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

namespace {
/// New iterators of a contraction, of which old ones are made.
struct SplitIterators {
  /// Per old iterator its new ones, the shape of which is `extents`.
  SmallVector<SmallVector<unsigned>> iterators;
  SmallVector<SmallVector<int64_t>> extents;
  unsigned count = 0;
};

/// contract(x, reshape(broadcast y)) = reshape(contract(reshape x, broadcast
/// y)) where the reshape merges dimensions: so the repetition need not be
/// stored. Heads of keys and values that several heads of queries share are
/// written like this. So are weights of few bits, whose scales repeat over
/// blocks: they are expanded where they are multiplied, and x is stored.
struct ContractMerged : public OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    // A transpose of the result comes into its map first.
    if (op->hasOneUse() && isa<TransposeOp>(*op->user_begin()))
      return failure();
    for (unsigned i : {0u, 1u}) {
      auto reshape = op->getOperand(i).getDefiningOp<ReshapeOp>();
      Operation *merged =
          reshape ? reshape.getOperand().getDefiningOp() : nullptr;
      bool expands =
          isExpansion(merged) || (expandsPicked(merged) && isForFewRows(op, i));
      if (!isa_and_present<BroadcastOp>(merged) && !expands)
        continue;
      std::optional<SplitIterators> split = planSplit(op, i, reshape);
      if (!split || (!expands && !canReshape(op->getOperand(1 - i))))
        continue;
      TensorBuilder b(rewriter, op.getLoc());
      SmallVector<Value> operands(2);
      SmallVector<AffineMap> maps;
      for (unsigned k : {0u, 1u, 2u}) {
        AffineMap map = getMap(op, k);
        SmallVector<AffineExpr> results;
        SmallVector<int64_t> shape;
        for (AffineExpr expr : map.getResults()) {
          unsigned old = cast<AffineDimExpr>(expr).getPosition();
          for (unsigned iterator : split->iterators[old])
            results.push_back(rewriter.getAffineDimExpr(iterator));
          llvm::append_range(shape, split->extents[old]);
        }
        maps.push_back(
            AffineMap::get(split->count, 0, results, rewriter.getContext()));
        if (k < 2) {
          operands[k] = k == i ? reshape.getOperand()
                               : b.reshape(op->getOperand(k), shape);
          continue;
        }
        Value result = ContractOp::create(
            rewriter, op.getLoc(), op.getType().clone(shape), operands[0],
            operands[1], rewriter.getAffineMapArrayAttr(maps));
        rewriter.replaceOp(op, b.reshape(result, op.getType().getShape()));
      }
      return success();
    }
    return failure();
  }

private:
  /// Nothing unless each dimension of the reshape's result is made of whole
  /// ones.
  static std::optional<SplitIterators>
  planSplit(ContractOp op, unsigned operand, ReshapeOp reshape) {
    auto primitive = cast<PrimitiveOpInterface>(*op);
    SmallVector<int64_t> old = primitive.getIterationExtents();
    ArrayRef<int64_t> from = getTensorType(reshape.getOperand()).getShape();
    auto runs = matchShapes(from, reshape.getType().getShape());
    if (!runs)
      return std::nullopt;
    SplitIterators split;
    for (int64_t extent : old)
      split.extents.push_back({extent});
    AffineMap map = getMap(op, operand);
    bool merges = false;
    for (const ReshapeRun &run : *runs) {
      if (run.toEnd != run.toBegin + 1)
        return std::nullopt;
      unsigned iterator =
          cast<AffineDimExpr>(map.getResult(run.toBegin)).getPosition();
      ArrayRef<int64_t> parts =
          from.slice(run.fromBegin, run.fromEnd - run.fromBegin);
      split.extents[iterator] = SmallVector<int64_t>(parts);
      merges |= parts.size() > 1;
    }
    if (!merges)
      return std::nullopt;
    for (ArrayRef<int64_t> extents : split.extents) {
      split.iterators.emplace_back();
      for (size_t k = 0; k < extents.size(); ++k)
        split.iterators.back().push_back(split.count++);
    }
    return split;
  }

  /// Whether a reshape of `value`, an operand of a contraction, is a view of
  /// what is stored: accesses would have to be stored for it.
  static bool canReshape(Value value) {
    Operation *op = value.getDefiningOp();
    auto primitive = dyn_cast_if_present<PrimitiveOpInterface>(op);
    return !primitive || primitive.hasReduction() || isPointByPoint(op);
  }
};
} // namespace

void fusec::fuse::populateSimplifyIterators(RuleSet &rules) {
  rules.add<ContractMerged>({"iterators.split-merged", RuleArea::Transposes,
                             /*level=*/1, Bits::Kept,
                             "Lets a contraction iterate over the dimensions "
                             "of a repetition in place of merged ones."});
}
