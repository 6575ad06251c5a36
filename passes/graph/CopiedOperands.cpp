// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/CopiedOperands.h"

#include "dialects/TargetInfo.h"
#include "passes/Terms.h"
#include "passes/graph/Simplify.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace fusec::fuse {

std::optional<unsigned> findLaneDim(ContractOp op, unsigned operand) {
  AffineMap map = op.getOperandMap(operand),
            other = op.getOperandMap(1 - operand);
  AffineMap result = op.getResultMap(0);
  auto shape = getTensorType(op->getOperand(operand)).getShape();
  std::optional<unsigned> best;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    unsigned iterator = cast<AffineDimExpr>(expr).getPosition();
    if (!result.isFunctionOfDim(iterator) || other.isFunctionOfDim(iterator))
      continue;
    if (!best || shape[position] > shape[*best])
      best = position;
  }
  return best;
}

/// Whether what is computed from `value`, point by point, is reduced: then a
/// kernel may keep rows of it to itself.
static bool isReducedLater(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (auto primitive = dyn_cast<PrimitiveOpInterface>(user);
        primitive && primitive.hasReduction())
      return true;
    return isPointByPoint(user) && isReducedLater(user->getResult(0));
  });
}

std::optional<unsigned> findCopied(ContractOp op, bool keepsOrder) {
  const TargetInfo &target = getTargetInfo(op);
  // Threads bring tiles into shared memory, whichever way they lie.
  if (target.hasBlocks())
    return std::nullopt;
  SmallVector<int64_t> extents = op.getIterationExtents();
  AffineMap result = op.getResultMap(0);
  auto count = [&](auto isCounted) {
    int64_t product = 1;
    for (auto [iterator, extent] : llvm::enumerate(extents))
      product *= isCounted(iterator) ? extent : 1;
    return product;
  };
  auto primitive = cast<PrimitiveOpInterface>(op.getOperation());
  for (unsigned operand : {0u, 1u})
    if (!endsInTerms(primitive, op.getOperandMap(operand)))
      return std::nullopt;
  // What is reduced later stays with the kernel where a block of rows does. If
  // not, it goes through memory as a whole then, in kernels of their own for
  // the product, what is reduced, and what follows.
  auto type = getTensorType(op->getResult(0));
  const bool makesRows = isReducedLater(op->getResult(0));
  const bool leavesRows =
      makesRows && type.getRank() > 0 &&
      type.getShape().back() > target.getBlockedRowElements(getLaneBytes(type));
  if (leavesRows &&
      type.getNumElements() * getLaneBytes(type) > target.lastCache)
    return std::nullopt;
  const OperationCosts &costs = target.costs;
  const double launches =
      (leavesRows ? 3 : 1) * double(target.launchSteps) * costs.simple;
  const double terms = double(count(
      [&](unsigned iterator) { return !result.isFunctionOfDim(iterator); }));
  std::optional<unsigned> best;
  double most = 0;
  for (unsigned operand : {1u, 0u}) {
    std::optional<unsigned> dim = findLaneDim(op, operand);
    auto operandType = getTensorType(op->getOperand(operand));
    if (!dim || operandType.getDimSize(*dim) < target.lanes)
      continue;
    AffineMap map = op.getOperandMap(operand);
    // Lanes run along rows.
    if (makesRows && map.getResult(*dim) != result.getResults().back())
      continue;
    // Of a vector of the operand: without a copy each use of it is a load, and
    // the lanes of a sum come together once for all of its terms, or where sums
    // keep their order, a load for each lane; with one, the rows of a tile
    // share the load.
    const double uses = double(count(
        [&](unsigned iterator) { return !map.isFunctionOfDim(iterator); }));
    const double rows =
        std::min(uses, double(target.getRows(getLaneBytes(type))));
    const double use =
        keepsOrder
            ? costs.stridedAccess
            : costs.vectorAccess + costs.reduce * double(target.lanes) / terms;
    const double saved = uses * (use - costs.vectorAccess / rows) -
                         costs.stridedAccess - costs.vectorAccess;
    const double vectors =
        double(operandType.getNumElements()) / double(target.lanes);
    const double gain = vectors * saved / double(target.cores) - launches;
    if (gain > most) {
      most = gain;
      best = operand;
    }
  }
  return best;
}

SmallVector<int64_t> putLast(ContractOp op, unsigned operand, unsigned dim) {
  AffineMap map = op.getOperandMap(operand);
  SmallVector<int64_t> perm =
      llvm::to_vector(llvm::seq<int64_t>(0, map.getNumResults()));
  llvm::erase(perm, int64_t(dim));
  if (multipliesBytes(op) || multipliesBf16(op))
    llvm::sort(perm, [&](int64_t a, int64_t b) {
      return map.getDimPosition(a) < map.getDimPosition(b);
    });
  perm.push_back(dim);
  return perm;
}

void replaceOperand(ContractOp op, unsigned operand, ArrayRef<int64_t> perm,
                    Value packed) {
  AffineMap map = op.getOperandMap(operand);
  SmallVector<AffineMap> maps(op.getMaps().getAsValueRange<AffineMapAttr>());
  maps[operand] =
      AffineMap::get(map.getNumDims(), 0,
                     applyPermutation(map.getResults(), perm), op.getContext());
  op->setOperand(operand, packed);
  op.setMapsAttr(Builder(op).getAffineMapArrayAttr(maps));
}

void copyOperand(ContractOp op, unsigned operand) {
  OpBuilder builder(op);
  SmallVector<int64_t> perm = putLast(op, operand, *findLaneDim(op, operand));
  Value value = op->getOperand(operand);
  auto type = getTensorType(value);
  replaceOperand(
      op, operand, perm,
      TransposeOp::create(builder, value.getLoc(),
                          type.clone(applyPermutation(type.getShape(), perm)),
                          value, perm, /*stored=*/true));
}

} // namespace fusec::fuse
