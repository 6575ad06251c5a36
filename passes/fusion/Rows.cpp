// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/fusion/Rows.h"

#include "passes/fusion/BodyInfo.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

Rows::Rows(ArrayRef<Operation *> ops)
    : target(ops.empty() ? nullptr : &getTargetInfo(ops.front())) {
  for (Operation *op : ops) {
    bool reads = llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      return producer && (readers.contains(producer) ||
                          (!contractions.empty() &&
                           producer == contractions.front().getOperation()));
    });
    if (reads)
      readers.insert(op);
    if (contractions.size() > 1 &&
        llvm::any_of(op->getOperands(), [&](Value v) {
          Operation *producer = v.getDefiningOp();
          return producer && (behind.contains(producer) ||
                              producer == contractions[1].getOperation());
        }))
      behind.insert(op);
    auto primitive = dyn_cast<PrimitiveOpInterface>(op);
    if (primitive && primitive.hasReduction())
      (isContraction(primitive) ? contractions : reductions)
          .push_back(primitive);
  }
}

/// The iterator along which the operand lies together in memory; null if its
/// subscripts are more than iterators.
static AffineDimExpr getAlong(PrimitiveOpInterface op, unsigned operand) {
  AffineMap map = op.getOperandMap(operand);
  if (!map.isProjectedPermutation() || map.getNumResults() == 0)
    return AffineDimExpr(nullptr);
  return cast<AffineDimExpr>(map.getResults().back());
}

static bool isReduced(PrimitiveOpInterface op, AffineExpr iterator) {
  return !op.getResultMap(0).getResultPosition(iterator);
}

/// Which operand of the contraction `op` is a matrix that rows are multiplied
/// with: lanes run along its rows, which are those of the result.
static std::optional<unsigned> findMatrix(PrimitiveOpInterface op,
                                          const TargetInfo &target) {
  if (op->getNumOperands() != 2)
    return std::nullopt;
  for (unsigned matrix : {0u, 1u}) {
    AffineDimExpr along = getAlong(op, matrix);
    if (along && !isReduced(op, along) &&
        !op.getOperandMap(1 - matrix).isFunctionOfDim(along.getPosition()) &&
        op.getIterationExtents()[along.getPosition()] >= target.lanes)
      return matrix;
  }
  return std::nullopt;
}

/// The matrix, which is read for each block of rows, must stay in a cache of
/// `most` bytes. There must be a loop over rows: below it lanes run along
/// columns, and of one row alone the loop around all is one that sums up.
std::optional<std::string> Rows::refuseMatrix(PrimitiveOpInterface op,
                                              unsigned matrix,
                                              int64_t most) const {
  AffineMap rowMap = op.getOperandMap(1 - matrix),
            matrixMap = op.getOperandMap(matrix);
  SmallVector<int64_t> extents = op.getIterationExtents();
  if (getTensorType(op->getResult(0)).getNumElements() ==
      extents[getAlong(op, matrix).getPosition()])
    return "a product that has one row alone shares no loop with what reduces "
           "rows";
  auto type = getTensorType(op->getOperand(matrix));
  int64_t bytes = (type.getElementTypeBitWidth() + 7) / 8, rows = 1;
  for (AffineExpr iterator : matrixMap.getResults())
    if (isReduced(op, iterator) ||
        (!rowMap.getResultPosition(iterator) && !isAround(op, iterator)))
      bytes *= extents[cast<AffineDimExpr>(iterator).getPosition()];
  for (AffineExpr iterator : rowMap.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(iterator);
        dim && !matrixMap.getResultPosition(dim))
      rows *= extents[dim.getPosition()];
  if (rows > 1 && bytes > most)
    return "each block of rows would be multiplied with " +
           std::to_string(bytes) + " bytes, more than stay in the cache";
  return std::nullopt;
}

/// Whether the value is a weight, possibly by another shape, outside of a group
/// or as its argument.
static bool isWeight(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto group = dyn_cast<GroupOp>(argument.getOwner()->getParentOp());
    return group && isWeight(group->getOperand(argument.getArgNumber()));
  }
  if (auto reshape = value.getDefiningOp<ReshapeOp>())
    return isWeight(reshape.getOperand());
  return value.getDefiningOp<GetWeightOp>() != nullptr;
}

