// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/CacheOptions.h"

#include "passes/lock/GroupKey.h"
#include "runtime/fast_run/Machine.h"
#include "tools/fusec/Gpu.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/Machine.h"
#include "tools/fusec/RunOptions.h"
#include "tools/fusec/Steps.h"

#include <fmt/format.h>

namespace fusec::tool {

fast_run::Backend describeBackend() {
  fast_run::Backend backend = fast_run::describeMachine();
  backend.algorithms = std::to_string(lock::kAlgorithmSet);
  return backend;
}

void warnOfDamages(llvm::ArrayRef<fast_run::Damage> damages) {
  std::vector<Problem> warnings;
  for (const fast_run::Damage &damage : damages) {
    Problem &warning = warnings.emplace_back();
    warning.kind = ProblemKind::Warning;
    warning.file = damage.line == 0
                       ? damage.file
                       : fmt::format("{}:{}", damage.file, damage.line);
    warning.reason = damage.reason;
    warning.hint = "it is left out, and the rest is used";
  }
  printProblems(warnings, llvm::errs());
}

/// CLI11's own takes -1 for the greatest number there is.
static CLI::Validator numberOfBytes() {
  return CLI::Validator(
      [](const std::string &text) {
        uint64_t bytes = 0;
        return llvm::StringRef(text).getAsInteger(10, bytes)
                   ? "'" + text + "' is not a number of bytes, from 0 on"
                   : std::string();
      },
      "");
}

void CacheOptions::add(CLI::App &command) {
  command
      .add_option("--cache", cache,
                  "Takes of each group and choice that no lock has what fusec "
                  "tune found to be fastest on this machine; a folder or a "
                  "file")
      ->check(notEmpty())
      ->type_name("PATH");
  command
      .add_option("--cache-readonly", readOnly,
                  "The same, where --cache knows nothing: a cache that came "
                  "with the model, say")
      ->check(notEmpty())
      ->type_name("PATH");
  command
      .add_option("--workspace-limit", workspaceLimit,
                  "Takes, of algorithms and of what a cache knows, those that "
                  "need no more bytes for what lies between their operands and "
                  "results")
      ->check(numberOfBytes())
      ->type_name("BYTES");
  command.add_flag(
      "--verbose", verbose,
      "Print what is taken of each group and choice, and why: what a cache "
      "knows, or the heuristic");
}

std::vector<std::string> CacheOptions::listFiles() const {
  std::vector<std::string> files;
  fast_run::FileSystem &system = fast_run::getFileSystem();
  for (const std::string &path : {cache, readOnly}) {
    if (path.empty())
      continue;
    // A folder changes with each segment that comes or goes.
    files.push_back(path);
    std::vector<std::string> names;
    if (system.getKind(path) == fast_run::FileSystem::Kind::folder)
      (void)system.list(path, names);
    for (const std::string &name : names)
      if (llvm::StringRef(name).ends_with(".frc"))
        files.push_back(path + "/" + name);
  }
  return files;
}

/// Whose records count of kernels for GPUs, if there are such: this machine's
/// GPU, or any where it has none that fits.
static std::optional<fast_run::Backend>
describeGpuFor(const CompileOptions &options, const std::string &compiler) {
  std::vector<std::string> rows = options.furtherRows;
  rows.push_back(options.row);
  fast_run::Backend gpu;
  gpu.algorithms = std::to_string(lock::kAlgorithmSet);
  for (const std::string &name : rows) {
    const TargetInfo *row = getTargetInfo(name);
    if (!row || !row->platform->isDevice)
      continue;
    if (findGpu(*row, gpu).empty() && compiler.empty())
      gpu.compiler = "";
    return gpu;
  }
  return std::nullopt;
}

ExitCode CacheOptions::read(CompileOptions &options, const std::string &threads,
                            const std::string &compiler) const {
  options.workspaceLimit = workspaceLimit;
  if (!isNamed()) {
    if (verbose) // somebody who is asked, and knows nothing
      options.advisor =
          std::make_shared<TunedChoices>(describeBackend(), getWish(options));
    return kExitFine;
  }
  fast_run::Backend backend = describeBackend();
  backend.threads = threads;
  backend.compiler = compiler;
  // What is built for several instruction sets is built for other machines,
  // unless it was this one that was asked for.
  const TargetInfo *row =
      getTargetInfo(options.row.empty() ? options.defaultCpu : options.row);
  const bool isForOthers = !options.forThisMachine && threads.empty() &&
                           compiler.empty() && row && row->sets.size() > 1;
  auto choices = std::make_shared<TunedChoices>(
      std::move(backend), getWish(options), describeGpuFor(options, compiler),
      isForOthers);
  for (const std::string &path : {cache, readOnly}) {
    if (path.empty())
      continue;
    fast_run::Contents contents = fast_run::read(
        fast_run::getFileSystem(), path, mayLack && path == cache);
    if (!contents.error.empty())
      return failOn(path, contents.error,
                    "name a folder that fusec tune wrote to, or a file that "
                    "fusec cache merge wrote");
    warnOfDamages(contents.damages);
    choices->add(path, std::move(contents.records));
  }
  options.advisor = std::move(choices);
  return kExitFine;
}

llvm::ArrayRef<TunedAnswer>
CacheOptions::getAnswers(const CompileOptions &options) const {
  if (!options.advisor)
    return {};
  return static_cast<TunedChoices &>(*options.advisor).getAnswers();
}

void CacheOptions::report(const CompileOptions &options, llvm::StringRef folder,
                          bool runsHere, llvm::StringRef variant) const {
  if (!verbose || !options.advisor)
    return;
  auto &choices = static_cast<TunedChoices &>(*options.advisor);
  // A model that was built before with a lock may have asked nobody.
  const bool wasAsked = !choices.getAnswers().empty();
  if (!folder.empty() && (wasAsked || options.lock.empty()))
    if (llvm::Error error = choices.compareWith(folder))
      llvm::consumeError(std::move(error)); // what is amiss is said elsewhere
  llvm::ArrayRef<TunedAnswer> answers = choices.getAnswers();
  if (answers.empty())
    llvm::errs() << "fusec: nobody was asked what is fast: a lock decides, or "
                    "there is nothing to decide\n";
  if (runsHere)
    printAnswers(selectFor(detectIsa(), answers), variant, llvm::errs());
  else
    printAnswers(answers, variant, llvm::errs());
}

} // namespace fusec::tool
