// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Steps.h"

#include "compiler/SharedWeights.h"
#include "compiler/import/Message.h"
#include "tools/fusec/Interrupt.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/StaleKernels.h"
#include "tools/fusec/TunedChoices.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace fusec::tool {

ExitCode fail(const llvm::Twine &what, const llvm::Twine &hint) {
  return failOn("fusec", what, hint);
}

ExitCode fail(llvm::Error error, const llvm::Twine &hint) {
  return fail(llvm::toString(std::move(error)), hint);
}

ExitCode failOn(llvm::StringRef file, const llvm::Twine &reason,
                const llvm::Twine &hint) {
  clearProgress();
  if (isInterrupted())
    return kExitInterrupted;
  Problem problem;
  problem.file = file.str();
  problem.reason = reason.str();
  problem.hint = hint.str();
  say(problem);
  return kExitBadInput;
}

ExitCode checkPlace(llvm::StringRef file, llvm::StringRef option,
                    llvm::StringRef made) {
  llvm::SmallString<128> place(file);
  if (!llvm::sys::fs::make_absolute(place))
    llvm::sys::path::remove_dots(place, /*remove_dot_dot=*/true);
  llvm::StringRef folder = llvm::sys::path::parent_path(place);
  bool willBeMade = made.starts_with((folder + "/").str());
  if (!llvm::sys::fs::is_directory(folder) && !willBeMade)
    return failOn(file, "cannot be written: there is no folder " + folder,
                  "make the folder, or name another file with " + option +
                      "; nothing is written yet");
  if (llvm::sys::fs::is_directory(folder) && !llvm::sys::fs::can_write(folder))
    return failOn(file,
                  "cannot be written: the folder " + folder +
                      " is not for you to write to",
                  "name another file with " + option +
                      "; nothing is written yet");
  return kExitFine;
}

ExitCode readStdin(CompileOptions &options) {
  if (options.input != "-")
    return kExitFine;
  options.input = "<stdin>";
  auto bytes = llvm::MemoryBuffer::getSTDIN();
  if (!bytes)
    return failOn(options.input,
                  "cannot be read: " + bytes.getError().message());
  options.memory = io::MappedFile::hold(std::move(*bytes), options.input);
  return kExitFine;
}

std::vector<Problem> proveEntries(const CompileOptions &options) {
  if (options.padded.empty() && options.import.states.empty())
    return {};
  std::vector<Problem> problems;
  for (size_t e = 0; e < std::max<size_t>(options.entries.size(), 1); ++e) {
    CompileOptions entry = options.forEntry(e);
    entry.import.checkOnly = false;
    entry.until = "import"; // the proofs belong to it
    Driver driver(entry);
    (void)driver.lower();
    addNew(driver.diagnostics().getProblems(), problems);
  }
  return problems;
}

ExitCode refuseUnprovenPadding(const CompileOptions &options) {
  if (options.padded.empty())
    return kExitFine;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Diagnostics diagnostics(context, options.input);
  diagnostics.addAll(proveEntries(options));
  say(diagnostics);
  return diagnostics.hasErrors() ? diagnostics.exitCode() : kExitFine;
}

static ExitCode lowerOne(Driver &driver) {
  ExitCode code = driver.lower(reportStage);
  if (auto *choices =
          static_cast<TunedChoices *>(driver.getOptions().advisor.get());
      choices && code == kExitFine)
    warnOfStale(driver.module(), *choices);
  return code;
}

/// Of a further target or entry, from the file on.
static ExitCode
lowerFurther(Driver &driver,
             llvm::function_ref<llvm::Error(mlir::ModuleOp)> change) {
  if (ExitCode code = driver.import(); code != kExitFine)
    return code;
  if (change)
    if (llvm::Error error = change(driver.module()))
      return fail(std::move(error));
  return lowerOne(driver);
}

/// The compilations for all targets and entries but the first, in the order in
/// which they are emitted.
static std::vector<CompileOptions> listFurther(const CompileOptions &options) {
  std::vector<CompileOptions> further;
  std::vector<std::string> rows{options.row};
  llvm::append_range(rows, options.furtherRows);
  for (const std::string &row : rows)
    for (size_t e = 0; e < std::max<size_t>(options.entries.size(), 1); ++e) {
      CompileOptions next = options.forEntry(e);
      next.row = row;
      next.isFurther = true;
      next.furtherRows.clear();
      next.import.decidedKernels.clear(); // each decides for itself
      further.push_back(std::move(next));
    }
  further.erase(further.begin());
  return further;
}

/// What is wrong with one entry says which it is.
static void sayOf(const Driver &driver, ExitCode code) {
  const CompileOptions &options = driver.getOptions();
  if (code == kExitFine || !options.hasEntries() || !options.entry)
    return;
  printMessage(llvm::errs(), options.input + ": remark: the entry " +
                                 describeEntry(options.symbols,
                                               options.entries[options.entry]) +
                                 " is refused; those before it are fine");
}

ExitCode compileInto(Driver &driver, llvm::StringRef folder,
                     llvm::function_ref<llvm::Error(mlir::ModuleOp)> change) {
  ExitCode code = lowerOne(driver);
  SharedWeights weights;
  std::vector<std::unique_ptr<Driver>> further;
  for (CompileOptions &options : listFurther(driver.getOptions())) {
    if (code != kExitFine)
      break;
    if (further.empty())
      weights.add(driver.module());
    further.push_back(std::make_unique<Driver>(std::move(options)));
    code = lowerFurther(*further.back(), change);
    if (code == kExitFine)
      weights.add(further.back()->module());
  }
  if (!further.empty())
    sayOf(*further.back(), code);
  if (code == kExitFine)
    code = driver.emit(folder, further);
  clearProgress();
  say(driver.diagnostics());
  for (const std::unique_ptr<Driver> &other : further) {
    if (driver.getOptions().hasEntries())
      other->diagnostics().dropRemarksOf(driver.diagnostics());
    say(other->diagnostics());
  }
  return code;
}

} // namespace fusec::tool
