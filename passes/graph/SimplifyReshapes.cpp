// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshapes sink below elementwise operations and reductions, so that what can
// fuse has one iteration space and reshapes end up where tensors are stored
// anyway.
#include "passes/graph/Simplify.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

bool fusec::fuse::isView(Value value) {
  Operation *op = value.getDefiningOp();
  while (auto reshape = llvm::dyn_cast_or_null<ReshapeOp>(op)) {
    value = reshape.getOperand();
    op = value.getDefiningOp();
  }
  return !op || isa<ConstantOp, GetWeightOp>(op);
}

std::optional<SmallVector<ReshapeRun>>
fusec::fuse::matchShapes(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (llvm::is_contained(from, 0) || llvm::is_contained(to, 0))
    return std::nullopt;
  SmallVector<ReshapeRun> runs;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    ReshapeRun run{i, i, j, j};
    int64_t a = 1, b = 1;
    if (i < from.size())
      a = from[i++];
    if (j < to.size())
      b = to[j++];
    while (a != b) {
      if (a < b && i < from.size())
        a *= from[i++];
      else if (b < a && j < to.size())
        b *= to[j++];
      else
        return std::nullopt;
    }
    run.fromEnd = i;
    run.toEnd = j;
    runs.push_back(run);
  }
  return runs;
}

namespace {
/// A broadcast of a reshaped operand: its shape, and where its dimensions go.
struct Repetition {
  SmallVector<int64_t> shape, dims;
};
} // namespace

/// `broadcast` as if its result had shape `to`; nothing if a run of dimensions
/// is repeated in part.
static std::optional<Repetition> planBroadcast(BroadcastOp broadcast,
                                               ArrayRef<int64_t> to) {
  std::optional<SmallVector<ReshapeRun>> matched =
      matchShapes(broadcast.getType().getShape(), to);
  auto operand = getTensorType(broadcast.getOperand());
  if (operand.getRank() == 0)
    return Repetition();
  if (!matched)
    return std::nullopt;
  Repetition plan;
  for (const ReshapeRun &run : *matched) {
    size_t wide = 0, covered = 0;
    for (size_t d = run.fromBegin; d < run.fromEnd; ++d) {
      if (broadcast.getType().getDimSize(d) == 1)
        continue;
      ++wide;
      const int64_t *found = llvm::find(broadcast.getDims(), int64_t(d));
      covered += found != broadcast.getDims().end() &&
                 operand.getDimSize(found - broadcast.getDims().begin()) != 1;
    }
    if (covered == 0)
      continue;
    if (covered != wide)
      return std::nullopt;
    for (size_t d = run.toBegin; d < run.toEnd; ++d) {
      plan.shape.push_back(to[d]);
      plan.dims.push_back(d);
    }
  }
  return plan;
}

static SmallVector<int64_t> getWideExtents(ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(getWideDims(shape),
                             [&](int64_t d) { return shape[d]; });
}

/// Where the dimensions of the operand go, if it can be repeated as it is.
static std::optional<SmallVector<int64_t>>
placeOperand(BroadcastOp broadcast, const Repetition &plan, int64_t rank) {
  ArrayRef<int64_t> shape = getTensorType(broadcast.getOperand()).getShape();
  if (getWideExtents(shape) != getWideExtents(plan.shape))
    return std::nullopt;
  SmallVector<int64_t> targets = llvm::map_to_vector(
      getWideDims(plan.shape), [&](int64_t d) { return plan.dims[d]; });
  return placeUnitsBetween(shape, targets, rank);
}

static Value buildBroadcast(BroadcastOp broadcast, ArrayRef<int64_t> to,
                            TensorBuilder &b) {
  Repetition plan = *planBroadcast(broadcast, to);
  Value operand = broadcast.getOperand();
  if (!isView(operand))
    if (auto dims = placeOperand(broadcast, plan, to.size()))
      return b.broadcast(operand, to, *dims);
  return b.broadcast(b.reshape(operand, plan.shape), to, plan.dims);
}

