// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/ModelVerdict.h"

#include "tools/fusec/Contender.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/Steps.h"

namespace fusec::tool {

using fast_run::Record;
using fast_run::RecordKind;
using fast_run::Timing;

/// How long each group took in the median run, by key, in milliseconds.
static llvm::StringMap<double> getTimes(const Contender &contender) {
  llvm::StringMap<double> times;
  for (const StepTime &step : contender.getSteps().steps)
    if (!step.key.empty())
      times[step.key] += step.ms.median;
  return times;
}

static ExitCode measure(Contender &byDefault, Contender &tuned,
                        std::vector<Timing> &timings) {
  timings.assign(2, {});
  timings[0].name = "default";
  timings[0].isDefault = true;
  timings[1].name = "tuned";
  auto inputs = ref::makeInputs(byDefault.executable->inputs(), {}, /*seed=*/0);
  if (!inputs)
    return fail(inputs.takeError());
  return runInTurns({&byDefault, &tuned}, *inputs, {}, timings);
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
  for (;;) {
    reportProgress("running the model by its defaults and as tuned");
    auto choices = makeChoices(backend, records, verdict.keptDefaults);
    CompileOptions with = options;
    with.advisor = choices;
    Contender tuned;
    if (ExitCode code = tuned.load(with, threads); code != kExitFine)
      return code;
    verdict.compilations += !tuned.built.cached;
    if (ExitCode code = measure(byDefault, tuned, verdict.timings);
        code != kExitFine)
      return code;
    if (!verdict.keptDefaults.empty())
      break;
    llvm::StringMap<double> before = getTimes(byDefault),
                            after = getTimes(tuned);
    for (const TunedAnswer &answer : choices->getAnswers())
      if (!answer.isDefault && !answer.algorithm.empty())
        changed.push_back(answer.key);
    for (const std::string &key : changed)
      if (after.lookup(key) >= before.lookup(key))
        verdict.keptDefaults.push_back(key);
    if (verdict.keptDefaults.empty() ||
        verdict.keptDefaults.size() == changed.size())
      break;
  }
  const Timing *best =
      fast_run::decide({&verdict.timings[0], &verdict.timings[1]});
  if (!best || best->isDefault) {
    verdict.keptDefaults = changed;
    // Without all that was taken back it is the default.
    verdict.timings[1] = verdict.timings[0];
    verdict.timings[1].name = "tuned";
    verdict.timings[1].isDefault = false;
  }
  llvm::sort(verdict.keptDefaults);
  return kExitFine;
}

} // namespace fusec::tool
