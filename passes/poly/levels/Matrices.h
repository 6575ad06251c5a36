// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a unit that multiplies matrices takes of a statement's factors.
#ifndef FUSEC_PASSES_POLY_LEVELS_MATRICES_H
#define FUSEC_PASSES_POLY_LEVELS_MATRICES_H

#include "passes/poly/levels/Units.h"

namespace fusec::poly {

/// Whether `factor`, which lanes along iterator `lane` load, is a weight whose
/// terms along iterator `dim` may lie side by side in panels, `terms` of them.
bool mayLieInPanels(sched::StmtOp stmt, mlir::Value factor, unsigned dim,
                    unsigned lane, int64_t terms);

/// Why matrices of `shared`, the factor of `stmt` that is the same in all lanes
/// along iterator `lane`, and of `inLanes`, the other one, are not what `unit`
/// takes, whichever tiles there are; `dim` is the iterator of their terms.
std::string explainNoMatrices(sched::StmtOp stmt, mlir::Value shared,
                              mlir::Value inLanes, const Unit &unit,
                              unsigned dim, unsigned lane);

/// Whether `unit`, of matrices, adds the products of `stmt` with `lane` on
/// lanes where tiles have as many rows as it takes.
bool mayTake(sched::StmtOp stmt, const Unit &unit, unsigned lane);

/// The rows of `shared`, the factor of `stmt` that is the same in all lanes,
/// that point loops in `loop` run over: 0 if several of them do.
int64_t countPointRows(const PolyStmt &stmt, mlir::Value shared,
                       const isl::schedule_node &loop);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_LEVELS_MATRICES_H
