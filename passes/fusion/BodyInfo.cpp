// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/fusion/BodyInfo.h"

#include "dialects/OperationCost.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

static BodyInfo analyse(PrimitiveOpInterface op) {
  Block block;
  SmallVector<Value> values = buildBodyIn(block, op);
  size_t rank = op.getIterationExtents().size();
  size_t operands = op->getNumOperands();
  BodyInfo info;
  info.steps = countSteps(block, getTargetInfo(op).costs);
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
