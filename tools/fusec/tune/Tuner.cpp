// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/Tuner.h"

#include "dialects/TargetInfo.h"
#include "passes/lock/GroupKey.h"
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

/// How many algorithms of a group are measured, the naive one counted.
static constexpr unsigned kFew = 10, kAll = 64;

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
  // What is known needs no compiler.
  backend = workbench.describe();
  if (options.threads == 0)
    options.threads = unsigned(std::stoul("0" + backend.cores));
  backend.threads = std::to_string(options.threads);
  return kExitFine;
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

std::string Tuner::explainMiss(const Record *record, const std::string &key,
                               const std::string &reason) {
  if (options.retune == "all" || options.retune == key) {
    foundRetuned |= options.retune == key;
    return "is to be measured again";
  }
  if (!record)
    return reason;
  return options.exhaustive && record->search != "exhaustive"
             ? "was found by a heuristic search"
             : "";
}

/// Points of all statements, those that reduce among them.
static double countPoints(sched::ScopOp scop) {
  double points = 0;
  scop.walk([&](sched::StmtOp stmt) { points += countPoints(stmt); });
  return points;
}

ExitCode Tuner::tune(const CompileOptions &chosen, TunedModel &result) {
  CompileOptions lowered = chosen;
  lowered.until = "sched-compute";
  Driver driver(lowered);
  ExitCode code = driver.lower(reportStage);
  say(driver.diagnostics());
  if (code != kExitFine)
    return code;
  result.name = chosen.input;
  std::vector<TunedGroup> groups =
      listGroups(driver.module(), chosen.emit.target);
  result.key = lock::GroupKeys(chosen.emit.target).get(driver.module());
  // Shards are the same parts wherever they are made.
  llvm::sort(groups, [](const TunedGroup &a, const TunedGroup &b) {
    return a.key < b.key;
  });
  TunedChoices known(backend, {});
  known.add(options.cache, records);
  std::vector<TunedGroup> unknown;
  missed.clear();
  for (size_t number = 0; number < groups.size(); ++number) {
    const TunedGroup &group = groups[number];
    TunedAnswer answer;
    const Record *record = known.find(group.key, backend.isa, answer);
    if (number % options.shard.count != options.shard.number - 1) {
      if (!record)
        continue;
    } else if (std::string why = explainMiss(record, group.key, answer.reason);
               !why.empty()) {
      missed[group.key] = std::move(why);
      unknown.push_back(group);
      continue;
    }
    TunedResult &one = result.groups.emplace_back();
    one.key = group.key;
    one.name = group.name;
    one.known = true;
    one.record = *record;
    if (const Timing *taken = fast_run::choose(*record, {}))
      one.taken = taken->name;
    if (code = checkFit(group, one, result.name); code != kExitFine)
      return code;
  }
  // The largest first: where time is short, they matter most.
  llvm::sort(unknown, [](const TunedGroup &a, const TunedGroup &b) {
    return std::pair(-countPoints(a.scop), a.key) <
           std::pair(-countPoints(b.scop), b.key);
  });
  if (code = measure(driver, unknown, result); code != kExitFine)
    return code;
  if (options.shard.count > 1 || result.left || workbench.isInterrupted())
    return kExitFine;
  return settle(chosen, result);
}

ExitCode Tuner::emit(const Driver &model, llvm::ArrayRef<TunedGroup> groups,
                     std::vector<Candidates> &batch) {
  llvm::TimeTraceScope scope("enumerate");
  if (ExitCode code = workbench.emit(model, groups,
                                     options.exhaustive ? kAll : kFew, batch);
      code != kExitFine)
    return code;
  // One that stands alone is its own default.
  auto isTimed = [&](const Timing &timing) {
    return options.fullRun || !timing.naive;
  };
  for (Candidates &candidates : batch)
    if (candidates.refusal.empty() &&
        llvm::count_if(candidates.timings, isTimed) < 2)
      candidates.refusal = kAlone;
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
  if (std::string error = writer.append(record); !error.empty())
    return failOn(options.cache, error,
                  "what was measured before is in the cache; run the same "
                  "command again for the rest");
  records.add(std::move(record));
  return kExitFine;
}

