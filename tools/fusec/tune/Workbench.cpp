// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/Workbench.h"

#include "codegen/FolderAside.h"
#include "runtime/fast_run/RecordText.h"
#include "runtime/src/Cpu.h"
#include "tools/fusec/CacheFolder.h"
#include "tools/fusec/CacheOptions.h"
#include "tools/fusec/Gpu.h"
#include "tools/fusec/Interrupt.h"
#include "tools/fusec/Machine.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/TimingSlot.h"
#include "tools/fusec/tune/Aside.h"

#include "llvm/Support/FileSystem.h"
#include <ctime>
#include <fmt/format.h>
#include <thread>

namespace fusec::tool {

namespace {
class ThisMachine final : public Workbench {
public:
  fast_run::Backend describe(const TargetInfo *gpu, std::string &lack) override;
  std::string probe(unsigned threads) override { return probeThreads(threads); }
  Clock::time_point now() override { return Clock::now(); }
  uint64_t getDate() override { return std::time(nullptr); }
  bool isInterrupted() override { return tool::isInterrupted(); }
  void limit(std::optional<Clock::time_point> deadline) override {
    setDeadline(deadline);
  }
  void work(llvm::function_ref<void()> body) override { doUntilStopped(body); }
  void report(const std::string &progress) override { reportStep(progress); }

  ExitCode emit(const Driver &model, llvm::ArrayRef<TunedGroup> groups,
                unsigned count, std::shared_ptr<lock::Advisor> kernels,
                std::vector<Candidates> &batch) override;
  unsigned countAlgorithms(const TunedGroup &group) override {
    unsigned count = 0;
    doUntilStopped([&] {
      count = tool::countAlgorithms(group, rt::isaName(detectIsa()));
    });
    return count;
  }
  ExitCode build(std::vector<Candidates> &batch) override;
  bool time(const TimingOptions &options, Candidates &candidates) override {
    TimingSlot slot;
    return timeCandidates(options, candidates);
  }
  ExitCode judge(const CompileOptions &options, unsigned threads,
                 const fast_run::Backend &backend,
                 const fast_run::Records &records,
                 llvm::ArrayRef<ChangedPart> changed,
                 ModelVerdict &verdict) override {
    ExitCode code = kExitFine;
    doUntilStopped([&] {
      TimingSlot slot;
      code =
          gpu ? judgeAside(options, threads, backend, records, changed, verdict)
              : tool::judge(options, threads, backend, records, changed,
                            verdict);
    });
    return code;
  }

private:
  ExitCode buildHere(std::vector<Candidates> &batch);
  fast_run::Backend describeGpuAside(std::string &lack);
  static ExitCode judgeAside(const CompileOptions &options, unsigned threads,
                             const fast_run::Backend &backend,
                             const fast_run::Records &records,
                             llvm::ArrayRef<ChangedPart> changed,
                             ModelVerdict &verdict);

