// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of ONNX that a command line brings (--ops functions.onnx): nodes
// that call them are inlined as calls of the model's own functions are.
#ifndef FUSEC_COMPILER_IMPORT_FUNCTIONFILES_H
#define FUSEC_COMPILER_IMPORT_FUNCTIONFILES_H

#include "compiler/import/ModelFile.h"
#include "compiler/operators/OperatorSet.h"

namespace fusec {

/// Reads a model for its functions. Errors: it has none; one is in a domain of
/// ONNX's own, calls itself, or uses a value that nothing defines; a constant
/// lies in another file.
llvm::Expected<std::unique_ptr<ModelFile>>
readFunctionFile(llvm::StringRef path);

/// operators::expandFolders, but for models without functions that are in
/// folders: each is left out, with a warning on stderr.
llvm::Expected<std::vector<std::string>>
listOperatorFiles(llvm::ArrayRef<std::string> paths);

/// Adds to `model` the functions of those of `paths` that hold some. One that
/// the model has itself stays its own. Errors: those of readFunctionFile, and a
/// function that two files have, or that an operator of `operators` is called
/// as.
llvm::Error addFunctions(ModelFile &model, llvm::ArrayRef<std::string> paths,
                         const operators::OperatorSet &operators);

/// "acme.Gate", for messages.
std::string nameFunction(const onnx::FunctionProto &function);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_FUNCTIONFILES_H
