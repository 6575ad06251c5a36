// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of wide floats, which compilers of kernels may make one operation of
// with a sum behind them.
#ifndef FUSEC_PASSES_SCHEDULE_ROUNDPRODUCTS_H
#define FUSEC_PASSES_SCHEDULE_ROUNDPRODUCTS_H

#include "dialects/sched/SchedOps.h"

namespace fusec::sched {

/// Makes each product in the statements of `scop` that is marked as precise a
/// kernel.mul_rounded, but for those that a reduction adds up or multiplies,
/// those by a power of two, and those that nothing reads but what rounds by
/// itself whatever stands before it.
/// No mark is left. With `all`, every product is one, and what functions whose
/// last step may be a product result in is rounded, too, where a sum may
/// follow: then values have the same bits whichever statements a kernel has.
void roundProducts(ScopOp scop, bool all);

} // namespace fusec::sched

#endif // FUSEC_PASSES_SCHEDULE_ROUNDPRODUCTS_H
