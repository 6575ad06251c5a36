// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is repeated has no dimensions of extent 1: the same bias or mask has one
// form, however it was stored or computed. Nor is such a dimension reduced.
#include "passes/graph/Simplify.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

static bool hasUnits(Value value) {
  return llvm::is_contained(getTensorType(value).getShape(), 1);
}

/// Masks are shorter expressions than this one.
static constexpr unsigned kLongestExpression = 16;

static bool canNarrowWithin(Value value, unsigned depth) {
  if (!hasUnits(value) || isView(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (auto iota = dyn_cast<IotaOp>(op))
    return iota.getType().getDimSize(iota.getAxis()) != 1;
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return depth > 0 && canNarrowWithin(broadcast.getOperand(), depth - 1);
  return depth > 0 && isPointByPoint(op) &&
         llvm::all_of(op->getUsers(),
                      [](Operation *user) {
                        return isa<BroadcastOp, ReshapeOp>(user) ||
                               isPointByPoint(user);
                      }) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return canNarrowWithin(operand, depth - 1);
         });
}

bool fusec::fuse::canNarrow(Value value) {
  return isView(value) ||
         (hasUnits(value) && canNarrowWithin(value, kLongestExpression));
}

Value fusec::fuse::narrow(Value value, TensorBuilder &b) {
  auto type = getTensorType(value);
  if (!hasUnits(value))
    return value;
  SmallVector<int64_t> wide = getWideDims(type.getShape());
  SmallVector<int64_t> shape =
      llvm::map_to_vector(wide, [&](int64_t d) { return type.getDimSize(d); });
  if (isView(value))
    return b.reshape(value, shape);
  Operation *op = value.getDefiningOp();
  auto newDim = [&](int64_t d) { return llvm::find(wide, d) - wide.begin(); };
  if (auto iota = dyn_cast<IotaOp>(op))
    return b.iota(type.clone(shape), newDim(iota.getAxis()));
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    SmallVector<int64_t> dims;
    for (auto [extent, d] :
         llvm::zip(getTensorType(broadcast.getOperand()).getShape(),
                   broadcast.getDims()))
      if (extent != 1)
        dims.push_back(newDim(d));
    return b.broadcast(narrow(broadcast.getOperand(), b), shape, dims);
  }
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return narrow(operand, b); });
  return cloneElementwise(b.builder, op, operands, shape);
}

namespace {
struct BroadcastOfUnitDims : public OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    Value operand = op.getOperand();
    if (!hasUnits(operand) || !canNarrow(operand))
      return failure();
    SmallVector<int64_t> dims;
    for (auto [extent, d] :
         llvm::zip(getTensorType(operand).getShape(), op.getDims()))
      if (extent != 1)
        dims.push_back(d);
    TensorBuilder b(rewriter, op.getLoc());
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(),
                                             narrow(operand, b), dims);
    return success();
  }
};

/// What a reduction starts with and one element are that element.
struct ReduceOfUnits : public OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    Block &combiner = op.getCombiner().front();
    if (op.getInputs().size() != 1 || op.getNumResults() != 1 ||
        !llvm::hasSingleElement(combiner.without_terminator()) ||
        combiner.front().getNumOperands() != 2 ||
        !llvm::all_of(combiner.getArguments(), [&](Value argument) {
          return llvm::is_contained(combiner.front().getOperands(), argument);
        }))
      return failure();
    auto from = getTensorType(op.getInputs()[0]);
    std::optional<TypedAttr> neutral =
        arith::getNeutralElement(&combiner.front());
    if (!neutral || !isSame(*neutral, op.getInits()[0]) ||
        !llvm::all_of(op.getDims(),
                      [&](int64_t d) { return from.getDimSize(d) == 1; }))
      return failure();
    auto to = getTensorType(op.getResult(0));
    TensorBuilder b(rewriter, op.getLoc());
    Value element = b.reshape(op.getInputs()[0], to.getShape());
    rewriter.replaceOp(op, b.cast(element, to.getElementType()));
    return success();
  }

private:
  /// The sign of a zero has no meaning.
  static bool isSame(Attribute a, Attribute b) {
    auto x = dyn_cast<FloatAttr>(a), y = dyn_cast<FloatAttr>(b);
    return x && y ? x.getValueAsDouble() == y.getValueAsDouble() : a == b;
  }
};
} // namespace

void fusec::fuse::populateSimplifyUnits(RewritePatternSet &patterns) {
  patterns.add<BroadcastOfUnitDims, ReduceOfUnits>(patterns.getContext());
}
