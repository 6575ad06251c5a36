// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_PASSES_POLY_SCHEDULES_STRAIGHTEN_H
#define FUSEC_PASSES_POLY_SCHEDULES_STRAIGHTEN_H

#include "passes/poly/tree/Legality.h"

namespace fusec::poly {

/// `schedule` with loops over single iterators wherever a band runs one
/// statement only, askew to its iterators or backwards: isl's scheduler takes
/// the first legal sum of iterators that it meets, and lanes and strides need
/// the iterators themselves.
isl::schedule straighten(const PolyScop &scop, isl::schedule schedule,
                         const Dependences &dependences);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_SCHEDULES_STRAIGHTEN_H