namespace {
/// `shape` with each dimension cut where `other`, which has as many elements,
/// begins one: both are merges of its dimensions. Nothing if there is none.
static std::optional<SmallVector<int64_t>> refine(ArrayRef<int64_t> shape,
                                                  ArrayRef<int64_t> other) {
  SmallVector<int64_t> result;
  size_t i = 0, j = 0;
  int64_t a = 1, b = 1; // What is left of the dimension before.
  while (true) {
    while (a == 1 && i < shape.size())
      a = shape[i++];
    while (b == 1 && j < other.size())
      b = other[j++];
    int64_t least = std::min(a, b);
    if (least < 1 || a % least != 0 || b % least != 0)
      return std::nullopt;
    if (least == 1)
      return a == b ? std::optional(result) : std::nullopt;
    result.push_back(least);
    a /= least;
    b /= least;
  }
}

/// op(reshape x, y) = reshape op(x, y') where y' is y in the shape of x: a
/// scalar, a reshape of the same shape, or a view or repetition of a view.
/// Where y is repeated along a part of a dimension of x, both are computed in a
/// shape in which that is a dimension (a group norm by an instance norm), if x
/// is computed point by point from what has that shape as well.
struct SinkReshape : public OpInterfaceRewritePattern<PrimitiveOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(PrimitiveOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isPointByPoint(op))
      return failure();
    // A mask takes the shape of what it masks.
    ReshapeOp reshape;
    for (Value operand : op->getOperands()) {
      auto candidate = operand.getDefiningOp<ReshapeOp>();
      if (candidate && !isView(candidate.getOperand()) &&
          (!reshape || canNarrow(reshape.getOperand())))
        reshape = candidate;
    }
    if (!reshape)
      return failure();
    Value source = reshape.getOperand();
    SmallVector<int64_t> shape(getTensorType(source).getShape());
    auto takesAll = [&] {
      return llvm::all_of(op->getOperands(), [&](Value operand) {
        return operand.getDefiningOp() == reshape || canReshape(operand, shape);
      });
    };
    const bool keepsShape = takesAll();
    if (!keepsShape) {
      auto refined = refine(shape, reshape.getType().getShape());
      if (!refined)
        return failure();
      shape = *refined;
      if (!reshape->hasOneUse() || !source.hasOneUse() || !takesAll() ||
          !canCompute(source, shape))
        return failure();
    }
    TensorBuilder b(rewriter, op.getLoc());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(operand.getDefiningOp() != reshape
                             ? reshapeOperand(operand, shape, b)
                         : keepsShape ? source
                                      : compute(source, shape, rewriter));
    Value result = cloneElementwise(rewriter, op, operands, shape);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op->getResult(0).getType(),
                                           result);
    return success();
  }

private:
  /// The most operations that are computed in another shape.
  static constexpr unsigned kMostSteps = 8;

  /// Whether `value` can be computed as if it had `shape`.
  static bool canCompute(Value value, ArrayRef<int64_t> shape,
                         unsigned depth = kMostSteps) {
    auto op = dyn_cast_if_present<PrimitiveOpInterface>(value.getDefiningOp());
    if (!op || !isPointByPoint(op))
      return canReshape(value, shape);
    return depth > 0 && llvm::all_of(op->getOperands(), [&](Value operand) {
             return canCompute(operand, shape, depth - 1);
           });
  }
  static Value compute(Value value, ArrayRef<int64_t> shape,
                       PatternRewriter &rewriter) {
    Operation *op = value.getDefiningOp();
    TensorBuilder b(rewriter, value.getLoc());
    if (!op || !isPointByPoint(op))
      return reshapeOperand(value, shape, b);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(compute(operand, shape, rewriter));
    return cloneElementwise(rewriter, op, operands, shape);
  }

  static bool canReshape(Value operand, ArrayRef<int64_t> shape) {
    if (auto reshape = operand.getDefiningOp<ReshapeOp>();
        reshape && getTensorType(reshape.getOperand()).getShape() == shape)
      return true;
    if (isView(operand))
      return true;
    if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
      return canReshapeBroadcast(broadcast, shape);
    return isNarrowedTo(operand, shape);
  }

  /// Whether `operand`, or what it reshapes, is a mask of that shape, but for
  /// dimensions of extent 1.
  static bool isNarrowedTo(Value operand, ArrayRef<int64_t> shape) {
    Value source = withoutReshape(operand);
    return getWideExtents(getTensorType(source).getShape()) ==
               getWideExtents(shape) &&
           canNarrow(source);
  }
  static Value withoutReshape(Value operand) {
    auto reshape = operand.getDefiningOp<ReshapeOp>();
    return reshape ? reshape.getOperand() : operand;
  }

  static bool canReshapeBroadcast(BroadcastOp broadcast,
                                  ArrayRef<int64_t> shape) {
    std::optional<Repetition> plan = planBroadcast(broadcast, shape);
    if (!plan || isView(broadcast.getOperand()))
      return plan.has_value();
    // What is repeated needs no reshape, or goes back to the shape in which a
    // reduction made it.
    if (placeOperand(broadcast, *plan, shape.size()))
      return true;
    auto reduced = broadcast.getOperand().getDefiningOp<ReshapeOp>();
    auto dropUnits = [](ArrayRef<int64_t> extents) {
      return llvm::make_filter_range(
          extents, [](int64_t extent) { return extent != 1; });
    };
    return reduced &&
           llvm::equal(
               dropUnits(getTensorType(reduced.getOperand()).getShape()),
               dropUnits(plan->shape));
  }

  static Value reshapeOperand(Value operand, ArrayRef<int64_t> shape,
                              TensorBuilder &b) {
    if (auto reshape = operand.getDefiningOp<ReshapeOp>();
        reshape && getTensorType(reshape.getOperand()).getShape() == shape)
      return reshape.getOperand();
    if (isView(operand))
      return b.reshape(operand, shape);
    if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
      return buildBroadcast(broadcast, shape, b);
    return b.broadcast(narrow(withoutReshape(operand), b), shape,
                       getWideDims(shape));
  }
};

