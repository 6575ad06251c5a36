// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sched dialect itself.
#ifndef FUSEC_SCHED_BASE
#define FUSEC_SCHED_BASE

include "mlir/IR/OpBase.td"

include "dialects/ComputeType.td"

def Sched_Dialect : Dialect {
  let name = "sched";
  let cppNamespace = "::fusec::sched";
  let summary = "Fusion groups as statements with affine accesses, and their schedules";
  let description = [{
    Iteration domains and accesses live here and nowhere else. What to do is in
    the statements, in program order; when to do it is in the scop's
    `schedule`, an isl schedule tree kept as isl's own text. A pass that adds,
    removes or renames a statement drops the schedule.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif // FUSEC_SCHED_BASE
