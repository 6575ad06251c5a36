// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models -> modules of the fuse dialect.
#ifndef FUSEC_COMPILER_IMPORT_IMPORTER_H
#define FUSEC_COMPILER_IMPORT_IMPORTER_H

#include "compiler/import/Hints.h"
#include "compiler/import/Problem.h"
#include "compiler/io/MappedFile.h"
#include "dialects/Limits.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <map>
#include <optional>

namespace mlir {
class DialectRegistry;
}

namespace fusec {

struct ImportOptions {
  /// Extents of named dimensions (--dim NAME=N).
  std::map<std::string, int64_t> dims;
  /// Shapes of inputs (--shape INPUT=1x3x224x224); they also bind the names of
  /// the dimensions that they fix.
  std::map<std::string, std::vector<int64_t>> shapes;
  /// Inputs that become constants, and the files with their values
  /// (--bind INPUT=FILE).
  std::map<std::string, std::string> binds;
  /// Outputs of which a further output says how many rows hold something
  /// (--count NAME).
  std::vector<std::string> counts;
  /// The most iterations that a loop makes whose rows the run time counts
  /// (--max-trips N).
  std::optional<int64_t> maxTrips;
  /// Inputs that are outputs of the run before (--state INPUT=OUTPUT), by name
  /// or by a pattern; kStatesByName finds them by names and types.
  std::vector<std::string> states;
  /// Of `dims`, those that are known to grow with states that do; empty: they
  /// are found.
  std::vector<std::string> growing;
  /// Initializers may get other values once the model is compiled
  /// (--swappable-weights): they are weights of any size, and nothing rests on
  /// their values but what no program can leave to the run time.
  bool swappableWeights = false;
  /// Libraries of operators of users, and text of bodies (--ops FILE).
  std::vector<std::string> ops;
  /// Operators whose bodies are text stay calls, for who computes them from the
  /// text itself.
  bool keepBodies = false;
  /// Operators that have a body and kernels of a library become choices of both
  /// (dialects/kernel/Choices.h), for who compares them.
  bool offersKernels = false;
  /// What was decided about them, by the names of these choices: the body, one
  /// of the kernels, or "", where it stays a choice. Of others the body is
  /// taken.
  std::map<std::string, std::string> decidedKernels;
  /// Products are of the factors that a node has, also where an attribute of it
  /// permits to round them (accuracy_level of MatMulNBits).
  bool keepFactors = false;
  /// Operators of users run where they have a form for "cuda": they need none
  /// for CPUs. The driver says so of a program for such GPUs alone.
  bool runsLaunchers = false;
  /// Bytes of shared memory that a block of such a GPU has.
  int64_t sharedBytes = 0;
  /// Only find problems: no weights are read, and no module is returned.
  bool checkOnly = false;
  /// What hints call the options above.
  HintStyle hints = HintStyle::Shell;
};

/// A module, or the reasons why there is none.
struct ImportResult {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Problem> problems;
  std::vector<Problem> warnings;
  /// Whether it was IR text, which is the user's own.
  bool isText = false;
  /// The locations, in the model's folder, of the files that tensors were taken
  /// from.
  std::vector<std::string> externalFiles;
  /// Nodes of the model once functions are inlined and unused ones dropped.
  size_t numNodes = 0;

  bool succeeded() const { return problems.empty(); }
};

/// The dialects that imported modules use.
void registerImportDialects(mlir::DialectRegistry &registry);

/// Imports the ONNX model `path` as `func.func @main`: one argument per input
/// that is not an initializer and one result per output, both with a
/// `fuse.name` attribute, and a `fuse.weight` per constant of more than 64
/// elements. Weights refer to the mapped files, which they keep mapped.
///
/// All problems of a model are reported at once: after a node that cannot be
/// imported, its results continue with the types that the model declares for
/// them, so that the nodes behind it are checked as well.
ImportResult importOnnx(llvm::StringRef path, const ImportOptions &options,
                        mlir::MLIRContext &context);

/// Imports bytes that are no file's: ONNX or text, as they look. Their path is
/// what problems call them. There is no folder, so that external data is
/// refused.
ImportResult importMemory(std::shared_ptr<const io::MappedFile> bytes,
                          const ImportOptions &options,
                          mlir::MLIRContext &context);

/// Imports a file, by its extension: .onnx, or the IR text of any stage, .mlir,
/// which is parsed and verified; problems of text carry "line:column" in
/// `node`.
ImportResult importModel(llvm::StringRef path, const ImportOptions &options,
                         mlir::MLIRContext &context);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_IMPORTER_H