/// Keeps what was measured of a group.
ExitCode Tuner::take(Candidates &candidates, TunedModel &result) {
  TunedResult &one = result.groups.emplace_back();
  one.key = candidates.group.key;
  one.name = candidates.group.name;
  one.missed = missed.lookup(one.key);
  one.refusal = candidates.refusal;
  one.record.key = one.key;
  if (one.refusal == kAlone)
    return keep(one.record);
  if (one.refusal.empty()) {
    timings += candidates.timings.size();
    one.record.timings = std::move(candidates.timings);
    fast_run::keepUseful(one.record.timings);
    if (const Timing *taken = fast_run::choose(one.record, {}))
      one.taken = taken->name;
    if (ExitCode code = keep(one.record); code != kExitFine)
      return code;
  }
  return checkFit(candidates.group, one, result.name);
}

/// Says where nothing but the naive kernel of a group can be taken, and why.
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
  warning.hint = "it runs its naive kernel";
  say(warning);
  return kExitFine;
}

void Tuner::report(size_t done, size_t total, llvm::StringRef group) {
  std::string time;
  if (auto left = getTimeLeft())
    time = fmt::format(", {} s of the budget",
                       std::max<int64_t>(0, left->count()));
  workbench.report(fmt::format("tuning {} of {} groups, {} left{}: {}",
                               drawBar(done, total), total, total - done, time,
                               group.str()));
}

ExitCode Tuner::measure(const Driver &model, llvm::ArrayRef<TunedGroup> groups,
                        TunedModel &result) {
  if (groups.empty())
    return kExitFine;
  if (backend.compiler.empty())
    return fail("there is no C++ compiler that answers, and " +
                    llvm::Twine(groups.size()) + " groups are not in " +
                    options.cache,
                kCompilerHint);
  // Before the work, not after it.
  if (std::string error = writer.probe(); !error.empty())
    return failOn(options.cache, error,
                  "nothing was measured, for it could not be kept; name a "
                  "folder that fusec tune may write to");
  TimingOptions timing;
  timing.threads = options.threads;
  timing.timesNaive = options.fullRun;
  timing.plant = options.plant;
  const size_t jobs = std::max(1ul, std::stoul("0" + backend.cores));
  result.left = groups.size();
  while (result.left != 0) {
    if (isOver())
      return kExitFine;
    report(groups.size() - result.left, groups.size(),
           groups[groups.size() - result.left].name);
    std::vector<Candidates> batch;
    if (ExitCode code =
            emit(model, groups.take_back(result.left).take_front(jobs), batch);
        code != kExitFine)
      return code;
    if (ExitCode code = build(batch); code != kExitFine)
      return code;
    for (Candidates &candidates : batch) {
      if (candidates.refusal.empty()) {
        llvm::TimeTraceScope scope("profile", candidates.group.name);
        report(groups.size() - result.left, groups.size(),
               candidates.group.name);
        workbench.time(timing, candidates);
      }
      if (workbench.isInterrupted())
        return kExitFine;
      if (ExitCode code = take(candidates, result); code != kExitFine)
        return code;
      --result.left;
    }
  }
  return kExitFine;
}

static bool isDefaultWrong(const Record &record) {
  return llvm::any_of(record.timings, [](const Timing &timing) {
    return timing.isDefault && !timing.failure.empty();
  });
}

ExitCode Tuner::settle(const CompileOptions &chosen, TunedModel &result) {
  llvm::TimeTraceScope scope("set");
  bool isNew = false, isChanged = false;
  for (const TunedResult &group : result.groups) {
    isNew |= !group.known && !group.record.timings.empty();
    const Timing *taken = fast_run::choose(group.record, {});
    isChanged |= taken && !taken->isDefault;
  }
  TunedChoices known(backend, {});
  known.add(options.cache, records);
  if (const Record *verdict = known.findVerdict(result.key);
      verdict && !isNew) {
    result.verdict = *verdict;
    result.verdictKnown = true;
    return kExitFine;
  }
  ModelVerdict verdict;
  if (isChanged) {
    if (ExitCode code =
            workbench.judge(chosen, options.threads, backend, records, verdict);
        code != kExitFine)
      return code;
  }
  compilations += verdict.compilations;
  timings += verdict.timings.size();
  Record &record = result.verdict.emplace();
  record.kind = RecordKind::model;
  record.key = result.key;
  record.timings = verdict.timings;
  record.keptDefaults = verdict.keptDefaults;
  // However fast a default is that is wrong: no model keeps it.
  llvm::erase_if(record.keptDefaults, [&](const std::string &key) {
    return llvm::any_of(result.groups, [&](const TunedResult &group) {
      return group.key == key && isDefaultWrong(group.record);
    });
  });
  return keep(record);
}

} // namespace fusec::tool
