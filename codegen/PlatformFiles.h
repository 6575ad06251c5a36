// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the folder of a model has for the platform that its kernels run on: a
// row for each platform of the table of targets.
#ifndef FUSEC_CODEGEN_PLATFORMFILES_H
#define FUSEC_CODEGEN_PLATFORMFILES_H

#include "codegen/Codegen.h"
#include "codegen/TargetSyntax.h"
#include "dialects/TargetInfo.h"

namespace fusec::codegen {

struct ModelInfo;
struct PlatformFiles;

/// Makes the sources of a model's kernels.
using KernelsEmitter = mlir::FailureOr<std::vector<EmittedFile>> (*)(
    ModelInfo &model, const PlatformFiles &platform,
    const EmitOptions &options);

struct PlatformFiles {
  /// The platform's name.
  llvm::StringLiteral name;
  /// The language of its kernels.
  const TargetSyntax &syntax;
  KernelsEmitter emitKernels;
  /// Appended to the model's name: the source that a compiler of kernels takes.
  /// Where there are several, all have its extension.
  llvm::StringLiteral sourceFileSuffix;
  /// The header that host programs include.
  llvm::StringLiteral hostHeader;
  /// The CMake function that compiles those sources, and the file of the
  /// runtime that defines it; empty where the runtime's CMakeLists.txt does.
  llvm::StringLiteral buildFunction, buildFile;
  /// Files and folders of the runtime that are for this platform only, or for
  /// some that have them in common: paths, or beginnings of such.
  llvm::ArrayRef<llvm::StringLiteral> runtimeFiles;

  /// Whether the runtime's file `path` is among `runtimeFiles`.
  bool has(llvm::StringRef path) const;
};

/// All rows.
llvm::ArrayRef<PlatformFiles> getPlatformFiles();
/// The row of `platform`.
const PlatformFiles &getPlatformFiles(const Platform &platform);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_PLATFORMFILES_H
