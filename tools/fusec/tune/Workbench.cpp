// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/Workbench.h"

#include "codegen/FolderAside.h"
#include "runtime/src/Cpu.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/CacheOptions.h"
#include "tools/fusec/Interrupt.h"
#include "tools/fusec/Machine.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/TimingSlot.h"

#include "llvm/Support/FileSystem.h"
#include <ctime>
#include <thread>

namespace fusec::tool {

namespace {
class ThisMachine final : public Workbench {
public:
  fast_run::Backend describe() override;
  std::string probe(unsigned threads) override { return probeThreads(threads); }
  Clock::time_point now() override { return Clock::now(); }
  uint64_t getDate() override { return std::time(nullptr); }
  bool isInterrupted() override { return tool::isInterrupted(); }
  void report(const std::string &progress) override {
    reportProgress(progress);
  }

  ExitCode emit(const Driver &model, llvm::ArrayRef<TunedGroup> groups,
                unsigned count, std::shared_ptr<lock::Advisor> kernels,
                std::vector<Candidates> &batch) override;
  ExitCode build(std::vector<Candidates> &batch) override;
  void time(const TimingOptions &options, Candidates &candidates) override {
    TimingSlot slot;
    timeCandidates(options, candidates);
  }
  ExitCode judge(const CompileOptions &options, unsigned threads,
                 const fast_run::Backend &backend,
                 const fast_run::Records &records,
                 llvm::ArrayRef<ChangedPart> changed,
                 ModelVerdict &verdict) override {
    TimingSlot slot;
    return tool::judge(options, threads, backend, records, changed, verdict);
  }

private:
  HostCompiler compiler;
  /// The last batch.
  std::optional<codegen::FolderAside> aside;
};
} // namespace

fast_run::Backend ThisMachine::describe() {
  fast_run::Backend backend = describeBackend();
  backend.isa = rt::isaName(detectIsa());
  llvm::Expected<HostCompiler> found = findCompiler();
  if (found)
    compiler = std::move(*found);
  else
    llvm::consumeError(found.takeError());
  backend.compiler = compiler.version;
  return backend;
}

ExitCode ThisMachine::emit(const Driver &model,
                           llvm::ArrayRef<TunedGroup> groups, unsigned count,
                           std::shared_ptr<lock::Advisor> kernels,
                           std::vector<Candidates> &batch) {
  std::string cache = cacheFolder();
  if (std::error_code error = llvm::sys::fs::create_directories(cache))
    return failOn(cache, error.message(),
                  "set XDG_CACHE_HOME to a folder that fusec may write");
  aside.reset();
  codegen::FolderAside::removeAllLeftovers(cache);
  auto folder = codegen::FolderAside::create(cache + "/tune");
  if (!folder)
    return fail(folder.takeError());
  aside.emplace(std::move(*folder));
  for (auto [number, group] : llvm::enumerate(groups)) {
    std::string own = (aside->path() + "/" + llvm::Twine(number)).str();
    if (std::error_code error = llvm::sys::fs::create_directories(own))
      return failOn(own, error.message());
    if (ExitCode code =
            emitCandidates(model, group, rt::isaName(detectIsa()), count,
                           kernels, own, batch.emplace_back());
        code != kExitFine)
      return code;
  }
  return kExitFine;
}

ExitCode ThisMachine::build(std::vector<Candidates> &batch) {
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
