// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/Candidates.h"

#include "dialects/kernel/KernelOps.h"
#include "tools/fusec/Json.h"

using namespace mlir;

namespace fusec::tool {

static std::string getText(kernel::FuncOp func, llvm::StringRef name) {
  auto text = func->getAttrOfType<StringAttr>(name);
  return text ? text.str() : "";
}

/// What a lock says where the naive variant stands beside the one of `choice`.
static std::string makeNaive(std::string choice) {
  constexpr llvm::StringLiteral kDefault = "variant=default";
  size_t at = choice.find(kDefault);
  return at == choice.npos
             ? choice
             : choice.replace(at, kDefault.size(), "variant=naive");
}

/// The variants of the only group of `module` that serve `isa`.
static std::vector<fast_run::Timing> collect(ModuleOp module,
                                             llvm::StringRef isa) {
  std::vector<fast_run::Timing> timings;
  for (auto func : module.getOps<kernel::FuncOp>()) {
    std::string hash = getText(func, kernel::kHashAttr);
    if (hash.empty() || (func.getIsa() && *func.getIsa() != isa))
      continue;
    fast_run::Timing timing;
    timing.isDefault = timings.empty();
    timing.name = func.getVariant().str();
    timing.naive = timing.name == "naive";
    timing.choice = timing.naive && !timing.isDefault
                        ? makeNaive(timings.front().choice)
                        : getText(func, kernel::kChoiceAttr);
    timing.kernel = hash;
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
