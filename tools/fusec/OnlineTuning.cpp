// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/OnlineTuning.h"

#include "compiler/io/TensorFile.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/Steps.h"

namespace fusec::tool {

TuningRange TuningRange::parse(llvm::StringRef text) {
  TuningRange range;
  auto [begin, end] = text.split(':');
  if (begin.getAsInteger(10, range.begin) || end.getAsInteger(10, range.end))
    throw UsageError{"'" + text.str() +
                     "' is no range of runs: expected BEGIN:END, as in 2:12"};
  if (range.begin >= range.end)
    throw UsageError{"the range " + text.str() +
                     " has no run: its end must be greater than its begin"};
  return range;
}

void OnlineTuning::add(CLI::App &command) {
  command
      .add_option(
          "--tuning-range", range,
          "Runs the model END times first; from run BEGIN on each tries "
          "other variants of its kernels (--variants), and then the "
          "fastest stay. With --cache, what it finds is kept there, and "
          "what is known is not searched")
      ->type_name("BEGIN:END");
  command
      .add_option("--tuning-report", report,
                  "Write what the search found, and how many launches of each "
                  "run were of groups that are known, as JSON")
      ->type_name("FILE");
}

ExitCode OnlineTuning::makeTuner(const CacheOptions &caches, bool reproducible,
                                 const std::string &compiler,
                                 std::optional<fusec::Tuner> &tuner) const {
  if (!isAsked()) {
    if (!report.empty())
      throw UsageError{"--tuning-report is about what a search finds; name its "
                       "runs with --tuning-range, as in --tuning-range 2:12"};
    return kExitFine;
  }
  TuningRange runs = TuningRange::parse(range);
  fusec_tuner_options options = {};
  options.begin = runs.begin;
  options.end = runs.end;
  options.cache = caches.cache.empty() ? nullptr : caches.cache.c_str();
  options.read_only =
      caches.readOnly.empty() ? nullptr : caches.readOnly.c_str();
  options.flags = reproducible ? FUSEC_TUNER_REPRODUCIBLE : 0;
  if (caches.workspaceLimit) {
    options.workspace_limit = *caches.workspaceLimit;
    options.flags |= FUSEC_TUNER_LIMIT_WORKSPACE;
  }
  options.compiler = compiler.c_str();
  options.log = [](void *, const char *message) {
    Problem warning;
    warning.kind = ProblemKind::Warning;
    warning.reason = message;
    printProblems({warning}, llvm::errs());
  };
  tuner.emplace(options);
  if (!*tuner)
    return fail(tuner->error());
  return kExitFine;
}

llvm::Error OnlineTuning::writeReport(const fusec::Tuner &tuner) const {
  if (report.empty())
    return llvm::Error::success();
  std::string text = tuner.report() + "\n";
  return io::writeFileAside(report, {text.data(), text.size()});
}

} // namespace fusec::tool
