// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a statement that reduces changes what it reduces to.
#ifndef FUSEC_PASSES_POLY_TREE_CARRIES_H
#define FUSEC_PASSES_POLY_TREE_CARRIES_H

#include "dialects/kernel/Steps.h"
#include "dialects/sched/SchedOps.h"

namespace fusec::poly {

/// How loops over the reduced iterators of a statement carry what it writes, as
/// its body says.
struct StatementCarry {
  kernel::Carry carry;
  /// Of an update, why it is no combination.
  kernel::NoCombiner why;
};

/// One for each write; none for a statement that does not reduce.
llvm::SmallVector<StatementCarry> getCarries(sched::StmtOp stmt);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_TREE_CARRIES_H
