// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files of an emitted folder, as text. test/runtime/demo is what they look
// like; runtime/README.md has the rules.
#ifndef FUSEC_CODEGEN_EMITTERS_H
#define FUSEC_CODEGEN_EMITTERS_H

#include "codegen/Codegen.h"
#include "codegen/ModelInfo.h"
#include "codegen/PlatformFiles.h"
#include "codegen/SourceWriter.h"

namespace fusec::codegen {

/// The first line of each source that is emitted, behind the mark of a comment.
inline constexpr llvm::StringLiteral kEmittedBy =
    "Emitted by fusec. This file may be used under any terms.";

/// The runtime's file that links libraries of others, in it.
inline constexpr llvm::StringLiteral kVendorsFile = "cmake/FusecVendors.cmake";

/// The kernels of a program's own processor:
/// `<model>_kernels.cpp`, and `<model>_kernels_naive.h`, which it includes, if
/// there are such variants; the same with `_2`, `_3`, ... where there is more
/// than one file, by EmitOptions::kernelFiles. Fills in where each variant
/// stands.
mlir::FailureOr<std::vector<EmittedFile>>
emitHostKernels(ModelInfo &model, const PlatformFiles &platform,
                const EmitOptions &options);

/// What a kernel computes, from which nodes, and how, as comments.
void emitKernelComment(const GroupInfo &group, const VariantInfo &variant,
                       SourceWriter &out);

/// The kernels of a GPU: a header and another one with the naive variants, each
/// of which compilers that run in the program's process take as it is (of CUDA
/// `<model>_kernels.cuh` and `<model>_kernels_naive.cuh`), and a source, which
/// includes both. Fills in where each variant stands.
mlir::FailureOr<std::vector<EmittedFile>>
emitDeviceKernels(ModelInfo &model, const PlatformFiles &platform,
                  const EmitOptions &options);

/// Whether a variant is there to compare with: it stands in a file of its own,
/// so that a reader of the other one looks at what runs.
bool isAside(const GroupInfo &group, const VariantInfo &variant);

/// `<model>_kernels.h`: one signature per group, names of the tables.
std::string emitKernelsHeader(const ModelInfo &model);

/// `<model>.h`: the typed interface, which all targets and entries share.
std::string emitModelHeader(llvm::ArrayRef<ModelInfo> targets,
                            const EmitOptions &options);

/// `<model>.cpp`: the host program, plan and descriptor of each entry for a
/// target.
mlir::FailureOr<std::string> emitHostProgram(llvm::ArrayRef<ModelInfo> entries);

/// The sources of a target; those of its first entry are also the others'.
struct TargetFiles {
  std::vector<EmittedFile> files;
  std::vector<std::string> kernels; ///< those of them that are compiled apart
};

/// `CMakeLists.txt`, which compiles the sources of each target, and links
/// libraries of others that the model calls. It builds a bundled runtime beside
/// it, or else looks for an installed one.
std::string emitCMakeLists(llvm::ArrayRef<ModelInfo> targets,
                           llvm::ArrayRef<TargetFiles> sources,
                           const EmitOptions &options);

/// `model.json`: what is in the folder, for tools; of further targets the same.
std::string emitMetadata(llvm::ArrayRef<ModelInfo> targets,
                         llvm::ArrayRef<TargetFiles> sources,
                         llvm::ArrayRef<std::string> emittedFiles);

/// Gives weights that several targets have a place of their own in one file.
void shareWeights(llvm::MutableArrayRef<ModelInfo> targets);

/// Where weights may be swapped, a hash of the programs of all targets and of
/// where each weight lies, which is the same for models that differ in nothing
/// but the values of their weights; else 0.
uint64_t hashStructure(llvm::ArrayRef<ModelInfo> targets);

/// A weight of some entry that the entry with most weights does not have, as
/// its kernels load the elements in another order, or it is a table of another
/// extent: its name in the program, and its bytes in the file.
struct FurtherPanels {
  std::string name;
  uint64_t bytes;
};
std::vector<FurtherPanels> listFurtherPanels(llvm::ArrayRef<ModelInfo> targets);

/// Writes the weights file to `path`, blob by blob.
llvm::Error writeWeights(llvm::ArrayRef<ModelInfo> targets,
                         llvm::StringRef path);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_EMITTERS_H
