// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an emitted folder was made of, for build systems.
#ifndef FUSEC_TOOLS_FUSEC_DEPFILE_H
#define FUSEC_TOOLS_FUSEC_DEPFILE_H

#include "compiler/CompileOptions.h"
#include "llvm/Support/Error.h"

namespace fusec::tool {

/// Writes a rule of make, "FOLDER/model.json: MODEL ...", with the model, the
/// files `external` of its folder, those of --bind, --ops and --lock, and `others`. A
/// name that make or ninja would read as something else is an error.
llvm::Error writeDepfile(llvm::StringRef file, llvm::StringRef folder,
                         const CompileOptions &options,
                         llvm::ArrayRef<std::string> external,
                         llvm::ArrayRef<std::string> others);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_DEPFILE_H
