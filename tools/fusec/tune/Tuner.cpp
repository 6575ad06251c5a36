// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/Tuner.h"

#include "codegen/FolderAside.h"
#include "dialects/TargetInfo.h"
#include "passes/lock/GroupKey.h"
#include "runtime/src/Cpu.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/CacheOptions.h"
#include "tools/fusec/Interrupt.h"
#include "tools/fusec/Machine.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/Steps.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TimeProfiler.h"
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace fusec::tool {

using fast_run::Record;
using fast_run::RecordKind;
using fast_run::Timing;
using Clock = std::chrono::steady_clock;

/// How many algorithms of a group are measured, the naive one counted.
static constexpr unsigned kFew = 10, kAll = 64;

/// Why there is nothing to measure, now or later.
static constexpr llvm::StringLiteral kAlone = "it has no further algorithm";

namespace {
/// What times kernels holds, on one machine one process at a time: timings side
/// by side are of both.
class TimingSlot {
public:
  TimingSlot() {
    std::string folder = cacheFolder();
    (void)llvm::sys::fs::create_directories(folder);
    file = ::open((folder + "/tune.slot").c_str(), O_RDWR | O_CREAT | O_CLOEXEC,
                  0666);
    if (file >= 0)
      (void)::flock(file, LOCK_EX);
  }
  TimingSlot(const TimingSlot &) = delete;
  TimingSlot &operator=(const TimingSlot &) = delete;
  ~TimingSlot() {
    if (file >= 0)
      ::close(file);
  }

private:
  int file;
};
} // namespace

Tuner::Tuner(SearchOptions chosen)
    : options(std::move(chosen)), started(Clock::now()),
      backend(describeBackend()),
      writer(fast_run::getFileSystem(), options.cache) {}

ExitCode Tuner::begin() {
  if (llvm::sys::fs::is_regular_file(options.cache))
    return failOn(options.cache, "is a file, and a search writes to a folder",
                  "name a folder; it is made if it is not there, and fusec "
                  "cache merge reads both");
  fast_run::Contents contents = fast_run::read(fast_run::getFileSystem(),
                                               options.cache, /*mayLack=*/true);
  if (!contents.error.empty())
    return failOn(options.cache, contents.error,
                  "name a folder that fusec tune may write to");
  records = std::move(contents.records);
  warnOfDamages(contents.damages);
  // What is known needs none.
  llvm::Expected<HostCompiler> found = findCompiler();
  if (found)
    compiler = std::move(*found);
  else
    llvm::consumeError(found.takeError());
  if (options.threads == 0)
    options.threads = unsigned(std::stoul("0" + backend.cores));
  backend.threads = std::to_string(options.threads);
  backend.compiler = compiler ? compiler->version : "";
  return kExitFine;
}

bool Tuner::isOver() const {
  return isInterrupted() ||
         (options.budget && Clock::now() - started >= *options.budget);
}

/// Points of all statements, those that reduce among them.
static double countPoints(sched::ScopOp scop) {
  double points = 0;
  scop.walk([&](sched::StmtOp stmt) {
    double own = 1;
    for (int64_t extent : stmt.getExtents())
      own *= double(extent);
    points += own;
  });
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
  lock::GroupKeys groupKeys(chosen.emit.target);
  std::vector<std::string> keys;
  for (auto scop : driver.module().getOps<sched::ScopOp>())
    keys.push_back(groupKeys.get(scop));
  result.key = getModelKey(getTargetInfo(driver.module()).name, keys);
  // Shards are the same parts wherever they are made.
  llvm::sort(groups, [](const TunedGroup &a, const TunedGroup &b) {
    return a.key < b.key;
  });
  TunedChoices known(backend, {});
  known.add(options.cache, records);
  std::vector<TunedGroup> unknown;
  for (size_t number = 0; number < groups.size(); ++number) {
    const TunedGroup &group = groups[number];
    TunedAnswer answer;
    const Record *record =
        known.find(group.key, rt::isaName(detectIsa()), answer);
    bool isEnough =
        record && (!options.exhaustive || record->search == "exhaustive");
    if (number % options.shard.count != options.shard.number - 1) {
      if (!record)
        continue;
    } else if (!isEnough || options.retune == "all" ||
               options.retune == group.key) {
      foundRetuned |= options.retune == group.key;
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
  }
  // The largest first: where time is short, they matter most.
  llvm::sort(unknown, [](const TunedGroup &a, const TunedGroup &b) {
    return std::pair(-countPoints(a.scop), a.key) <
           std::pair(-countPoints(b.scop), b.key);
  });
  if (code = measure(driver, unknown, result); code != kExitFine)
    return code;
  if (options.shard.count > 1 || result.left || isInterrupted())
    return kExitFine;
  return settle(chosen, result);
}

ExitCode Tuner::emit(const Driver &model, llvm::ArrayRef<TunedGroup> groups,
                     const std::string &place, std::vector<Candidates> &batch) {
  llvm::TimeTraceScope scope("enumerate");
  for (auto [number, group] : llvm::enumerate(groups)) {
    std::string own = place + "/" + std::to_string(number);
    if (std::error_code error = llvm::sys::fs::create_directories(own))
      return failOn(own, error.message());
    if (ExitCode code = emitCandidates(model, group, rt::isaName(detectIsa()),
                                       options.exhaustive ? kAll : kFew, own,
                                       batch.emplace_back());
        code != kExitFine)
      return code;
    // One that stands alone is its own default.
    Candidates &last = batch.back();
    auto isTimed = [&](const Timing &timing) {
      return options.fullRun || !timing.naive;
    };
    if (last.refusal.empty() && llvm::count_if(last.timings, isTimed) < 2)
      last.refusal = kAlone;
  }
  return kExitFine;
}

ExitCode Tuner::build(std::vector<Candidates> &batch) {
  llvm::TimeTraceScope scope("compile");
  std::vector<ExitCode> codes(batch.size(), kExitFine);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < batch.size(); ++i)
    if (batch[i].refusal.empty()) {
      ++compilations;
      threads.emplace_back([&, i] {
        codes[i] = buildLibrary(batch[i].built.folder, *compiler,
                                batch[i].built.library);
      });
    }
  for (std::thread &thread : threads)
    thread.join();
  for (ExitCode code : codes)
    if (code != kExitFine)
      return code;
  return kExitFine;
}

ExitCode Tuner::keep(Record record) {
  record.at = std::time(nullptr);
  record.search = options.exhaustive ? "exhaustive" : "heuristic";
  record.backend = backend;
  record.backend.isa = rt::isaName(detectIsa());
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
  one.refusal = candidates.refusal;
  one.record.key = one.key;
  if (one.refusal == kAlone)
    return keep(one.record);
  if (!one.refusal.empty())
    return kExitFine;
  timings += candidates.timings.size();
  one.record.timings = std::move(candidates.timings);
  fast_run::keepUseful(one.record.timings);
  const Timing *taken = fast_run::choose(one.record, {});
  if (taken)
    one.taken = taken->name;
  else
    one.refusal = "none of its algorithms gives the results of the naive one, "
                  "which is taken";
  if (!taken && options.strict)
    return failOn(result.name, "group " + one.name + ": " + one.refusal,
                  "leave out --strict to go on with the naive one");
  return keep(one.record);
}

ExitCode Tuner::measure(const Driver &model, llvm::ArrayRef<TunedGroup> groups,
                        TunedModel &result) {
  if (groups.empty())
    return kExitFine;
  if (!compiler || compiler->version.empty())
    return fail("there is no C++ compiler that answers, and " +
                    llvm::Twine(groups.size()) + " groups are not in " +
                    options.cache,
                kCompilerHint);
  std::string cache = cacheFolder();
  if (std::error_code error = llvm::sys::fs::create_directories(cache))
    return failOn(cache, error.message(),
                  "set XDG_CACHE_HOME to a folder that fusec may write");
  codegen::FolderAside::removeAllLeftovers(cache);
  TimingOptions timing;
  timing.threads = options.threads;
  timing.timesNaive = options.fullRun;
  timing.plant = options.plant;
  const size_t jobs = std::max(1ul, std::stoul("0" + backend.cores));
  for (size_t first = 0; first < groups.size(); first += jobs) {
    if (isOver()) {
      result.left = groups.size() - first;
      return kExitFine;
    }
    reportProgress(fmt::format("tuning group {} of {}: {}", first + 1,
                               groups.size(), groups[first].name));
    auto aside = codegen::FolderAside::create(cache + "/tune");
    if (!aside)
      return fail(aside.takeError());
    std::vector<Candidates> batch;
    if (ExitCode code = emit(model, groups.slice(first).take_front(jobs),
                             aside->path().str(), batch);
        code != kExitFine)
      return code;
    if (ExitCode code = build(batch); code != kExitFine)
      return code;
    for (Candidates &candidates : batch) {
      if (candidates.refusal.empty()) {
        llvm::TimeTraceScope scope("profile", candidates.group.name);
        TimingSlot slot;
        timeCandidates(timing, candidates);
      }
      if (isInterrupted()) {
        result.left = groups.size() - first;
        return kExitFine;
      }
      if (ExitCode code = take(candidates, result); code != kExitFine)
        return code;
    }
  }
  return kExitFine;
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
    TimingSlot slot;
    if (ExitCode code =
            judge(chosen, options.threads, backend, records, verdict);
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
  return keep(record);
}

} // namespace fusec::tool
