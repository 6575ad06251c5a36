// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a group costs as a kernel, before there is one.
#ifndef FUSEC_PASSES_SCHEDULE_GROUPCOST_H
#define FUSEC_PASSES_SCHEDULE_GROUPCOST_H

#include "passes/schedule/GroupPlan.h"

namespace fusec::sched {

/// Counted as statements would be formed (GroupPlan), without forming them.
struct GroupCost {
  /// Of the scop: what isl schedules.
  int64_t statements = 0;
  /// In the bodies of all statements, weighed as in Primitive::Body: what is
  /// computed again, for several statements or at several points of one, counts
  /// as often.
  int64_t operations = 0;
};

/// The cost of `ops` (primitives and constants of one block, in program order)
/// with the results `yielded`. Stops counting operations soon after there are
/// more than `enough`: bodies may be exponentially large.
GroupCost measureGroup(llvm::ArrayRef<mlir::Operation *> ops,
                       llvm::ArrayRef<mlir::Value> yielded, Bodies &bodies,
                       int64_t enough);

} // namespace fusec::sched

#endif // FUSEC_PASSES_SCHEDULE_GROUPCOST_H
