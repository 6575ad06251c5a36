// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a group is known without a look at all of its operations.
#include "passes/fusion/FusionRules.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

GroupSummary GroupSummary::unite(const GroupSummary &other) const {
  GroupSummary both;
  both.operations = operations + other.operations;
  both.type = type ? type : other.type;
  both.isPlain =
      isPlain && other.isPlain &&
      (!type || !other.type || type.getShape() == other.type.getShape());
  both.isShared = isShared || other.isShared;
  return both;
}

/// Whether the operation computes each point of its result from the same point
/// of what is computed, without padding. Of what is not computed it may read
/// any.
static bool isPlain(PrimitiveOpInterface op) {
  if (op->getNumResults() != 1 || op.hasReduction() ||
      !op.getResultMap(0).isIdentity())
    return false;
  for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i) {
    Value operand = op->getOperand(i);
    if (op.getPadding(i) || !op.getIndirect(i).empty() ||
        (isa_and_present<PrimitiveOpInterface>(operand.getDefiningOp()) &&
         !op.getOperandMap(i).isIdentity()))
      return false;
  }
  return true;
}

GroupSummary FusionRules::summarise(Operation *op) {
  GroupSummary summary;
  auto primitive = dyn_cast<PrimitiveOpInterface>(op);
  summary.isPlain = !primitive || isPlain(primitive);
  if (primitive) {
    summary.operations = bodies.get(*sched::Primitive::get(op)).operations;
    summary.type = getTensorType(op->getResult(0));
  }
  summary.isShared = llvm::any_of(op->getResults(), [](Value result) {
    return !result.use_empty() && !result.hasOneUse();
  });
  return summary;
}

bool FusionRules::allows(const GroupSummary &summary) const {
  constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
  return summary.isPlain && summary.operations <= limits.mostCounted &&
         !limits.apart && limits.maxOperands == kNoLimit &&
         limits.maxOperations == kNoLimit && limits.maxStatements == kNoLimit;
}
