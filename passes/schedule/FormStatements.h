// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a fusion group to the statements of a scop.
#ifndef FUSEC_PASSES_SCHEDULE_FORMSTATEMENTS_H
#define FUSEC_PASSES_SCHEDULE_FORMSTATEMENTS_H

#include "dialects/fuse/FuseOps.h"
#include "dialects/sched/SchedOps.h"

namespace fusec::sched {

/// A scop, and the operand of the group that each of its inputs is.
struct FormedScop {
  ScopOp scop;
  llvm::SmallVector<mlir::Value> inputs;
};

/// Forms the scop of `group` at `at`. Its outputs are the group's results.
/// `rounds`: operations on narrow floats round, not only casts and stores.
/// `batchInvariant`: what an element is rounded to depends on the extents alone
/// that are reduced: all products and functions round by themselves, and long
/// reductions to floats, contractions aside, have 16 partial results.
/// Fails, with an error at the operation, on what no statement can express.
mlir::FailureOr<FormedScop> formScop(fuse::GroupOp group, mlir::OpBuilder &at,
                                     bool rounds, bool batchInvariant);

/// The memref in which a tensor is held, row-major.
mlir::MemRefType getMemRefType(mlir::Type tensor);

/// The name by which a value of a network goes: its location's, its weight's,
/// or the ONNX name of an argument. "" if it has none.
llvm::StringRef getValueName(mlir::Value value);

} // namespace fusec::sched

#endif // FUSEC_PASSES_SCHEDULE_FORMSTATEMENTS_H
