// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emission of a whole model: a module of kernels and a host program becomes a
// folder that builds on its own.
#ifndef FUSEC_CODEGEN_CODEGEN_H
#define FUSEC_CODEGEN_CODEGEN_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace fusec::codegen {

/// The attributes of a module that was made for certain extents, where the
/// model is compiled for several: an entry of the model. They are an array of
/// the names of dimensions, and as many integers, their extents
/// (`array<i64: ...>`).
inline constexpr llvm::StringLiteral kSymbolsAttr = "fuse.symbols",
                                     kExtentsAttr = "fuse.extents";
/// As many integers, the least extents that a run may have, where those are
/// smaller: its inputs are padded, and its outputs cut (fuse::kPaddedAttr).
inline constexpr llvm::StringLiteral kLeastAttr = "fuse.least";

/// The attribute of a module whose kernels all give an element the same bits
/// whatever the extents are that no sum runs over.
inline constexpr llvm::StringLiteral kBatchInvariantAttr =
    "fuse.batch_invariant";

struct EmitOptions {
  /// Copy the runtime's sources into the folder; else the folder's CMakeLists
  /// looks for an installed runtime.
  bool bundleRuntime = true;
  /// How many files of kernels there are, some of them empty if need be; 0: as
  /// many as keep each of bounded size, and none where there are no kernels.
  /// Where it is not 0, nobody need look into the model to know which files
  /// there will be.
  unsigned kernelFiles = 0;
  /// Put the weights into the program, which needs no file then.
  bool embedWeights = false;
};

/// One file of the folder.
struct EmittedFile {
  std::string path; ///< inside the folder, with `/`
  std::string text;
};

/// Checks that `folder` may be written: it does not exist, is empty, or was
/// written by fusec before. Errors say what is there and what to do.
llvm::Error checkOutputFolder(llvm::StringRef folder);

/// Emits `modules`, which are a model as it is compiled for one target and one
/// entry each, those for a target one behind the other, into `folder`: written
/// beside it under another name and renamed at the end, so that nothing
/// half-written is ever seen. A file that was there with the same text keeps
/// its time stamp, but for model.json, which tells when the folder was written.
/// Problems of a module are reported as located diagnostics and make it fail
/// with an empty message; those of the file system are in the message. The
/// modules are not changed.
llvm::Error emitModel(llvm::ArrayRef<mlir::ModuleOp> modules,
                      const EmitOptions &options, llvm::StringRef folder);

/// The runtime's sources, as they were when fusec was built.
const std::vector<EmittedFile> &runtimeFiles();

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_CODEGEN_H
