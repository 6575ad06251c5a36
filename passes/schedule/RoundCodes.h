// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are divided by a scale and rounded to codes, and what becomes of
// codes that are no further than the statement that makes them.
#ifndef FUSEC_PASSES_SCHEDULE_ROUNDCODES_H
#define FUSEC_PASSES_SCHEDULE_ROUNDCODES_H

#include "dialects/sched/SchedOps.h"

namespace fusec::sched {

/// Makes `min(max(round(x / s) + z, 0), hi)` in the statements of `scop`, for
/// constants s, z and hi, `round(kernel.quotient(x', s)) + z` of an x' that is
/// cut off before, where both are the same for all x. Codes that become numbers
/// again in the same statement stay floats, which have them exactly.
void roundCodes(ScopOp scop);

} // namespace fusec::sched

#endif // FUSEC_PASSES_SCHEDULE_ROUNDCODES_H
