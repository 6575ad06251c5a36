// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What several subcommands begin or end with.
#ifndef FUSEC_TOOLS_FUSEC_STEPS_H
#define FUSEC_TOOLS_FUSEC_STEPS_H

#include "compiler/Driver.h"
#include "llvm/Support/Error.h"

namespace fusec::tool {

/// Prints what is wrong with the environment; the code for that. After ^C,
/// which is why, it prints nothing.
ExitCode fail(const llvm::Twine &what, const llvm::Twine &hint = "");
ExitCode fail(llvm::Error error, const llvm::Twine &hint = "");
/// Prints what is wrong with the model or folder `file`.
ExitCode failOn(llvm::StringRef file, const llvm::Twine &reason,
                const llvm::Twine &hint = "");

/// Says what is wrong where `file`, which `option` names, could not be written
/// at the end. `made` is a folder, with a slash, that will be there by then.
ExitCode checkPlace(llvm::StringRef file, llvm::StringRef option,
                    llvm::StringRef made = "");

/// Where the model is "-", reads it from stdin.
ExitCode readStdin(CompileOptions &options);

/// What is wrong with padding the entries of a model, and with the caches that
/// its sessions hold, as a compilation finds it behind the import.
std::vector<Problem> proveEntries(const CompileOptions &options);

/// For commands that compile each entry as a model of its own, which is not
/// padded: prints what is wrong with --pad; kExitFine where nothing is.
ExitCode refuseUnprovenPadding(const CompileOptions &options);

/// Lowers and emits into `folder`, for all targets and entries, with progress;
/// prints the diagnostics. For further ones the model is imported again, whose
/// weights the stages consume, and `change` does to it what was done to that of
/// `driver`.
ExitCode
compileInto(Driver &driver, llvm::StringRef folder,
            llvm::function_ref<llvm::Error(mlir::ModuleOp)> change = nullptr);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_STEPS_H
