// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/Tuner.h"

#include "dialects/TargetInfo.h"
#include "passes/lock/GroupKey.h"
#include "runtime/src/Cpu.h"
#include "tools/fusec/CacheOptions.h"
#include "tools/fusec/GroupTraits.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/Steps.h"

#include "llvm/Support/TimeProfiler.h"
#include <fmt/format.h>

namespace fusec::tool {

using fast_run::Record;
using fast_run::RecordKind;
using fast_run::Timing;

/// How many algorithms of a group a heuristic search measures, the naive one
/// counted.
static constexpr unsigned kFew = 10;

/// Why there is nothing to measure, now or later.
static constexpr llvm::StringLiteral kAlone = "it has no further algorithm";

Tuner::Tuner(SearchOptions chosen, Workbench &workbench,
             fast_run::FileSystem &files)
    : options(std::move(chosen)), workbench(workbench), files(files),
      started(workbench.now()), writer(files, options.cache) {}

ExitCode Tuner::begin() {
  if (files.getKind(options.cache) == fast_run::FileSystem::Kind::file)
    return failOn(options.cache, "is a file, and a search writes to a folder",
                  "name a folder; it is made if it is not there, and fusec "
                  "cache merge reads both");
  fast_run::Contents contents =
      fast_run::read(files, options.cache, /*mayLack=*/true);
  if (!contents.error.empty())
    return failOn(options.cache, contents.error,
                  "name a folder that fusec tune may write to");
  records = std::move(contents.records);
  warnOfDamages(contents.damages);
  resumeBudget();
  // What is known needs no compiler.
  std::string lack;
  backend = workbench.describe(options.gpu, lack);
  if (!lack.empty())
    return fail("kernels for " + options.gpu->name +
                    " cannot be measured: " + lack,
                "tune where such a GPU is; what the simulator takes says "
                "nothing of it. Without --target, this machine's CPU is tuned "
                "for");
  if (options.gpu) // threads are the host program's
    return kExitFine;
  if (options.threads == 0)
    options.threads = unsigned(std::stoul("0" + backend.cores));
  backend.threads = std::to_string(options.threads);
  return kExitFine;
}

ExitCode Tuner::take(double &cost, llvm::function_ref<ExitCode()> step) {
  const Workbench::Clock::time_point begin = workbench.now();
  const ExitCode code = step();
  cost += std::chrono::duration<double>(workbench.now() - begin).count();
  return code;
}

/// Of the budget; nothing where there is none.
std::optional<std::chrono::seconds> Tuner::getTimeLeft() const {
  if (!options.budget)
    return std::nullopt;
  return *options.budget - std::chrono::duration_cast<std::chrono::seconds>(
                               workbench.now() - started);
}

bool Tuner::isOver() const {
  return workbench.isInterrupted() ||
         (options.budget && getTimeLeft()->count() <= 0);
}

/// Points of all statements, those that reduce among them.
static double countPoints(sched::ScopOp scop) {
  double points = 0;
  scop.walk([&](sched::StmtOp stmt) { points += countPoints(stmt); });
  return points;
}

static TunedResult makeResult(const TunedGroup &group) {
  TunedResult result;
  result.key = group.key;
  result.name = group.name;
  result.isChoice = group.isChoice();
  result.isChild = group.isChild;
  result.isOfKernels = group.isOfKernels;
  result.alternatives = group.alternatives;
  result.nodes = listNodes(group);
  if (!group.isChoice())
    result.kind = getName(findClass(group.scop)).str();
  result.operands = describeOperands(group);
  return result;
}

ExitCode Tuner::tune(const CompileOptions &chosen, TunedModel &result) {
  CompileOptions lowered = chosen;
  lowered.until = "sched-compute";
  lowered.variants =
      kAllAlgorithms + 1; // and with them alternatives of choices
  wish = getWish(chosen);
  missed.clear();
  if (result.name.empty())
    result.name = chosen.input;
  if (const ExitCode code = tuneKernels(lowered, result);
      code != kExitFine || (result.isListed && isOver()))
    return code;
  Driver driver(lowered);
  ExitCode code = kExitFine;
  workbench.work([&] { code = driver.lower(reportStage); });
  say(driver.diagnostics());
  if (code != kExitFine)
    return code;
  // Text of a stage names it.
  if (const TargetInfo &row = getTargetInfo(driver.module());
      row.platform->isDevice && options.gpu != &row)
    return failOn(chosen.input, "is for " + row.name,
                  "say so with --target=" + row.name);
  const std::string &target = driver.getOptions().target;
  if (result.key.empty())
    result.key = lock::GroupKeys(target).get(driver.module());
  // A shard has no kernels of the others to measure choices with.
  std::vector<TunedGroup> choices;
  if (options.shard.count == 1)
    choices = listChoices(driver.module(), target);
  if (code = measureGroups(driver, listGroups(driver.module(), target), choices,
                           result);
      code != kExitFine)
    return code;
  if (options.shard.count > 1)
    return kExitFine;
  result.isJudgementLeft = true;
  if (isOver())
    return kExitFine;
  if (code = measureChoices(driver, choices, result); code != kExitFine)
    return code;
  if (isOver())
    return kExitFine;
  return settle(chosen, result);
}

ExitCode Tuner::lookUp(llvm::ArrayRef<TunedGroup> groups, TunedModel &result,
                       std::vector<TunedGroup> &unknown) {
  TunedChoices known(backend, {});
  known.add(options.cache, records);
  for (size_t number = 0; number < groups.size(); ++number) {
    const TunedGroup &group = groups[number];
    TunedAnswer answer;
    const Record *record = known.find(group.key, backend.isa, answer);
    if (number % options.shard.count != options.shard.number - 1) {
      if (!record)
        continue;
    } else if (std::string why =
                   explainMiss(known, record, group, answer.reason);
               !why.empty()) {
      missed[group.key] = std::move(why);
      unknown.push_back(group);
      continue;
    }
    TunedResult &one = result.groups.emplace_back(makeResult(group));
    one.known = true;
    one.record = *record;
    if (const Timing *taken = fast_run::choose(*record, wish))
      one.taken = taken->name;
    if (ExitCode code = checkFit(group, one, result.name); code != kExitFine)
      return code;
  }
  return kExitFine;
}

static void addUndone(llvm::ArrayRef<TunedGroup> groups, TunedModel &result) {
  for (const TunedGroup &group : groups)
    result.undone.push_back({group.key, group.name, group.isChoice()});
}

ExitCode Tuner::measureGroups(const Driver &model,
                              std::vector<TunedGroup> groups,
                              llvm::ArrayRef<TunedGroup> choices,
                              TunedModel &result) {
  // Shards are the same parts wherever they are made.
  llvm::sort(groups, [](const TunedGroup &a, const TunedGroup &b) {
    return a.key < b.key;
  });
  std::vector<TunedGroup> unknown;
  if (ExitCode code = lookUp(groups, result, unknown); code != kExitFine)
    return code;
  if (ExitCode code = prepare(unknown.size(), "groups"); code != kExitFine)
    return code;
  // The largest first: where time is short, they matter most.
  llvm::sort(unknown, [](const TunedGroup &a, const TunedGroup &b) {
    return std::tuple(a.isChild, -countPoints(a.scop), a.key) <
           std::tuple(b.isChild, -countPoints(b.scop), b.key);
  });
  addUndone(unknown, result);
  TunedChoices known(backend, {});
  known.add(options.cache, records);
  for (const TunedGroup &choice : choices)
    if (TunedAnswer answer; !known.find(choice.key, backend.isa, answer))
      addUndone(choice, result);
  result.isListed = true;
  const size_t own = llvm::count_if(
      unknown, [](const TunedGroup &group) { return !group.isChild; });
  llvm::ArrayRef<TunedGroup> all(unknown);
  ExitCode code = measure(model, all.take_front(own), "groups", result);
  if (code != kExitFine || own == all.size() || isOver())
    return code;
  llvm::TimeTraceScope scope("tune children");
  return measure(model, all.drop_front(own), "children of choices", result);
}

ExitCode Tuner::measureChoices(const Driver &model,
                               llvm::ArrayRef<TunedGroup> choices,
                               TunedModel &result) {
  std::vector<TunedGroup> unknown;
  if (ExitCode code = lookUp(choices, result, unknown); code != kExitFine)
    return code;
  if (ExitCode code = prepare(unknown.size(), "choices"); code != kExitFine)
    return code;
  result.undone.clear();
  addUndone(unknown, result);
  return measure(model, unknown, "choices", result);
}

ExitCode Tuner::emit(const Driver &model, llvm::ArrayRef<TunedGroup> groups,
                     std::vector<Candidates> &batch) {
  llvm::TimeTraceScope scope("enumerate");
  // Choices are measured with the kernels that are best by themselves.
  auto kernels = std::make_shared<TunedChoices>(backend, wish);
  if (groups.front().isChoice()) {
    fast_run::Records ofGroups = records;
    ofGroups.keepIf(
        [](const Record &record) { return record.kind == RecordKind::group; });
    kernels->add("records", std::move(ofGroups));
  }
  if (ExitCode code = workbench.emit(model, groups,
                                     options.exhaustive ? kAllAlgorithms : kFew,
                                     std::move(kernels), batch);
      code != kExitFine)
    return code;
  // One that stands alone is its own default.
  for (Candidates &candidates : batch) {
    auto isTimed = [&](const Timing &timing) {
      return !timing.naive || (options.fullRun && !candidates.group.isChoice());
    };
    if (candidates.refusal.empty() &&
        llvm::count_if(candidates.timings, isTimed) < 2)
      candidates.refusal = kAlone;
    // As many as are measured at most: there may be more.
    if (options.exhaustive && !candidates.group.isChoice() &&
        candidates.timings.size() >= kAllAlgorithms)
      candidates.leftOut = workbench.countAlgorithms(candidates.group) -
                           unsigned(candidates.timings.size());
  }
  return kExitFine;
}

ExitCode Tuner::build(std::vector<Candidates> &batch) {
  llvm::TimeTraceScope scope("compile");
  for (const Candidates &candidates : batch)
    compilations += candidates.refusal.empty();
  return workbench.build(batch);
}

ExitCode Tuner::keep(Record record) {
  record.at = workbench.getDate();
  record.search = options.exhaustive ? "exhaustive" : "heuristic";
  record.backend = backend;
  records.dateAfterKnown(record);
  if (std::string error = writer.append(record); !error.empty())
    return failOn(options.cache, error,
                  "what was measured before is in the cache; run the same "
                  "command again for the rest");
  records.add(std::move(record));
  return kExitFine;
}

/// Keeps what was measured of a group.
ExitCode Tuner::take(Candidates &candidates, double seconds,
                     TunedModel &result) {
  TunedResult &one = result.groups.emplace_back(makeResult(candidates.group));
  one.seconds = seconds;
  one.leftOut = candidates.leftOut;
  llvm::erase_if(result.undone,
                 [&](const Undone &left) { return left.key == one.key; });
  one.missed = missed.lookup(one.key);
  one.refusal = candidates.refusal;
  one.record.key = one.key;
  if (one.refusal == kAlone)
    return keep(one.record);
  if (one.refusal.empty()) {
    timings += candidates.timings.size();
    one.record.timings = std::move(candidates.timings);
    one.record.clocks = candidates.clocks;
    fast_run::sortTimings(one.record.timings);
    if (const Timing *taken = fast_run::choose(one.record, wish))
      one.taken = taken->name;
    if (ExitCode code = keep(one.record); code != kExitFine)
      return code;
  }
  return checkFit(candidates.group, one, result.name);
}

/// Says where nothing but the naive kernel of a group, or the default of a
/// choice, can be taken, and why.
ExitCode Tuner::checkFit(const TunedGroup &group, TunedResult &one,
                         llvm::StringRef model) {
  const std::vector<Timing> &all = one.record.timings;
  if (!all.empty() && !isAnyFit(all))
    one.refusal = "all of its algorithms but the naive one fail, as " +
                  all.back().name + " does: " + all.back().failure;
  if (one.refusal.empty() || one.refusal == kAlone)
    return kExitFine;
  std::string reason = describeGroup(group) + ": " + one.refusal;
  if (options.strict)
    return failOn(model, reason, "leave out --strict to be warned of it");
  clearProgress();
  Problem warning;
  warning.kind = ProblemKind::Warning;
  warning.file = model.str();
  warning.reason = reason;
  warning.hint =
      group.isChoice() ? "its default is taken" : "it runs its naive kernel";
  say(warning);
  return kExitFine;
}

ExitCode Tuner::prepare(size_t count, llvm::StringRef what) {
  if (count == 0)
    return kExitFine;
  if (backend.compiler.empty())
    return fail(llvm::StringRef("there is no C++ compiler ") +
                    (options.gpu ? "or none for CUDA " : "") +
                    "that answers, and " + llvm::Twine(count) + " " + what +
                    " are not in " + options.cache,
                options.gpu ? "install g++ or clang, and NVRTC or nvcc"
                            : kCompilerHint);
  if (std::string error = workbench.probe(options.threads); !error.empty())
    return fail(error, kThreadsHint);
  // Before the work, not after it.
  if (std::string error = writer.probe(); !error.empty())
    return failOn(options.cache, error,
                  "nothing was measured, for it could not be kept; name a "
                  "folder that fusec tune may write to");
  return kExitFine;
}

ExitCode Tuner::measureBatch(const Driver &model,
                             llvm::ArrayRef<TunedGroup> groups,
                             llvm::function_ref<void(llvm::StringRef)> begin,
                             TunedModel &result) {
  TimingOptions timing;
  timing.threads = options.threads;
  timing.timesNaive = options.fullRun;
  timing.gpu = options.gpu;
  timing.plant = options.plant;
  std::vector<Candidates> batch;
  if (ExitCode code =
          take(costs.enumerate, [&] { return emit(model, groups, batch); });
      code != kExitFine || isOver())
    return code;
  if (ExitCode code = take(costs.compile, [&] { return build(batch); });
      code != kExitFine)
    return code;
  for (Candidates &candidates : batch) {
    double seconds = 0;
    if (candidates.refusal.empty()) {
      llvm::TimeTraceScope scope("profile", candidates.group.name);
      begin(candidates.group.name);
      const ExitCode code = take(seconds, [&] {
        return workbench.time(timing, candidates) ? kExitFine
                                                  : kExitInterrupted;
      });
      costs.measure += seconds;
      if (code != kExitFine)
        return code;
    }
    if (ExitCode code = take(candidates, seconds, result); code != kExitFine)
      return code;
  }
  return kExitFine;
}

ExitCode Tuner::measure(const Driver &model, llvm::ArrayRef<TunedGroup> groups,
                        llvm::StringRef what, TunedModel &result) {
  const size_t jobs = options.gpu
                          ? size_t(rt::availableCpus())
                          : std::max(1ul, std::stoul("0" + backend.cores));
  const size_t planned = groups.size(), first = result.groups.size();
  auto begin = [&](llvm::StringRef group) {
    std::string time;
    if (auto rest = getTimeLeft())
      time = fmt::format(", {} s of the budget",
                         std::max<int64_t>(0, rest->count()));
    const size_t done = result.groups.size() - first;
    workbench.report(fmt::format("tuning {} of {} {}, {} left{}: {}",
                                 drawBar(done, planned), planned, what.str(),
                                 planned - done, time, group.str()));
  };
  for (; !groups.empty() && !isOver();
       groups = groups.drop_front(std::min(jobs, groups.size()))) {
    begin(groups.front().name);
    const ExitCode code =
        measureBatch(model, groups.take_front(jobs), begin, result);
    if (code != kExitFine)
      return code == kExitInterrupted ? kExitFine : code;
  }
  return kExitFine;
}

} // namespace fusec::tool
