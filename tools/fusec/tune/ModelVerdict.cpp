// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/ModelVerdict.h"

#include "runtime/fast_run/Profile.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/Steps.h"

#include "llvm/Support/JSON.h"

namespace fusec::tool {

using fast_run::Record;
using fast_run::RecordKind;
using fast_run::Timing;

namespace {
/// A model as it is compiled with some choices, loaded.
struct Contender {
  BuiltModel built;
  LaunchTrace trace;
  std::unique_ptr<Executable> executable;

  ExitCode load(const CompileOptions &options, unsigned threads,
                unsigned &compilations);
  /// How long each group took in the median run, by key, in milliseconds.
  llvm::StringMap<double> getTimes() const;
};

/// Runs contenders on the same inputs.
class ModelRunner : public fast_run::Runner {
public:
  ModelRunner(llvm::ArrayRef<Contender *> contenders,
              llvm::ArrayRef<io::Tensor> inputs)
      : contenders(contenders), inputs(inputs) {}

  uint64_t run(size_t number, std::string &failure) override {
    double milliseconds = 0;
    auto results = contenders[number]->executable->run(inputs, &milliseconds);
    if (!results)
      failure = llvm::toString(results.takeError());
    return uint64_t(milliseconds * 1e9);
  }
  // Both meet what disturbs them: they take turns.
  bool wasDisturbed() override { return false; }

private:
  llvm::ArrayRef<Contender *> contenders;
  llvm::ArrayRef<io::Tensor> inputs;
};
} // namespace

ExitCode Contender::load(const CompileOptions &options, unsigned threads,
                         unsigned &compilations) {
  if (ExitCode code = buildModel(options, built); code != kExitFine)
    return code;
  compilations += !built.cached;
  auto loaded = Executable::load(built, threads, "", &trace);
  if (!loaded)
    return fail(loaded.takeError());
  executable = std::move(*loaded);
  return kExitFine;
}

llvm::StringMap<double> Contender::getTimes() const {
  llvm::StringMap<double> byName, byKey;
  for (const StepTime &step :
       trace.sum(executable->descriptor(), built.folder, /*lastRuns=*/0).steps)
    byName[step.name] = step.medianMs;
  llvm::Expected<EmittedModel> model = readEmittedModel(built.folder);
  if (!model) {
    llvm::consumeError(model.takeError());
    return byKey;
  }
  llvm::json::Value json = llvm::cantFail(llvm::json::parse(model->text));
  for (const llvm::json::Value &value : *json.getAsObject()->getArray("groups"))
    if (const llvm::json::Object *group = value.getAsObject())
      if (auto key = group->getString("key"))
        byKey[*key] += byName[group->getString("name").value_or("")];
  return byKey;
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
  Contender *both[] = {&byDefault, &tuned};
  ModelRunner runner(both, *inputs);
  fast_run::profile(runner, {}, timings);
  for (const Timing &timing : timings)
    if (!timing.failure.empty())
      return fail("the model does not run: " + timing.failure);
  return kExitFine;
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
  if (ExitCode code = byDefault.load(options, threads, verdict.compilations);
      code != kExitFine)
    return code;
  std::vector<std::string> changed;
  for (;;) {
    reportProgress("running the model by its defaults and as tuned");
    auto choices = makeChoices(backend, records, verdict.keptDefaults);
    CompileOptions with = options;
    with.advisor = choices;
    Contender tuned;
    if (ExitCode code = tuned.load(with, threads, verdict.compilations);
        code != kExitFine)
      return code;
    if (ExitCode code = measure(byDefault, tuned, verdict.timings);
        code != kExitFine)
      return code;
    if (!verdict.keptDefaults.empty())
      break;
    llvm::StringMap<double> before = byDefault.getTimes(),
                            after = tuned.getTimes();
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
