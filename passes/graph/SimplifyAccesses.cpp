// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses that cancel, combine, or become cheaper ones.
#include "passes/graph/Simplify.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

SmallVector<int64_t> fusec::fuse::getWideDims(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> dims;
  for (auto [i, extent] : llvm::enumerate(shape))
    if (extent != 1)
      dims.push_back(i);
  return dims;
}

std::optional<SmallVector<int64_t>>
fusec::fuse::placeUnitsBetween(ArrayRef<int64_t> shape,
                               ArrayRef<int64_t> targets, int64_t rank) {
  int64_t next = 0;
  size_t wide = 0;
  SmallVector<int64_t> dims;
  for (int64_t extent : shape) {
    int64_t target = extent == 1 ? next : targets[wide++];
    if (target < next || target >= rank)
      return std::nullopt;
    dims.push_back(target);
    next = target + 1;
  }
  return dims;
}

namespace {
/// broadcast(broadcast x) = broadcast x.
struct CombineBroadcasts : public OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<BroadcastOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> dims;
    for (int64_t d : inner.getDims())
      dims.push_back(op.getDims()[d]);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(),
                                             inner.getOperand(), dims);
    return success();
  }
};

/// broadcast(reshape x) = broadcast x where the reshape only adds or drops
/// dimensions of extent 1, as keepdims does.
struct BroadcastOfUnitReshape : public OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getOperand().getDefiningOp<ReshapeOp>();
    if (!reshape || isView(reshape.getOperand()))
      return failure();
    ArrayRef<int64_t> from = getTensorType(reshape.getOperand()).getShape();
    ArrayRef<int64_t> to = reshape.getType().getShape();
    SmallVector<int64_t> wideTo = getWideDims(to);
    SmallVector<int64_t> wideFrom = getWideDims(from);
    if (!llvm::equal(wideFrom, wideTo,
                     [&](int64_t a, int64_t b) { return from[a] == to[b]; }))
      return failure();
    SmallVector<int64_t> targets =
        llvm::map_to_vector(wideTo, [&](int64_t d) { return op.getDims()[d]; });
    auto dims = placeUnitsBetween(from, targets, op.getType().getRank());
    if (!dims)
      return failure();
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(),
                                             reshape.getOperand(), *dims);
    return success();
  }
};

/// transpose(transpose x) = transpose x; the identity folds by itself.
struct CombineTransposes : public OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<TransposeOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> perm;
    for (int64_t d : op.getPerm())
      perm.push_back(inner.getPerm()[d]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(),
                                             inner.getOperand(), perm);
    return success();
  }
};

/// A transpose that moves dimensions of extent 1 only is a reshape.
struct TransposeOfUnitDims : public OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto from = getTensorType(op.getOperand());
    SmallVector<int64_t> wide;
    for (int64_t d : op.getPerm())
      if (from.getDimSize(d) != 1)
        wide.push_back(d);
    if (!llvm::is_sorted(wide))
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand());
    return success();
  }
};

/// transpose(broadcast x) = broadcast x along the moved dimensions.
struct TransposeOfBroadcast : public OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<BroadcastOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> dims;
    for (int64_t d : inner.getDims())
      dims.push_back(llvm::find(op.getPerm(), d) - op.getPerm().begin());
    if (!llvm::is_sorted(dims))
      return failure();
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(),
                                             inner.getOperand(), dims);
    return success();
  }
};

/// slice(slice x) = slice x.
struct CombineSlices : public OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<SliceOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> offsets, strides;
    for (auto [o, s, innerO, innerS] :
         llvm::zip(op.getOffsets(), op.getStrides(), inner.getOffsets(),
                   inner.getStrides())) {
      offsets.push_back(innerO + o * innerS);
      strides.push_back(s * innerS);
    }
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), inner.getOperand(),
                                         offsets, strides);
    return success();
  }
};

/// window(pad x) = window x where both fill alike and the pad surrounds
/// windowed dimensions only. The window's high padding follows from its
/// extents.
struct WindowOfPad : public OpRewritePattern<WindowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WindowOp op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getOperand().getDefiningOp<PadOp>();
    if (!pad || pad.getFill() != op.getFill())
      return failure();
    size_t outer = pad.getLow().size() - op.getSizes().size();
    auto isZero = [](int64_t amount) { return amount == 0; };
    if (!llvm::all_of(pad.getLow().take_front(outer), isZero) ||
        !llvm::all_of(pad.getHigh().take_front(outer), isZero))
      return failure();
    SmallVector<int64_t> low(op.getPadLow());
    for (auto [amount, added] : llvm::zip(low, pad.getLow().drop_front(outer)))
      amount += added;
    rewriter.replaceOpWithNewOp<WindowOp>(op, op.getType(), pad.getOperand(),
                                          op.getSizes(), op.getStrides(),
                                          op.getDilations(), low, op.getFill());
    return success();
  }
};