/// Whether `iterator` of `op` is one of a loop around rows: the first
/// reduction, which reads what the first contraction `op` makes, leaves its
/// dimension.
bool Rows::isAround(PrimitiveOpInterface op, AffineExpr iterator) const {
  std::optional<unsigned> dim = op.getResultMap(0).getResultPosition(iterator);
  if (op != contractions.front() || !dim || !readsMade())
    return false;
  PrimitiveOpInterface first = reductions.front();
  return !isReduced(first, first.getOperandMap(0).getResult(*dim));
}

/// Whether the first reduction reads the points that the first contraction
/// makes.
bool Rows::readsMade() const {
  auto made = getTensorType(contractions.front()->getResult(0));
  return !reductions.empty() && made.getRank() > 0 &&
         made.getShape() ==
             getTensorType(reductions.front()->getOperand(0)).getShape();
}

/// Whether the first reduction runs over other dimensions of what the first
/// contraction makes than the last one, which rows lie along.
bool Rows::leavesRows() const {
  if (!readsMade())
    return false;
  PrimitiveOpInterface sum = reductions.front();
  return !isReduced(sum, sum.getOperandMap(0).getResults().back());
}

/// Whether one reduction adds up what the first contraction makes, along
/// dimensions of `matrix` that lanes do not run along: over blocks of its
/// terms, of which tiles keep the sums of a block and those of all in
/// registers. Along rows they would not share what they load of the matrix.
bool Rows::sumBlocks(unsigned matrix) const {
  PrimitiveOpInterface producer = contractions.front();
  if (contractions.size() != 1 || reductions.size() != 1 || !leavesRows())
    return false;
  PrimitiveOpInterface sum = reductions.front();
  return llvm::all_of_zip(
      producer.getResultMap(0).getResults(), sum.getOperandMap(0).getResults(),
      [&](AffineExpr iterator, AffineExpr along) {
        return !isReduced(sum, along) ||
               producer.getOperandMap(matrix).getResultPosition(iterator);
      });
}

/// Where every element is a product of two rows that lie together in memory,
/// long enough for lanes, lanes run along the sum, and no tile of results would
/// read the operands less often. Where it is one of a row and a matrix, rows
/// are computed in tiles; blocks of rows do that on a CPU. Several rows stay in
/// a cache.
std::optional<std::string> Rows::refuseProducer() const {
  PrimitiveOpInterface producer = contractions.front();
  SmallVector<int64_t> extents = producer.getIterationExtents();
  auto operands = llvm::seq<unsigned>(0, producer->getNumOperands());
  const bool isAlongSum = llvm::all_of(operands, [&](unsigned operand) {
    AffineDimExpr along = getAlong(producer, operand);
    return along && isReduced(producer, along) &&
           extents[along.getPosition()] >= target->lanes;
  });
  std::optional<unsigned> matrix;
  if (!isAlongSum && !target->hasBlocks())
    matrix = findMatrix(producer, *target);
  // Lanes run along the rows.
  if (matrix && getAlong(producer, *matrix) !=
                    producer.getResultMap(0).getResults().back())
    matrix = std::nullopt;
  if (matrix && sumBlocks(*matrix))
    return std::nullopt;
  if ((!isAlongSum && !matrix) || leavesRows())
    return "a contraction is computed in register tiles, which another "
           "reduction in the same loops would take apart";
  if (matrix) {
    // In a kernel of its own a product has more rows to each panel of weights,
    // which pays where these are many.
    const int64_t panels = target->getPanelBytes();
    const int64_t most =
        isWeight(producer->getOperand(*matrix)) ? panels / 4 : panels;
    if (auto reason = refuseMatrix(producer, *matrix, most))
      return reason;
  }
  int64_t row = 1;
  auto type = getTensorType(producer->getResult(0));
  for (int64_t extent : type.getShape())
    row = extent == 1 ? row : extent;
  const int64_t lane = getLaneBytes(type);
  if (row > (matrix ? target->getBlockedRowElements(lane)
                    : target->getBlockElements(lane)))
    return "rows of " + std::to_string(row) +
           " elements between a contraction and a reduction do not stay in "
           "the cache";
  return std::nullopt;
}

