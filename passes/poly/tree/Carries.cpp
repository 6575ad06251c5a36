// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/tree/Carries.h"

using namespace mlir;
using fusec::kernel::Carry;
using fusec::sched::StmtOp;

namespace fusec::poly {

/// Whether the statement accesses the array of a write once more than to read
/// what it accumulates.
static bool isSeenElsewhere(StmtOp stmt, Value array) {
  return llvm::count(stmt.getReads(), array) > 1 ||
         llvm::count(stmt.getWrites(), array) > 1;
}

SmallVector<StatementCarry> getCarries(StmtOp stmt) {
  if (!stmt.isReduction())
    return {};
  Block &body = stmt.getBody().front();
  SmallVector<StatementCarry> carries;
  SmallVector<kernel::Step> left;
  SmallVector<unsigned> selected;
  for (auto [number, array] : llvm::enumerate(stmt.getWrites())) {
    carries.push_back({Carry::Update, {stmt, "its array is accessed twice"}});
    if (isSeenElsewhere(stmt, array))
      continue;
    // A reduction's first reads are its writes.
    kernel::Step step{body.getArgument(number),
                      body.getTerminator()->getOperand(number)};
    FailureOr<Combiner> combiner =
        kernel::findCombiner(step, carries.back().why);
    if (succeeded(combiner)) {
      carries.back().carry = kernel::getCarry(*combiner);
      continue;
    }
    left.push_back(step);
    selected.push_back(number);
  }
  if (!left.empty() && kernel::findChoice(left))
    for (unsigned number : selected)
      carries[number].carry = Carry::Select;
  return carries;
}

} // namespace fusec::poly
