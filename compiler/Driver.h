// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes a model through the stages and out as a folder or as text.
#ifndef FUSEC_COMPILER_DRIVER_H
#define FUSEC_COMPILER_DRIVER_H

#include "compiler/CompileOptions.h"
#include "compiler/Diagnostics.h"
#include "compiler/Profile.h"
#include "passes/lock/Lock.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringSet.h"

namespace fusec {

/// The module attribute that says which stage a text was printed after.
inline constexpr llvm::StringLiteral kStageAttr = "fuse.stage";

/// One compilation. The methods return an exit code; what went wrong is in
/// `diagnostics()`.
class Driver {
public:
  explicit Driver(CompileOptions options);
  /// Compiles `module`, which was made from that of `other` in its context.
  Driver(CompileOptions options, const Driver &other,
         mlir::OwningOpRef<mlir::ModuleOp> module);

  /// Imports the model, unless that was done, and runs the stages up to
  /// `options.until`.
  /// `onStage` is told each stage before it runs.
  ExitCode lower(llvm::function_ref<void(llvm::StringRef)> onStage = nullptr);

  /// Prints the module with names and its stage, so that it can be read again
  /// and compiles on to the same sources; without its weights, if
  /// `elideWeights`, and then it is for people only.
  void print(llvm::raw_ostream &os, bool elideWeights = false);

  /// Emits the lowered module into `folder`, with those of `further` targets
  /// and entries, all entries for a target one behind the other; then adds what
  /// was decided to `options.writeLock`.
  ExitCode emit(llvm::StringRef folder,
                llvm::ArrayRef<std::unique_ptr<Driver>> further = {});

  /// Imports the model and runs no stage.
  ExitCode import();

  /// What it means that `where` went wrong: a bug of fusec, unless the model is
  /// text, which its user may have changed.
  ExitCode failedIn(llvm::StringRef where);

  mlir::ModuleOp module() { return *op; }
  Diagnostics &diagnostics() { return problems; }
  const CompileOptions &getOptions() const { return options; }
  /// ImportResult::externalFiles of the model.
  llvm::ArrayRef<std::string> listExternalFiles() const {
    return externalFiles;
  }

private:
  ExitCode runStages(size_t first, size_t last,
                     llvm::function_ref<void(llvm::StringRef)> onStage);
  void keepRefusals();
  ExitCode decideKernels();
  void keepDecided();
  void explainMissing();
  ExitCode checkEntries(llvm::ArrayRef<Driver *> all);
  ExitCode checkLocks();
  ExitCode chooseTarget();
  ExitCode checkUnlocked(const lock::Lock &decided);
  ExitCode writeLock(const lock::Lock &decided);
  /// What was decided, if the lock that is given, or to be written, allows it.
  ExitCode decide(lock::Lock &decided);

  CompileOptions options;
  /// Whether the model is IR text.
  bool isText = false;
  std::vector<std::string> externalFiles;
  /// What was decided about operators that have a text and kernels, before the
  /// model was imported: attributes as text. And the model's key, or "".
  std::vector<std::string> decidedKernels;
  std::string decidedKey;
  Profile profile;
  std::shared_ptr<mlir::MLIRContext> context;
  Diagnostics problems;
  mlir::OwningOpRef<mlir::ModuleOp> op;
};

/// The names of the choices between the text of an operator and kernels in a
/// module that was imported with ImportOptions::offersKernels.
llvm::StringSet<> listKernelChoices(mlir::ModuleOp module);

/// Imports what `options` name.
ImportResult importModel(const CompileOptions &options,
                         mlir::MLIRContext &context);

/// What a model without a name is called: its file without folder and
/// extension.
std::string modelNameOf(const CompileOptions &options);

} // namespace fusec

#endif // FUSEC_COMPILER_DRIVER_H
