// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/padding/Repetitions.h"

#include "dialects/fuse/Growing.h"
#include "passes/graph/Simplify.h"
#include "passes/graph/TensorBuilder.h"
#include "passes/padding/Positions.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace fusec::padding {

/// Where a gather reads its operand, in the indices of its result; nothing
/// where data say it.
static std::optional<SmallVector<AffineExpr>> findPlace(fuse::GatherOp op,
                                                        Positions &positions) {
  auto primitive = cast<fuse::PrimitiveOpInterface>(*op);
  SmallVector<AffineExpr> numbers;
  for (unsigned operand : primitive.getIndirect(0)) {
    AffineExpr expr = positions.find(op->getOperand(operand));
    if (!expr)
      return std::nullopt;
    numbers.push_back(
        expr.replaceDims(primitive.getOperandMap(operand).getResults()));
  }
  return llvm::map_to_vector(
      primitive.getOperandMap(0).getResults(), [&](AffineExpr expr) {
        return simplify(expr.replaceSymbols(numbers), op.getType().getShape());
      });
}

/// `place` in the indices of the operand of the reshape that is read.
static SmallVector<AffineExpr> lookThrough(ArrayRef<AffineExpr> place,
                                           fuse::ReshapeOp reshape,
                                           ArrayRef<int64_t> extents) {
  return llvm::map_to_vector(getReshapedIndices(reshape), [&](AffineExpr expr) {
    return simplify(expr.replaceDims(place), extents);
  });
}

/// Whether a tensor of `shape`, read at `place`, is repeated as the repetition
/// says, in a result of these `extents`.
static bool isRepeated(const Repetition &repetition, ArrayRef<AffineExpr> place,
                       ArrayRef<int64_t> shape, ArrayRef<int64_t> extents) {
  if (repetition.dims.size() != shape.size())
    return false;
  for (auto [extent, expr, to] :
       llvm::zip_equal(shape, place, repetition.dims)) {
    const IndexRange apart = rangeOf(
        expr - getAffineDimExpr(to, expr.getContext()), rangesOf(extents));
    if (extent != 1 &&
        (extent != extents[to] || !apart.isConstant() || *apart.low != 0))
      return false;
  }
  return true;
}

/// The repetition of a tensor of `shape` that is read at an index of the
/// result, which has `rank`, along each dimension, if it is one.
static std::optional<Repetition>
findDims(ArrayRef<AffineExpr> place, ArrayRef<int64_t> shape, int64_t rank) {
  SmallVector<int64_t> targets;
  for (auto [extent, expr] : llvm::zip_equal(shape, place)) {
    if (extent == 1)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return std::nullopt;
    targets.push_back(dim.getPosition());
  }
  auto dims = fuse::placeUnitsBetween(shape, targets, rank);
  return dims ? std::optional(Repetition{false, *dims}) : std::nullopt;
}

/// A value and where it is read, in the indices of the result.
using Read = std::pair<Value, SmallVector<AffineExpr>>;

/// What a gather reads, without and with a look through a reshape.
static SmallVector<Read> findReads(fuse::GatherOp op, Positions &positions) {
  SmallVector<Read> reads;
  if (auto place = findPlace(op, positions)) {
    reads.push_back({op.getOperand(), *place});
    auto reshape = op.getOperand().getDefiningOp<fuse::ReshapeOp>();
    if (reshape && reshape.getType().getNumElements() != 0)
      reads.push_back({reshape.getOperand(),
                       lookThrough(*place, reshape, op.getType().getShape())});
  }
  return reads;
}

/// The updates of a scatter, if it writes each of them where it is itself, and
/// so all of the result.
static SmallVector<Read> findReads(fuse::CallOp op, Positions &positions) {
  auto reduction = op.getParameters().getAs<StringAttr>("reduction");
  if (op.getCallee() != "scatter_nd" || !reduction || reduction != "none" ||
      op->hasAttr(fuse::kGrownAttr))
    return {};
  Value indices = op.getOperands()[1], updates = op.getOperands()[2];
  ArrayRef<int64_t> shape = fuse::getTensorType(updates).getShape();
  const int64_t rank = shape.size();
  if (fuse::getTensorType(op.getResult(0)).getShape() != shape ||
      fuse::getTensorType(indices).getShape().back() != rank)
    return {};
  Read read = {updates, {}};
  for (int64_t d = 0; d < rank; ++d) {
    AffineExpr dim = getAffineDimExpr(d, op.getContext());
    AffineExpr written = positions.findPart(indices, /*axis=*/rank, d);
    if (!written || simplify(written - dim, shape) != 0)
      return {};
    read.second.push_back(dim);
  }
  return {read};
}

/// Calls `visit` with each gather and scatter, and what is read of it, if
/// known.
static void
forEachRead(func::FuncOp main,
            llvm::function_ref<void(Operation *, ArrayRef<Read>)> visit) {
  Positions positions;
  for (Operation &op : llvm::make_early_inc_range(main.getBody().front()))
    llvm::TypeSwitch<Operation *>(&op).Case<fuse::GatherOp, fuse::CallOp>(
        [&](auto op) { visit(op, findReads(op, positions)); });
}

std::vector<std::optional<Repetition>> findRepetitions(func::FuncOp main) {
  std::vector<std::optional<Repetition>> found;
  forEachRead(main, [&](Operation *op, ArrayRef<Read> reads) {
    std::optional<Repetition> &repetition = found.emplace_back();
    for (auto [number, read] : llvm::enumerate(reads)) {
      ArrayRef<int64_t> shape = fuse::getTensorType(read.first).getShape(),
                        extents =
                            fuse::getTensorType(op->getResult(0)).getShape();
      auto dims = findDims(read.second, shape, extents.size());
      if (repetition || !dims ||
          !isRepeated(*dims, read.second, shape, extents))
        continue;
      repetition = dims;
      repetition->isOfReshaped = number == 1;
    }
  });
  return found;
}

void repeat(func::FuncOp main,
            ArrayRef<std::optional<Repetition>> repetitions) {
  size_t number = 0;
  SmallVector<Operation *> replaced; // erased when nobody remembers them
  forEachRead(main, [&](Operation *op, ArrayRef<Read> reads) {
    if (number == repetitions.size())
      return;
    const std::optional<Repetition> &repetition = repetitions[number++];
    if (!repetition || reads.empty())
      return;
    // No reshape is built where it would leave a shape as it is.
    const auto &[value, place] =
        repetition->isOfReshaped ? reads.back() : reads.front();
    ArrayRef<int64_t> shape = fuse::getTensorType(value).getShape(),
                      extents =
                          fuse::getTensorType(op->getResult(0)).getShape();
    if (!isRepeated(*repetition, place, shape, extents))
      return;
    OpBuilder builder(op);
    fuse::TensorBuilder b(builder, op->getLoc());
    op->getResult(0).replaceAllUsesWith(
        b.broadcast(value, extents, repetition->dims));
    replaced.push_back(op);
  });
  for (Operation *op : replaced)
    op->erase();
  // What only the positions were computed of goes.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(main.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

} // namespace fusec::padding
