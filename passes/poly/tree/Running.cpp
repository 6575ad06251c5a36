// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/tree/Running.h"

#include <isl/schedule.h>

using namespace mlir;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::poly {

bool leavesOut(ScopOp scop) {
  return llvm::any_of(scop.getBody().getOps<StmtOp>(),
                      [](StmtOp stmt) { return bool(stmt.getRuns()); });
}

/// The instances of `stmt` where all of `exprs` are 0 or more.
static isl::union_set select(const PolyStmt &stmt, ArrayRef<AffineExpr> exprs) {
  isl::set set = stmt.domain;
  for (AffineExpr expr : exprs)
    set = set.intersect(getNonNegative(expr, set.space()));
  return isl::union_set(set);
}

isl::union_set getRunning(const PolyScop &poly) {
  isl::union_set running(poly.getContext(), "{ }");
  for (const PolyStmt &stmt : poly.getStmts())
    running = running.unite(select(stmt, stmt.op.getRunsExprs()));
  return running;
}

std::optional<Violation> findMissing(const PolyScop &poly,
                                     const isl::union_set &running) {
  for (const PolyStmt &stmt : poly.getStmts())
    if (isl::union_set missing =
            select(stmt, stmt.op.getNeededExprs()).subtract(running);
        !missing.is_empty())
      return Violation{"an instance that is needed does not run",
                       toString(missing.sample_point())};
  ScopOp scop = poly.getOp();
  for (BlockArgument array : scop.getBody().getArguments()) {
    isl::union_map writes = poly.getWrites(array);
    if (writes.is_empty())
      continue;
    isl::union_set unwritten =
        poly.getReads(array).intersect_domain(running).range().subtract(
            writes.intersect_domain(running).range());
    if (!unwritten.is_empty())
      return Violation{"an element is read that no instance which runs writes",
                       toString(unwritten.sample_point())};
  }
  return std::nullopt;
}

isl::schedule leaveOut(const PolyScop &poly, const isl::schedule &schedule) {
  if (!leavesOut(poly.getOp()))
    return schedule;
  isl::union_set others = schedule.domain().subtract(poly.getDomain());
  return isl::manage(isl_schedule_intersect_domain(
      schedule.copy(), getRunning(poly).unite(others).release()));
}

} // namespace fusec::poly
