// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the subcommands have in common that write models of ONNX.
#ifndef FUSEC_TOOLS_FUSEC_EXPORTSTEPS_H
#define FUSEC_TOOLS_FUSEC_EXPORTSTEPS_H

#include "compiler/Driver.h"
#include "compiler/export/Exporter.h"
#include "tools/Cli11.h"

namespace fusec::tool {

/// The last stage whose operations are ONNX's, and the highest level whose
/// module there has only such.
inline constexpr llvm::StringLiteral kLastExportedStage = "fuse-simplify";
inline constexpr unsigned kHighestExportedLevel = 1;

/// Adds --opset and --external-data.
void addExport(CLI::App &command, ExportOptions &exported);

/// Adds an option that takes names, split at commas.
void addNames(CLI::App &command, const char *option,
              std::vector<std::string> &names, const char *what,
              const char *type);

/// Whether `output` and `reports` (--report) can be written, before anything is
/// done for them, and a model from stdin; the options then end where models are
/// written. Throws UsageError where one would overwrite files of the model, or
/// another one.
ExitCode prepareExport(CompileOptions &options, const std::string &output,
                       llvm::ArrayRef<std::string> reports = {});

/// Imports the model, and takes it to where its options say. Nothing is written
/// yet; what stands in the way of `output` is said here. Throws UsageError
/// where `output`, or the weights beside it, would overwrite files of the
/// model.
ExitCode lowerForExport(Driver &driver, const std::string &output);

/// Prints `problems`, which are of the driver's model; the code that they mean.
ExitCode sayProblems(Driver &driver, std::vector<Problem> problems);

/// Writes the driver's module to `output`, and says so.
ExitCode writeExported(Driver &driver, const std::string &output,
                       const ExportOptions &exported);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_EXPORTSTEPS_H
