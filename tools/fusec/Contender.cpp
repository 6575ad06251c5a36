// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Contender.h"

#include "tools/fusec/Progress.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/TimingSlot.h"

namespace fusec::tool {

namespace {
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
  // All meet what disturbs them: they take turns.
  bool wasDisturbed() override { return false; }

private:
  llvm::ArrayRef<Contender *> contenders;
  llvm::ArrayRef<io::Tensor> inputs;
};
} // namespace

ExitCode Contender::load(const CompileOptions &options, SharedPool pool) {
  if (ExitCode code = buildModel(options, built); code != kExitFine)
    return code;
  auto loaded =
      Executable::load(built, {std::move(pool), "", "", "", &trace, nullptr});
  if (!loaded)
    return fail(loaded.takeError());
  executable = std::move(*loaded);
  const RunDevice *device = executable->getDevice();
  if (device && device->isSimulated())
    return failOn(options.input,
                  "there is no GPU here that its kernels run on, and what the "
                  "simulator takes says nothing of one",
                  "run this where such a GPU is; fusec verify --target=" +
                      llvm::Twine(executable->descriptor().target) +
                      " --device=sim shows that the kernels are right");
  return kExitFine;
}

ExitCode runInTurns(llvm::ArrayRef<Contender *> contenders,
                    llvm::ArrayRef<io::Tensor> inputs,
                    const fast_run::ProfileOptions &options,
                    std::vector<fast_run::Timing> &timings) {
  ModelRunner runner(contenders, inputs);
  fast_run::profile(runner, options, timings);
  for (const fast_run::Timing &timing : timings)
    if (!timing.failure.empty())
      return fail("the model does not run: " + timing.failure);
  return kExitFine;
}

ExitCode timeInTurns(llvm::ArrayRef<Contender *> contenders,
                     llvm::ArrayRef<io::Tensor> inputs, unsigned runs) {
  fast_run::ProfileOptions options;
  options.runs = runs;
  options.leavesSlow = false;
  std::vector<fast_run::Timing> timings(contenders.size());
  reportProgress("timing");
  TimingSlot slot;
  ExitCode code = runInTurns(contenders, inputs, options, timings);
  clearProgress();
  return code;
}

bool isStable(const RunTimes &times) {
  auto toPicoseconds = [](double ms) { return uint64_t(ms * 1e9); };
  return fast_run::isStable(toPicoseconds(times.median),
                            toPicoseconds(times.spread));
}

} // namespace fusec::tool
