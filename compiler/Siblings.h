// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model of a compilation for other extents, which the proof of
// passes/padding compares it with.
#ifndef FUSEC_COMPILER_SIBLINGS_H
#define FUSEC_COMPILER_SIBLINGS_H

#include "compiler/CompileOptions.h"
#include "passes/padding/Proof.h"
#include "passes/padding/Repetitions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace fusec {

/// Imports the model for other extents, and holds what it imported. What is
/// wrong is added to the problems.
class Siblings {
public:
  Siblings(mlir::MLIRContext &context, const CompileOptions &options,
           std::vector<Problem> &problems)
      : context(context), options(options), problems(problems) {}

  /// The function of `module` behind its import, with primitives alone; null
  /// where that fails. The first one is that of the compilation.
  mlir::func::FuncOp expand(mlir::ModuleOp module);
  /// The same of a module that is held from then on.
  mlir::func::FuncOp expand(mlir::OwningOpRef<mlir::ModuleOp> module);
  /// The model as `other` options import it; null where that fails, which
  /// `what` says: "cannot be padded, for it is refused at seq=3".
  mlir::func::FuncOp import(const CompileOptions &other,
                            const std::string &what);
  /// Lets go of what was imported last.
  void drop() { held.pop_back(); }

  /// Refuses the model at the node that mixes, for `reason` and the proof's.
  void refuse(const padding::Mixing &mixing, const std::string &reason,
              std::string hint);

private:
  mlir::MLIRContext &context;
  const CompileOptions &options;
  std::vector<Problem> &problems;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> held;
  std::optional<std::vector<std::optional<padding::Repetition>>> repetitions;
};

} // namespace fusec

#endif // FUSEC_COMPILER_SIBLINGS_H
