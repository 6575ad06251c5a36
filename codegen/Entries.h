// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several entries of a model in one folder: a model that is compiled for
// several extents of its symbolic dimensions.
#ifndef FUSEC_CODEGEN_ENTRIES_H
#define FUSEC_CODEGEN_ENTRIES_H

#include "codegen/ModelInfo.h"

namespace fusec::codegen {

class Names;

/// The extents of the entry that `module` is; none where the model has one
/// shape.
mlir::FailureOr<std::vector<ExtentInfo>> collectExtents(mlir::ModuleOp module);

/// Names the programs for all targets and entries, which lie one behind the
/// other by their targets.
void nameEntries(llvm::MutableArrayRef<ModelInfo> models);

/// The entries for each target.
std::vector<llvm::MutableArrayRef<ModelInfo>>
splitByTarget(llvm::MutableArrayRef<ModelInfo> models);
/// Those for the first target.
llvm::ArrayRef<ModelInfo> getEntries(llvm::ArrayRef<ModelInfo> models);

/// Gives the variants of a group their functions' names, made of its
/// identifier.
void nameVariants(GroupInfo &group, Names &names);

/// What is in the files of the kernels for a target: the groups of all of its
/// entries, those once that are equal but for their names, with a table of each
/// entry's.
ModelInfo joinKernels(llvm::ArrayRef<ModelInfo> entries);

/// Calls the groups of all entries as `kernels`, what joinKernels made of them,
/// calls them, and says where their variants stand.
void takeKernels(const ModelInfo &kernels,
                 llvm::MutableArrayRef<ModelInfo> entries);

/// "f32[batch, 128]": the type of an input or an output of all entries, by the
/// symbols that its extents are; "?" where an extent follows from them in
/// another way.
std::string describeType(llvm::ArrayRef<ModelInfo> entries,
                         const std::vector<TensorInfo> ModelInfo::*tensors,
                         size_t number);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_ENTRIES_H
