// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a statement's body says of it: what it contracts, what its values depend
// on, and which integers they may be.
#include "dialects/kernel/KernelOps.h"
#include "dialects/sched/SchedOps.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

/// What `value` is computed from: arguments of the body, gathers, and numbers
/// of iterators.
static llvm::SetVector<Value> findSources(Value value) {
  llvm::SetVector<Value> sources, pending;
  pending.insert(value);
  for (size_t i = 0; i < pending.size(); ++i) {
    Value next = pending[i];
    Operation *op = next.getDefiningOp();
    if (!op || isa<GatherOp, IndexOp>(op))
      sources.insert(next);
    if (auto gather = dyn_cast_or_null<GatherOp>(op))
      pending.insert_range(gather.getIndices());
    else if (op)
      pending.insert_range(op->getOperands());
  }
  return sources;
}

bool StmtOp::reducesFloats() {
  return isReduction() && llvm::any_of(getWrites(), [](Value array) {
           return isa<FloatType>(
               cast<MemRefType>(array.getType()).getElementType());
         });
}

bool ScopOp::reducesFloats() {
  return llvm::any_of(getBody().getOps<StmtOp>(),
                      [](StmtOp stmt) { return stmt.reducesFloats(); });
}

bool StmtOp::dependsOn(Value value, unsigned dim) {
  return llvm::any_of(findSources(value), [&](Value source) {
    if (auto argument = dyn_cast<BlockArgument>(source))
      return getReadMap(argument.getArgNumber()).isFunctionOfDim(dim);
    if (auto index = source.getDefiningOp<IndexOp>())
      return index.getDim() == dim;
    return source.getDefiningOp<GatherOp>().getMap().isFunctionOfDim(dim);
  });
}

/// Adds the factors of `value`, which is one of its own unless it is a product.
static void addFactors(Value value, SmallVectorImpl<Value> &factors) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, kernel::MulRoundedOp, arith::MulIOp>(op))
    return factors.push_back(value);
  for (Value operand : op->getOperands())
    addFactors(operand, factors);
}

std::optional<Contraction> StmtOp::getContraction() {
  if (!isReduction() || getWrites().size() != 1)
    return std::nullopt;
  Block &body = getBody().front();
  Contraction found{
      body.getArgument(0), body.getTerminator()->getOperand(0), {}};
  Operation *sum = found.after.getDefiningOp();
  if (!found.before.hasOneUse() || !sum)
    return std::nullopt;
  if (auto fma = dyn_cast<math::FmaOp>(sum)) {
    if (fma.getC() != found.before)
      return std::nullopt;
    addFactors(fma.getA(), found.factors);
    addFactors(fma.getB(), found.factors);
  } else if (isa<arith::AddFOp, arith::AddIOp>(sum)) {
    bool isFirst = sum->getOperand(0) == found.before;
    if (!isFirst && sum->getOperand(1) != found.before)
      return std::nullopt;
    addFactors(sum->getOperand(isFirst ? 1 : 0), found.factors);
  }
  // Where some iterator of the result changes one factor and not another, the
  // other is used again.
  for (unsigned dim = 0; dim < getNumIterators(); ++dim) {
    if (getExtents()[dim] <= 1 ||
        llvm::is_contained(getReduced(), int64_t(dim)))
      continue;
    auto changes = [&](Value factor) { return dependsOn(factor, dim); };
    if (llvm::any_of(found.factors, changes) &&
        !llvm::all_of(found.factors, changes))
      return found;
  }
  return std::nullopt;
}

/// What an element of `array` may be, in its compute type.
static ConstantIntRanges getElements(Value array, unsigned bits) {
  auto type =
      dyn_cast<IntegerType>(cast<MemRefType>(array.getType()).getElementType());
  if (!type || type.getWidth() >= bits)
    return ConstantIntRanges::maxRange(bits);
  if (type.isUnsigned())
    return ConstantIntRanges::fromUnsigned(
        APInt::getZero(bits), APInt::getMaxValue(type.getWidth()).zext(bits));
  return ConstantIntRanges::fromSigned(
      APInt::getSignedMinValue(type.getWidth()).sext(bits),
      APInt::getSignedMaxValue(type.getWidth()).sext(bits));
}

ConstantIntRanges StmtOp::getIntegers(Value value) {
  unsigned bits = ConstantIntRanges::getStorageBitwidth(value.getType());
  auto any = ConstantIntRanges::maxRange(bits);
  if (bits == 0 || value.getType().isIndex())
    return any;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned read = argument.getArgNumber();
    ConstantIntRanges range = getElements(getReads()[read], bits);
    if (auto padding = dyn_cast_or_null<IntegerAttr>(getPadding(read)))
      range = range.rangeUnion(ConstantIntRanges::constant(padding.getValue()));
    return range;
  }
  if (auto gather = value.getDefiningOp<GatherOp>())
    return getElements(gather.getArray(), bits);
  auto op = value.getDefiningOp<InferIntRangeInterface>();
  if (!op)
    return any;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands())
    operands.push_back(getIntegers(operand));
  ConstantIntRanges range = any;
  op.inferResultRanges(operands,
                       [&](Value result, const ConstantIntRanges &found) {
                         if (result == value)
                           range = found;
                       });
  return range;
}
