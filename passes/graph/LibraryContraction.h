// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A contraction as a call of a routine that the registry has for such.
#ifndef FUSEC_PASSES_GRAPH_LIBRARYCONTRACTION_H
#define FUSEC_PASSES_GRAPH_LIBRARYCONTRACTION_H

#include "dialects/fuse/FuseOps.h"
#include "dialects/library/Library.h"

namespace fusec::fuse {

class LibraryContraction {
public:
  /// Fails if `routine` does not compute `op`, or if a call, which reads and
  /// writes memory, would take it out of a kernel that it shares with others;
  /// with `reason`, but where `op` is no contraction at all.
  static mlir::FailureOr<LibraryContraction>
  plan(PrimitiveOpInterface op, const library::Routine &routine,
       std::string &reason);

  /// Builds the call and returns what stands for the result of the contraction.
  mlir::Value build(mlir::OpBuilder &builder) const;

private:
  LibraryContraction(ContractOp op, const library::Routine &routine)
      : op(op), routine(&routine) {}

  /// Fills in operands and terms, in the order in which the routine takes them.
  library::Refusal orderOperands();

  ContractOp op;
  const library::Routine *routine;
  llvm::SmallVector<mlir::Value> operands;
  mlir::DictionaryAttr parameters;
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_LIBRARYCONTRACTION_H