/// pad by nothing and concat of one tensor are that tensor.
struct DropEmptyPad : public OpRewritePattern<PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PadOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getOperand().getType() != op.getType())
      return failure();
    rewriter.replaceOp(op, op.getOperand());
    return success();
  }
};
struct DropSingleConcat : public OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getOperands().size() != 1)
      return failure();
    rewriter.replaceOp(op, op.getOperands().front());
    return success();
  }
};

/// gather at constant indices first, first + step, ... is a slice.
struct GatherOfConstant : public OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> axis = op.getAxis();
    if (!axis)
      return failure();
    Value positions = op.getIndices().front();
    std::optional<ConstantData> data = getFixedData(positions);
    if (!data || !data->isWhole(getTensorType(positions)) ||
        data->type.getNumElements() == 0)
      return failure();
    SmallVector<int64_t> indices = getIntegers(*data);
    int64_t step = indices.size() > 1 ? indices[1] - indices[0] : 1;
    auto from = getTensorType(op.getOperand());
    for (auto [i, index] : llvm::enumerate(indices))
      if (index != indices[0] + int64_t(i) * step || index < 0 ||
          index >= from.getDimSize(*axis))
        return failure();
    if (step == 0)
      return failure();
    SmallVector<int64_t> offsets(from.getRank(), 0), strides(from.getRank(), 1);
    SmallVector<int64_t> shape(from.getShape());
    offsets[*axis] = indices[0];
    strides[*axis] = step;
    shape[*axis] = indices.size();
    Value slice = rewriter.createOrFold<SliceOp>(
        op.getLoc(), from.clone(shape), op.getOperand(), offsets, strides);
    TensorBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(op, b.reshape(slice, op.getType().getShape()));
    return success();
  }
};
} // namespace

void fusec::fuse::populateSimplifyAccesses(RuleSet &rules) {
  rules.add<CombineBroadcasts>({"accesses.combine-broadcasts",
                                RuleArea::Transposes, /*level=*/1, Bits::Kept,
                                "Repeats what is repeated again at once."});
  rules.add<BroadcastOfUnitReshape>(
      {"accesses.broadcast-of-reshape", RuleArea::Transposes, /*level=*/1,
       Bits::Kept,
       "Repeats a tensor as it is where a reshape only adds or drops "
       "dimensions of extent 1."});
  rules.add<CombineTransposes>({"accesses.combine-transposes",
                                RuleArea::Transposes, /*level=*/1, Bits::Kept,
                                "Makes one transpose of two."});
  rules.add<TransposeOfUnitDims>({"accesses.transpose-of-units",
                                  RuleArea::Transposes, /*level=*/1, Bits::Kept,
                                  "Makes a reshape of a transpose that moves "
                                  "dimensions of extent 1 only."});
  rules.add<TransposeOfBroadcast>(
      {"accesses.transpose-of-broadcast", RuleArea::Transposes, /*level=*/1,
       Bits::Kept, "Repeats a tensor along the transposed dimensions."});
  rules.add<CombineSlices>({"accesses.combine-slices", RuleArea::Transposes,
                            /*level=*/1, Bits::Kept,
                            "Makes one slice of two."});
  rules.add<WindowOfPad>({"accesses.window-of-pad", RuleArea::Transposes,
                          /*level=*/1, Bits::Kept,
                          "Lets a window pad its operand itself."});
  rules.add<DropEmptyPad>({"accesses.drop-empty-pad", RuleArea::Transposes,
                           /*level=*/1, Bits::Kept, "Drops a pad by nothing."});
  rules.add<DropSingleConcat>({"accesses.drop-single-concat",
                               RuleArea::Transposes, /*level=*/1, Bits::Kept,
                               "Drops a concatenation of one tensor."});
  rules.add<GatherOfConstant>({"accesses.gather-of-constant",
                               RuleArea::Transposes, /*level=*/1, Bits::Kept,
                               "Makes a slice of a gather at constant indices "
                               "that are evenly spaced."});
}
