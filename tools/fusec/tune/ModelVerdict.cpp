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
/// The model by its defaults and as tuned, in turns.
struct Match {
  StepTimes byDefault, tuned;

  bool isTunedFaster() const {
    return fast_run::isFasterInTurns(byDefault.all, tuned.all);
  }
  bool isDecided() const {
    return isTunedFaster() ||
           fast_run::isFasterInTurns(tuned.all, byDefault.all);
  }
};
} // namespace

static ExitCode run(Contender &byDefault, Contender &tuned, Match &match) {
  auto inputs = ref::makeInputs(byDefault.executable->inputs(), {}, /*seed=*/0);
  if (!inputs)
    return fail(inputs.takeError());
  fast_run::ProfileOptions options;
  options.runs = kRounds;
  options.repeats = 0;
  options.leavesSlow = false;
  for (unsigned attempt = 1; attempt <= kAttempts; ++attempt) {
    std::vector<Timing> timings(2);
    if (ExitCode code =
            runInTurns({&byDefault, &tuned}, *inputs, options, timings);
        code != kExitFine)
      return code;
    match.byDefault = byDefault.getSteps(attempt * kRounds);
    match.tuned = tuned.getSteps(attempt * kRounds);
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

/// Of `changed`, the keys of groups that take no less time as tuned: in the
/// median round.
static std::vector<std::string>
findUseless(const Match &match, llvm::ArrayRef<std::string> changed) {
  llvm::StringMap<std::vector<double>> before = getTimes(match.byDefault),
                                       after = getTimes(match.tuned);
  std::vector<std::string> useless;
  for (const std::string &key : changed) {
    std::vector<double> gains;
    for (auto [by, tuned] : llvm::zip(before[key], after[key]))
      gains.push_back(by - tuned);
    if (gains.empty() || summarise(gains).median <= 0)
      useless.push_back(key);
  }
  return useless;
}

/// The model with what `records` say, but for `keptDefaults`.
static std::shared_ptr<TunedChoices>
makeChoices(const fast_run::Backend &backend, const fast_run::Records &records,
            std::vector<std::string> keptDefaults) {
  auto choices = std::make_shared<TunedChoices>(backend, fast_run::Wish());
  choices->keepDefaults(std::move(keptDefaults));
  choices->add("records", records);
  return choices;
}

ExitCode judge(const CompileOptions &options, unsigned threads,
               const fast_run::Backend &backend, fast_run::Records records,
               ModelVerdict &verdict) {
  // Those of before say nothing of these choices.
  records.keepIf(
      [](const Record &record) { return record.kind == RecordKind::group; });
  Contender byDefault;
  if (ExitCode code = byDefault.load(options, threads); code != kExitFine)
    return code;
  verdict.compilations += !byDefault.built.cached;
  std::vector<std::string> changed;
  Match match;
  for (;;) {
    reportProgress("running the model by its defaults and as tuned");
    auto choices = makeChoices(backend, records, verdict.keptDefaults);
    CompileOptions with = options;
    with.advisor = choices;
    Contender tuned;
    if (ExitCode code = tuned.load(with, threads); code != kExitFine)
      return code;
    verdict.compilations += !tuned.built.cached;
    if (ExitCode code = run(byDefault, tuned, match); code != kExitFine)
      return code;
    if (!verdict.keptDefaults.empty())
      break;
    for (const TunedAnswer &answer : choices->getAnswers())
      if (!answer.isDefault && !answer.algorithm.empty())
        changed.push_back(answer.key);
    verdict.keptDefaults = findUseless(match, changed);
    if (verdict.keptDefaults.empty() ||
        verdict.keptDefaults.size() == changed.size())
      break;
  }
  // Without all that was taken back it is the default.
  const bool helps = match.isTunedFaster();
  if (!helps)
    verdict.keptDefaults = changed;
  verdict.timings = {
      makeTiming("default", match.byDefault),
      makeTiming("tuned", helps ? match.tuned : match.byDefault)};
  verdict.timings[0].isDefault = true;
  llvm::sort(verdict.keptDefaults);
  return kExitFine;
}

} // namespace fusec::tool
