// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/Candidates.h"

#include "tools/fusec/Json.h"
#include "tools/fusec/KernelHash.h"

using namespace mlir;

namespace fusec::tool {

/// What a line of a fusec.lock says of a variant of a group, of which `config`
/// is that of the variant "default".
static std::string getChoice(llvm::StringRef proposer, bool naive,
                             sched::ConfigAttr config) {
  std::string text;
  llvm::raw_string_ostream(text)
      << "proposer=" << proposer << " variant=" << (naive ? "naive" : "default")
      << " config=" << config.withName("default");
  return text;
}

/// The variants of the only group of `module` that serve `isa`.
static std::vector<fast_run::Timing> collect(ModuleOp module,
                                             llvm::StringRef isa) {
  std::vector<fast_run::Timing> timings;
  sched::ConfigAttr byDefault;
  std::string proposer;
  for (auto func : module.getOps<kernel::FuncOp>()) {
    auto config = func->getAttrOfType<sched::ConfigAttr>(kernel::kConfigAttr);
    if (!config || (func.getIsa() && *func.getIsa() != isa))
      continue;
    fast_run::Timing timing;
    timing.isDefault = timings.empty();
    if (timing.isDefault) {
      byDefault = config;
      if (auto name = func->getAttrOfType<StringAttr>("proposer"))
        proposer = name.str();
    }
    timing.name = func.getVariant().str();
    timing.naive = timing.name == "naive";
    timing.choice =
        getChoice(proposer, timing.naive, timing.naive ? byDefault : config);
    timing.kernel = hashKernel(func);
    // No kernel for the CPU rounds by the number of threads.
    timing.reproducible = true;
    if (auto bytes = func->getAttrOfType<IntegerAttr>("workspace_bytes"))
      timing.workspace = bytes.getInt();
    timings.push_back(std::move(timing));
  }
  return timings;
}

ExitCode emitCandidates(const Driver &model, const TunedGroup &group,
                        llvm::StringRef isa, unsigned count,
                        const std::string &place, Candidates &candidates) {
  candidates.group = group;
  if (candidates.group.scop.getProposer() == llvm::StringRef("program order")) {
    candidates.refusal =
        "isl was stopped, so that it has its naive kernel only";
    return kExitFine;
  }
  CompileOptions options = model.getOptions();
  options.until.clear();
  options.choices.clear();
  options.lock.clear();
  options.writeLock.clear();
  options.advisor.reset();
  options.variants = count;
  Driver driver(options, model, makeGroupModel(group.scop));
  ExitCode code = driver.lower();
  candidates.built.folder = place + "/model";
  candidates.built.library = place + "/model.so";
  if (code == kExitFine) {
    candidates.timings = collect(driver.module(), isa);
    code = driver.emit(candidates.built.folder);
  }
  say(driver.diagnostics());
  return code;
}

} // namespace fusec::tool
