// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which unit adds the products of a statement, and what that takes of a tree.
#ifndef FUSEC_PASSES_POLY_LEVELS_UNITS_H
#define FUSEC_PASSES_POLY_LEVELS_UNITS_H

#include "passes/poly/levels/Mapping.h"

namespace fusec::poly {

/// `config`, whose lanes are settled, with a unit for each statement: of those
/// that the target's row lists, and that the statement and its loops in the
/// tree `mapped` fit, the one that adds the most terms in a step. `remark` says
/// why a statement that adds up such products has none; it may stay as it is.
sched::ConfigAttr settleUnits(const PolyScop &poly, const isl::schedule &mapped,
                              sched::ConfigAttr config, std::string &remark);

/// The factors of `stmt` in the order in which `unit` takes them; nothing if it
/// multiplies no such numbers, or adds to no such sums, or if these keep the
/// order of their terms, which the unit does not.
std::optional<std::array<mlir::Value, 2>>
findFactors(sched::StmtOp stmt, const sched::Contraction &contraction,
            const Unit &unit);

/// The tree `mapped` in which the loop over what a statement contracts runs
/// over as many terms at a time as the statement's unit in `config` adds. They
/// are a loop below a mark "unit", the innermost one; what is left of a number
/// of iterations that is no multiple follows as it was. Nobody has checked that
/// it is legal.
Rewritten applyUnits(const PolyScop &poly, const isl::schedule &mapped,
                     sched::ConfigAttr config);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_LEVELS_UNITS_H