/// Lanes must run along the rows of the other operand, which stays in the
/// second-level cache: it is read for each block of rows, and what makes the
/// rows is as large.
std::optional<std::string>
Rows::refuseProduct(PrimitiveOpInterface product) const {
  if (product->getNumOperands() != 2)
    return "a product of more than a row and a matrix";
  const unsigned row = reads(product->getOperand(0).getDefiningOp()) ? 0 : 1;
  if (!reads(product->getOperand(row).getDefiningOp()) ||
      reads(product->getOperand(1 - row).getDefiningOp()))
    return "two contractions do not share a loop nest";
  if (findMatrix(product, *target) != 1 - row)
    return "lanes cannot run along the result of a product with a row";
  return refuseMatrix(product, 1 - row, target->getPanelBytes());
}

/// Whether two contractions run over the same points, by the same maps, and
/// read an operand of each other's: its loads serve both.
bool Rows::shareOperand() const {
  if (contractions.size() != 2 || reads(contractions.back()))
    return false;
  PrimitiveOpInterface a = contractions.front(), b = contractions.back();
  if (a->getNumOperands() != b->getNumOperands() ||
      a.getIterationExtents() != b.getIterationExtents() ||
      a.getResultMap(0) != b.getResultMap(0))
    return false;
  bool shares = false;
  for (unsigned i = 0, e = a->getNumOperands(); i < e; ++i) {
    if (a.getOperandMap(i) != b.getOperandMap(i))
      return false;
    shares |= a->getOperand(i) == b->getOperand(i);
  }
  return shares;
}

/// A tile reads of each product's own operand as many elements as the sum is
/// long, for each lane, and the next tile of rows reads them again: panels of
/// weights, which are packed, or lines of as many pages.
std::optional<std::string> Rows::refuseTwins() const {
  PrimitiveOpInterface a = contractions.front(), b = contractions.back();
  int64_t lane = getLaneBytes(getTensorType(a->getResult(0)));
  int64_t terms = 1, bytes = 0;
  for (auto [i, extent] : llvm::enumerate(a.getIterationExtents()))
    if (isReduced(a, getAffineDimExpr(i, a->getContext())))
      terms *= extent;
  bool packed = true;
  for (auto [x, y] : llvm::zip(a->getOperands(), b->getOperands())) {
    if (x == y)
      continue;
    packed &= isWeight(x) && isWeight(y);
    for (Value operand : {x, y})
      bytes +=
          terms * target->lanes *
          getTypeInfo(getTensorType(operand).getElementType())->storageBytes();
  }
  if (packed ? bytes <= target->getPanelBytes()
             : terms <= target->getBlockBytes() / target->getVectorBytes(lane))
    return std::nullopt;
  return "two products of " + std::to_string(terms) +
         " terms would drive each other's operands out of the cache";
}

/// Whether `reduction`, of the product with rows, runs over dimensions that
/// number its rows and its matrices alike: over parts of longer rows, each of
/// which has been multiplied with a part of a longer matrix.
bool Rows::joinsParts(PrimitiveOpInterface reduction) const {
  PrimitiveOpInterface product = contractions.back();
  auto made = getTensorType(product->getResult(0));
  if (made.getShape() != getTensorType(reduction->getOperand(0)).getShape())
    return false;
  return llvm::all_of_zip(
      product.getResultMap(0).getResults(),
      reduction.getOperandMap(0).getResults(),
      [&](AffineExpr iterator, AffineExpr along) {
        return !isReduced(reduction, along) ||
               (product.getOperandMap(0).getResultPosition(iterator) &&
                product.getOperandMap(1).getResultPosition(iterator));
      });
}

std::optional<std::string> Rows::refuse() const {
  if (contractions.empty() || (contractions.size() == 1 && reductions.empty()))
    return std::nullopt;
  if (reductions.empty() && shareOperand())
    return refuseTwins();
  bool multiplies = contractions.size() == 2 && reads(contractions.back());
  if ((contractions.size() > 1 && !multiplies) || reductions.empty())
    return "two contractions do not share a loop nest";
  if (auto reason = refuseProducer())
    return reason;
  if (!llvm::all_of(reductions,
                    [&](Operation *reduction) { return reads(reduction); }))
    return "a contraction and a reduction of something else do not share a "
           "loop nest";
  if (!multiplies)
    return std::nullopt;
  for (PrimitiveOpInterface reduction : reductions)
    if (behind.contains(reduction) && !joinsParts(reduction))
      return "a reduction of a product with rows would take its tiles apart";
  return refuseProduct(contractions.back());
}