  const TargetInfo *gpu = nullptr; ///< null: kernels run on the CPU
  HostCompiler compiler;
  /// The last batch.
  std::optional<codegen::FolderAside> aside;
};
} // namespace

/// What is needed of a record between two processes: it has a key.
static constexpr const char *kNoKey = "0000000000000000";

fast_run::Backend ThisMachine::describeGpuAside(std::string &lack) {
  std::optional<std::string> text = doAside([&] {
    fast_run::Record record;
    record.key = kNoKey;
    std::string problem = findGpu(*gpu, record.backend);
    return problem.empty() ? fast_run::print(record) : "-" + problem;
  });
  fast_run::Line line;
  if (!text)
    lack = "the process that looked for it ended";
  else if (llvm::StringRef(*text).starts_with("-"))
    lack = text->substr(1);
  else
    lack = fast_run::parse(*text, line);
  return line.record ? line.record->backend : fast_run::Backend();
}

ExitCode ThisMachine::judgeAside(const CompileOptions &options,
                                 unsigned threads,
                                 const fast_run::Backend &backend,
                                 const fast_run::Records &records,
                                 llvm::ArrayRef<ChangedPart> changed,
                                 ModelVerdict &verdict) {
  std::optional<std::string> text = doAside([&] {
    ModelVerdict found;
    ExitCode code =
        tool::judge(options, threads, backend, records, changed, found);
    fast_run::Record record;
    record.key = kNoKey;
    record.timings = found.timings;
    record.keptDefaults = found.keptDefaults;
    return fmt::format("{} {} {}", int(code), found.compilations,
                       fast_run::print(record));
  });
  if (!text)
    return fail("the process that ran the model ended");
  auto [code, rest] = llvm::StringRef(*text).split(' ');
  auto [compilations, record] = rest.split(' ');
  int number = kExitInternal;
  (void)code.getAsInteger(10, number);
  (void)compilations.getAsInteger(10, verdict.compilations);
  fast_run::Line line;
  std::string problem = fast_run::parse(record, line);
  if (!line.record)
    return fail("its times cannot be read: " + problem);
  verdict.timings = line.record->timings;
  verdict.keptDefaults = line.record->keptDefaults;
  return ExitCode(number);
}

fast_run::Backend ThisMachine::describe(const TargetInfo *row,
                                        std::string &lack) {
  gpu = row;
  fast_run::Backend backend = gpu ? describeGpuAside(lack) : describeBackend();
  llvm::Expected<HostCompiler> found = findCompiler();
  if (found)
    compiler = std::move(*found);
  else
    llvm::consumeError(found.takeError());
  if (gpu) { // its host program is compiled, too
    if (compiler.version.empty())
      backend.compiler = "";
    return backend;
  }
  backend.isa = rt::isaName(detectIsa());
  backend.compiler = compiler.version;
  return backend;
}

ExitCode ThisMachine::emit(const Driver &model,
                           llvm::ArrayRef<TunedGroup> groups, unsigned count,
                           std::shared_ptr<lock::Advisor> kernels,
                           std::vector<Candidates> &batch) {
  llvm::Expected<std::string> cache = openCache();
  if (!cache)
    return fail(cache.takeError(), kCacheHint);
  aside.reset();
  codegen::FolderAside::removeAllLeftovers(*cache);
  auto folder = codegen::FolderAside::create(*cache + "/tune");
  if (!folder)
    return fail(folder.takeError());
  aside.emplace(std::move(*folder));
  for (const TunedGroup &group : groups) {
    std::string own = (aside->path() + "/" + llvm::Twine(batch.size())).str();
    if (std::error_code error = llvm::sys::fs::create_directories(own))
      return failOn(own, error.message());
    ExitCode code = kExitFine;
    doUntilStopped([&] {
      code = emitCandidates(model, group, rt::isaName(detectIsa()), count,
                            kernels, own, batch.emplace_back());
    });
    if (code != kExitFine)
      return code;
  }
  return kExitFine;
}

ExitCode ThisMachine::build(std::vector<Candidates> &batch) {
  if (!gpu)
    return buildHere(batch);
  // NVRTC opens the driver.
  std::optional<std::string> text =
      doAside([&] { return std::to_string(int(buildHere(batch))); });
  int code = kExitInternal;
  if (mustStop())
    return kExitInterrupted;
  if (!text || llvm::StringRef(*text).getAsInteger(10, code))
    return fail("the process that compiled kernels ended");
  return ExitCode(code);
}

ExitCode ThisMachine::buildHere(std::vector<Candidates> &batch) {
  std::vector<ExitCode> codes(batch.size(), kExitFine);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < batch.size(); ++i)
    if (batch[i].refusal.empty())
      threads.emplace_back([&, i] {
        codes[i] = buildLibrary(batch[i].built.folder, compiler,
                                batch[i].built.library);
      });
  for (std::thread &thread : threads)
    thread.join();
  for (ExitCode code : codes)
    if (code != kExitFine)
      return code;
  return kExitFine;
}

std::unique_ptr<Workbench> makeWorkbench() {
  return std::make_unique<ThisMachine>();
}

} // namespace fusec::tool
