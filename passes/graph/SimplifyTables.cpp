// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of codes: rows are dequantised behind the gather that picks them, and
// so the table is stored as the codes that it is.
#include "passes/graph/Simplify.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Whether `value` is a constant of integers of a byte or less.
static bool isConstantCodes(Value value) {
  Type type = getTensorType(value).getElementType();
  return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() <= 8 &&
         hasConstantData(value);
}

namespace {
/// gather(dequantize(codes, scale, zero)) is dequantize of what is gathered
/// from each; a reshape between the two may only be behind the axis.
struct GatherOfDequantize : public OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> axis = op.getAxis();
    auto table = getTensorType(op.getOperand());
    auto reshape = op.getOperand().getDefiningOp<ReshapeOp>();
    auto source = (reshape ? reshape.getOperand() : op.getOperand())
                      .getDefiningOp<DequantizeOp>();
    if (!axis || !source || !isConstantCodes(source.getInput()))
      return failure();
    auto codes = getTensorType(source.getInput());
    if (codes.getRank() <= *axis || codes.getShape().take_front(*axis + 1) !=
                                        table.getShape().take_front(*axis + 1))
      return failure();

    Value positions = op.getIndices().front();
    TensorBuilder b(rewriter, op.getLoc());
    // Scales and zero points correspond to the last dimensions of the codes.
    auto pick = [&](Value value) -> Value {
      if (!value)
        return value;
      auto type = getTensorType(value);
      int64_t dim = *axis - (codes.getRank() - type.getRank());
      if (dim < 0)
        return value;
      ArrayRef<int64_t> picked = getTensorType(positions).getShape();
      SmallVector<int64_t> shape(type.getShape().take_front(dim));
      bool isForAll = type.getDimSize(dim) == 1 && codes.getDimSize(*axis) != 1;
      if (isForAll)
        shape.append(picked.size(), 1);
      else
        llvm::append_range(shape, picked);
      llvm::append_range(shape, type.getShape().drop_front(dim + 1));
      if (isForAll)
        return b.reshape(value, shape);
      return GatherOp::create(rewriter, op.getLoc(), type.clone(shape), value,
                              positions, uint64_t(dim));
    };
    Value rows = pick(source.getInput()), scale = pick(source.getScale()),
          zero = pick(source.getZeroPoint());
    auto type = getTensorType(rows).clone(op.getType().getElementType());
    Value numbers =
        DequantizeOp::create(rewriter, op.getLoc(), type, rows, scale, zero);
    rewriter.replaceOp(op, b.reshape(numbers, op.getType().getShape()));
    return success();
  }
};
} // namespace

void fusec::fuse::populateSimplifyTables(RuleSet &rules) {
  rules.add<GatherOfDequantize>(
      {"tables.gather-codes", RuleArea::QDQ, /*level=*/1, Bits::Kept,
       "Gathers rows of codes, and dequantises those."});
}
