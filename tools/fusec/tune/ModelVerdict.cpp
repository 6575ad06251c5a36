// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/ModelVerdict.h"

#include "tools/fusec/Contender.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/Steps.h"

namespace fusec::tool {

using fast_run::Record;
using fast_run::RecordKind;
using fast_run::Timing;

/// Rounds that are run before it is asked which is the faster one, and how
/// often as many are added where neither is.
static constexpr unsigned kRounds = 15, kAttempts = 3;

namespace {
/// The model by its defaults, once more, and as tuned, in turns.
struct Match {
  StepTimes byDefault, again, tuned;

  fast_run::Comparison compare() const {
    return fast_run::compareInTurns(byDefault.all, again.all, tuned.all);
  }
  bool isDecided() const {
    const fast_run::Comparison comparison = compare();
    return comparison.isFaster || comparison.isSlower;
  }
};
} // namespace

/// The last runs. On a GPU they are what its kernels took, by events: copies
/// from and to the host, and waiting, say nothing of a choice.
static StepTimes getSteps(const Contender &contender, unsigned lastRuns) {
  StepTimes times = contender.getSteps(lastRuns);
  if (!contender.executable->getDevice())
    return times;
  times.all.assign(times.all.size(), 0);
  for (const StepTime &step : times.steps)
    for (auto [whole, ms] : llvm::zip(times.all, step.all))
      whole += ms;
  return times;
}

static ExitCode run(Contender &byDefault, Contender &again, Contender &tuned,
                    Match &match) {
  auto inputs = ref::makeInputs(byDefault.executable->inputs(), {}, /*seed=*/0);
  if (!inputs)
    return fail(inputs.takeError());
  fast_run::ProfileOptions options;
  options.runs = kRounds;
  options.repeats = 0;
  options.leavesSlow = false;
  for (unsigned attempt = 1; attempt <= kAttempts; ++attempt) {
    std::vector<Timing> timings(3);
    if (ExitCode code =
            runInTurns({&byDefault, &tuned, &again}, *inputs, options, timings);
        code != kExitFine)
      return code;
    match.byDefault = getSteps(byDefault, attempt * kRounds);
    match.again = getSteps(again, attempt * kRounds);
    match.tuned = getSteps(tuned, attempt * kRounds);
    if (match.isDecided())
      break;
    options.warmUps = 0;
  }
  return kExitFine;
}

static Timing makeTiming(const char *name, const StepTimes &times) {
  Timing timing;
  timing.name = name;
  std::vector<uint64_t> picoseconds;
  for (double ms : times.all)
    picoseconds.push_back(uint64_t(ms * 1e9));
  fast_run::summarise(picoseconds, timing);
  timing.unstable = !fast_run::isStable(timing.picoseconds, timing.spread);
  return timing;
}

/// How long each group took in each run, by key, in milliseconds.
static llvm::StringMap<std::vector<double>> getTimes(const StepTimes &times) {
  llvm::StringMap<std::vector<double>> byKey;
  for (const StepTime &step : times.steps) {
    if (step.key.empty())
      continue;
    std::vector<double> &all = byKey[step.key];
    all.resize(step.all.size());
    for (auto [sum, ms] : llvm::zip(all, step.all))
      sum += ms;
  }
  return byKey;
}

/// How long `groups` took together in each run; none if none of them is in it.
static std::vector<double>
sum(const llvm::StringMap<std::vector<double>> &byKey,
    const std::set<std::string> &groups) {
  std::vector<double> all;
  for (const std::string &key : groups) {
    auto times = byKey.find(key);
    if (times == byKey.end())
      continue;
    all.resize(times->second.size());
    for (auto [whole, ms] : llvm::zip(all, times->second))
      whole += ms;
  }
  return all;
}

std::vector<std::string> findUseless(const StepTimes &byDefault,
                                     const StepTimes &tuned,
                                     llvm::ArrayRef<ChangedPart> changed) {
  const auto before = getTimes(byDefault), after = getTimes(tuned);
  std::vector<std::string> useless;
  for (const ChangedPart &part : changed) {
    std::vector<double> gains;
    const std::vector<double> was = sum(before, part.groups),
                              is = sum(after, part.groups);
    for (size_t run = 0; run < std::min(was.size(), is.size()); ++run)
      gains.push_back(was[run] - is[run]);
    if (!gains.empty() && summarise(gains).median <= 0)
      useless.push_back(part.key);
  }
  return useless;
}

/// The model with what `records` say, but for `keptDefaults`.
static std::shared_ptr<TunedChoices>
makeChoices(const CompileOptions &options, const fast_run::Backend &backend,
            const fast_run::Records &records,
            std::vector<std::string> keptDefaults) {
  auto choices = std::make_shared<TunedChoices>(backend, getWish(options));
  choices->keepDefaults(std::move(keptDefaults));
  choices->add("records", records);
  return choices;
}

ExitCode judge(const CompileOptions &options, unsigned threads,
               const fast_run::Backend &backend, fast_run::Records records,
               llvm::ArrayRef<ChangedPart> changed, ModelVerdict &verdict) {
  // Those of before say nothing of these choices.
  records.keepIf(
      [](const Record &record) { return record.kind == RecordKind::group; });
  llvm::Expected<SharedPool> pool = makePool(threads);
  if (!pool)
    return fail(pool.takeError());
  Contender byDefault, again;
  for (Contender *one : {&byDefault, &again})
    if (ExitCode code = one->load(options, *pool); code != kExitFine)
      return code;
  verdict.compilations += !byDefault.built.cached;
  Match match;
  for (;;) {
    reportProgress("running the model by its defaults and as tuned");
    auto choices = makeChoices(options, backend, records, verdict.keptDefaults);
    CompileOptions with = options;
    with.advisor = std::move(choices);
    Contender tuned;
    if (ExitCode code = tuned.load(with, *pool); code != kExitFine)
      return code;
    verdict.compilations += !tuned.built.cached;
    if (ExitCode code = run(byDefault, again, tuned, match); code != kExitFine)
      return code;
    if (!verdict.keptDefaults.empty())
      break;
    verdict.keptDefaults = findUseless(match.byDefault, match.tuned, changed);
    if (verdict.keptDefaults.empty() ||
        verdict.keptDefaults.size() == changed.size())
      break;
  }
  // Without all that was taken back it is the default.
  const bool helps = match.compare().isFaster;
  if (!helps) {
    verdict.keptDefaults.clear();
    for (const ChangedPart &part : changed)
      verdict.keptDefaults.push_back(part.key);
  }
  verdict.timings = {
      makeTiming("default", match.byDefault),
      makeTiming("tuned", helps ? match.tuned : match.byDefault)};
  verdict.timings[0].isDefault = true;
  llvm::sort(verdict.keptDefaults);
  return kExitFine;
}

} // namespace fusec::tool
