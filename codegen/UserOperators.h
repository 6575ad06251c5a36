// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of users in an emitted folder: their sources below `ops`, a wrapper
// for each translation unit, and what the host program calls them by.
#ifndef FUSEC_CODEGEN_USEROPERATORS_H
#define FUSEC_CODEGEN_USEROPERATORS_H

#include "codegen/Codegen.h"
#include "codegen/ModelInfo.h"
#include "codegen/SourceWriter.h"

namespace fusec::codegen {

class KernelEmitter;

/// The runtime's file that compiles them, in it.
inline constexpr llvm::StringLiteral kOperatorsFile = "cmake/FusecOps.cmake";

/// A translation unit of a library of operators that some target calls. It is
/// empty where nothing of it is called: who builds programs knows a library's
/// units, and not what becomes of its operators.
struct OperatorUnit {
  /// In the folder: `ops/<library>_<number>.cpp`, or `.cu`.
  std::string path;
  std::vector<std::string> flags;
  /// Of a unit in CUDA: the least architecture that it is for.
  std::optional<unsigned> architecture;
};

/// All units of the libraries that are called, each once, by path.
std::vector<OperatorUnit> listOperatorUnits(llvm::ArrayRef<ModelInfo> targets);

/// The sources of these libraries, as they were embedded, and the units'
/// wrappers. An error where two libraries of one name are not the same.
llvm::Expected<std::vector<EmittedFile>>
emitOperatorSources(llvm::ArrayRef<ModelInfo> targets);

/// The functions of elements that kernels of `groups` call, as the sources of
/// their operators have them, for a file of these kernels. An error where two
/// sources have one function.
mlir::LogicalResult writeScalars(llvm::ArrayRef<GroupInfo> groups,
                                 SourceWriter &out);

/// Prints the call of a function of a block, in a kernel.
mlir::LogicalResult emitBlockFunction(kernel::CallOp op,
                                      KernelEmitter &emitter);

/// Whether such a function may write where `input` of its kernel lies: the
/// operator says that a result does, or may.
bool mayBeWritten(mlir::Value input);

/// Calls `visit` with each call of such a function in kernels of `groups`, and
/// the operator.
void forEachBlockFunction(
    llvm::ArrayRef<GroupInfo> groups,
    llvm::function_ref<void(kernel::CallOp, fuse::OperatorOp)> visit);

/// Includes the headers of these functions in a file of kernels. An error where
/// two have one name.
mlir::LogicalResult includeBlockFunctions(llvm::ArrayRef<GroupInfo> groups,
                                          SourceWriter &out);

/// Declares the functions by which the host program finds operators; before
/// its namespace.
void declareOperatorQueries(llvm::ArrayRef<ModelInfo> entries,
                            SourceWriter &out);

/// Defines the site of each call of an operator of a user's, called as
/// CallInfo::site says.
void emitOperatorSites(const ModelInfo &model, SourceWriter &out);

/// What `fusec op test` takes behind the library to run a call of an operator
/// of a user's by itself.
std::string describeTest(const CallInfo &call);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_USEROPERATORS_H
