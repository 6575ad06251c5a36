// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages of a compilation, in order. Pipelines.cpp is the only place that
// orders passes.
#ifndef FUSEC_COMPILER_PIPELINES_H
#define FUSEC_COMPILER_PIPELINES_H

#include "compiler/CompileOptions.h"
#include "mlir/Pass/PassManager.h"

namespace mlir {
class DialectRegistry;
}

namespace fusec {

/// A point where a compilation can stop, print its IR, and continue.
struct Stage {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  /// Adds the passes that lead to it.
  void (*addPasses)(mlir::OpPassManager &, const CompileOptions &);
  /// Whether its passes hold `CompileOptions::choices` against the model: then
  /// what they refuse is the user's mistake.
  bool checksChoices = false;
};

/// All stages, in order. The first is the import and has no passes.
llvm::ArrayRef<Stage> getStages();

/// The position of stage `name`, or nullopt.
std::optional<size_t> findStage(llvm::StringRef name);

/// The passes that lead from the import to stage number `last`, as text that
/// `fusec-opt --pass-pipeline` takes. The module says which row of the table of
/// targets it is for.
std::string describePipeline(const CompileOptions &options, size_t last);

/// Every dialect that a module may hold at any stage.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Makes every pass known to pass pipelines by name.
void registerAllPasses();

} // namespace fusec

#endif // FUSEC_COMPILER_PIPELINES_H
