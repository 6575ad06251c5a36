// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/ExportSteps.h"

#include "dialects/words/Plain.h"
#include "tools/CommandLine.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/ModelOptions.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/Steps.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace fusec::tool {

/// Refuses what models are not written in, and says what comes with which.
static CLI::Validator writtenOpset() {
  return CLI::Validator(
      [](const std::string &text) {
        int64_t opset = 0;
        if (!llvm::StringRef(text).getAsInteger(10, opset) &&
            opset >= kOldestExportedOpset && opset <= kNewestExportedOpset)
          return std::string();
        return "models are written in operator sets " +
               std::to_string(kOldestExportedOpset) + " to " +
               std::to_string(kNewestExportedOpset) + ", not " + text +
               " (each channel has a scale of its own from 13 on, and codes "
               "have 4 bits from 21 on)";
      },
      "");
}

void addExport(CLI::App &command, ExportOptions &exported) {
  command
      .add_option("--opset", exported.opset,
                  "The version of ONNX's operator set to write (default: the "
                  "model's own, or the nearest from " +
                      std::to_string(kUsualExportedOpset) + " to " +
                      std::to_string(kNewestExportedOpset) + ")")
      ->check(writtenOpset())
      ->type_name("N");
  command.add_flag("--external-data", exported.externalData,
                   "Write the weights to a file beside the model, FILE.data; "
                   "without the option only where they have more than 2 GB");
}

void addNames(CLI::App &command, const char *option,
              std::vector<std::string> &names, const char *what,
              const char *type) {
  command.add_option(option, names, what)
      ->delimiter(',')
      ->type_name(type)
      ->allow_extra_args(false);
}

ExitCode prepareExport(CompileOptions &options, const std::string &output,
                       llvm::ArrayRef<std::string> reports) {
  std::vector<std::pair<std::string, std::string>> written{{"-o", output}};
  for (const std::string &report : reports)
    written.emplace_back("--report", report);
  refuseSameFile(written);
  for (const auto &[option, file] : written) {
    refuseOverwriting(options, option, file);
    if (ExitCode code = checkPlace(file, option); code != kExitFine)
      return code;
  }
  options.until = kLastExportedStage.str();
  return readStdin(options);
}

/// Throws UsageError where the file of weights beside the new model would be
/// one of the model's own.
static void keepExternalFiles(const Driver &driver, llvm::StringRef output) {
  const std::string data = (output + ".data").str();
  llvm::StringRef folder =
      llvm::sys::path::parent_path(driver.getOptions().input);
  for (const std::string &name : driver.listExternalFiles()) {
    llvm::SmallString<128> file(folder);
    llvm::sys::path::append(file, name);
    if (llvm::sys::fs::equivalent(file, data))
      throw UsageError{"-o " + output.str() + ": would overwrite " + data +
                       ", which has weights of the model; name another file"};
  }
}

ExitCode lowerForExport(Driver &driver, const std::string &output) {
  ExitCode code = driver.lower(reportStage);
  clearProgress();
  if (code != kExitFine) {
    say(driver.diagnostics());
    return code;
  }
  keepExternalFiles(driver, output);
  return kExitFine;
}

ExitCode sayProblems(Driver &driver, std::vector<Problem> problems) {
  for (Problem &problem : problems)
    problem.file = driver.getOptions().input;
  driver.diagnostics().addAll(problems);
  say(driver.diagnostics());
  return driver.diagnostics().hasErrors() ? driver.diagnostics().exitCode()
                                          : kExitFine;
}

ExitCode writeExported(Driver &driver, const std::string &output,
                       const ExportOptions &exported) {
  std::vector<Problem> problems;
  llvm::Expected<ExportSummary> written =
      exportOnnx(driver.module(), output, exported, problems);
  ExitCode code = sayProblems(driver, std::move(problems));
  if (!written)
    return fail(written.takeError());
  if (code != kExitFine)
    return code;
  llvm::outs() << onOneLine(output) << ": wrote " << written->numNodes
               << (written->numNodes == 1 ? " node" : " nodes")
               << " of operator set " << written->opset;
  if (written->numWeights)
    llvm::outs() << ", " << written->weightBytes << " bytes of weights"
                 << (written->dataFile.empty()
                         ? ""
                         : " in " + onOneLine(written->dataFile));
  llvm::outs() << "\n";
  return kExitFine;
}

} // namespace fusec::tool
