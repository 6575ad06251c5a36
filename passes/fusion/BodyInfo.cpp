// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/fusion/BodyInfo.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

static unsigned getWeight(Operation &op) {
  if (isa<math::SqrtOp, math::RsqrtOp, arith::DivFOp, arith::DivSIOp,
          arith::DivUIOp, arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(op))
    return 8;
  if (isa<math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp,
          math::RoundEvenOp, math::FmaOp>(op))
    return 1;
  if (isa<math::MathDialect>(op.getDialect()))
    return 20;
  return op.hasTrait<OpTrait::ConstantLike>() ? 0 : 1;
}

static BodyInfo analyse(PrimitiveOpInterface op) {
  Block block;
  SmallVector<Value> values = buildBodyIn(block, op);
  size_t rank = op.getIterationExtents().size();
  size_t operands = op->getNumOperands();
  BodyInfo info;
  for (Operation &inner : block)
    info.weight += getWeight(inner);
  info.isAccess = llvm::all_of(values, [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getArgNumber() >= rank &&
           argument.getArgNumber() < rank + operands;
  });
  // A conversion within one compute type moves data, but changes its type.
  for (Type operand : op->getOperandTypes())
    if (cast<RankedTensorType>(operand).getElementType() !=
            getTensorType(op->getResult(0)).getElementType() &&
        !op.getIndirect(0).size())
      info.isAccess = false;
  return info;
}

const BodyInfo &BodyInfos::get(PrimitiveOpInterface op) {
  auto [entry, isNew] = infos.try_emplace(op);
  if (isNew)
    entry->second = analyse(op);
  return entry->second;
}

bool fusec::fuse::isPlainAccess(PrimitiveOpInterface op, BodyInfos &infos) {
  return op->getNumOperands() == 1 && !op.hasReduction() && !op.getPadding(0) &&
         infos.get(op).isAccess;
}

bool fusec::fuse::isContraction(PrimitiveOpInterface op) {
  if (!op.hasReduction())
    return false;
  for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i)
    if (!op.getOperandMap(i).isPermutation())
      return true;
  return false;
}