/// reduce(reshape x) = reshape(reduce x) where x has the reduced dimensions.
struct ReduceOfReshape : public OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> sources;
    for (Value input : op.getInputs()) {
      auto reshape = input.getDefiningOp<ReshapeOp>();
      if (!reshape || isView(input))
        return failure();
      sources.push_back(reshape.getOperand());
    }
    ArrayRef<int64_t> from = getTensorType(sources.front()).getShape();
    for (Value source : sources)
      if (getTensorType(source).getShape() != from)
        return failure();
    std::optional<SmallVector<ReshapeRun>> runs =
        matchShapes(from, getTensorType(op.getInputs().front()).getShape());
    if (!runs)
      return failure();
    SmallVector<int64_t> dims, shape;
    ArrayRef<int64_t> to = getTensorType(op.getInputs().front()).getShape();
    for (const ReshapeRun &run : *runs) {
      // Those of extent 1 do not matter.
      SmallVector<int64_t> wideFrom, wideTo;
      for (size_t d = run.fromBegin; d < run.fromEnd; ++d)
        if (from[d] != 1)
          wideFrom.push_back(d);
      for (size_t d = run.toBegin; d < run.toEnd; ++d)
        if (to[d] != 1)
          wideTo.push_back(d);
      bool reduces = llvm::any_of(wideTo, [&](int64_t d) {
        return llvm::is_contained(op.getDims(), d);
      });
      bool reducesAll = llvm::all_of(wideTo, [&](int64_t d) {
        return llvm::is_contained(op.getDims(), d);
      });
      if (reduces && !reducesAll)
        return failure();
      for (size_t d = run.fromBegin; d < run.fromEnd; ++d)
        if (reduces && from[d] != 1)
          dims.push_back(d);
        else
          shape.push_back(from[d]);
    }
    if (dims.empty())
      return failure();
    auto reduced = cast<ReduceOp>(rewriter.clone(*op));
    rewriter.modifyOpInPlace(reduced, [&] {
      reduced->setOperands(sources);
      reduced.setDims(dims);
      for (Value result : reduced.getResults())
        result.setType(getTensorType(result).clone(shape));
    });
    SmallVector<Value> results;
    for (auto [old, result] : llvm::zip(op.getResults(), reduced.getResults()))
      results.push_back(
          ReshapeOp::create(rewriter, op.getLoc(), old.getType(), result));
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// reshape(broadcast x) = broadcast(reshape x).
struct ReshapeOfBroadcast : public OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto broadcast = op.getOperand().getDefiningOp<BroadcastOp>();
    ArrayRef<int64_t> shape = op.getType().getShape();
    if (!broadcast || !isView(broadcast.getOperand()) ||
        !planBroadcast(broadcast, shape))
      return failure();
    TensorBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(op, buildBroadcast(broadcast, shape, b));
    return success();
  }
};
} // namespace

void fusec::fuse::populateSimplifyReshapes(RuleSet &rules) {
  rules.add<SinkReshape>(
      {"reshapes.sink", RuleArea::Transposes, /*level=*/1, Bits::Kept,
       "Moves reshapes behind what is computed point by point."});
  rules.add<ReduceOfReshape>({"reshapes.reduce-of", RuleArea::Transposes,
                              /*level=*/1, Bits::Kept,
                              "Moves reshapes behind reductions."});
  rules.add<ReshapeOfBroadcast>({"reshapes.of-broadcast", RuleArea::Transposes,
                                 /*level=*/1, Bits::Kept,
                                 "Reshapes before a repetition."});
}
