// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/Candidates.h"

#include "dialects/kernel/KernelOps.h"
#include "passes/lock/Advisor.h"
#include "passes/model/Launches.h"
#include "passes/poly/configs/Algorithms.h"
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
    timing.reproducible = func.isReproducible();
    if (auto bytes = func->getAttrOfType<IntegerAttr>("workspace_bytes"))
      timing.workspace = bytes.getInt();
    timings.push_back(std::move(timing));
  }
  return timings;
}

/// The alternatives of the only choice of `module`.
static std::vector<fast_run::Timing> collectAlternatives(ModuleOp module) {
  std::vector<fast_run::Timing> timings;
  module->walk([&](kernel::ChoiceOp choice) {
    auto hashes = choice->getAttrOfType<ArrayAttr>(kernel::kHashAttr);
    for (auto [region, algorithm, hash] :
         llvm::zip(choice.getAlternatives(),
                   choice.getAlgorithms().getAsValueRange<StringAttr>(),
                   hashes.getAsValueRange<StringAttr>())) {
      fast_run::Timing &timing = timings.emplace_back();
      timing.isDefault = timings.size() == 1;
      timing.name = algorithm.str();
      timing.choice = "algorithm=" + timing.name;
      timing.kernel = hash.str();
      timing.reproducible = choice.isReproducible(region.getRegionNumber());
      timing.workspace = uint64_t(model::getArenaBytes(region));
    }
  });
  fast_run::Timing &naive = timings.emplace_back();
  naive.name = "naive";
  naive.naive = true;
  return timings;
}

unsigned countAlgorithms(const TunedGroup &group, llvm::StringRef isa) {
  std::string refusal;
  OwningOpRef<ModuleOp> alone = makeGroupModel(group, refusal);
  if (!alone)
    return 0;
  auto scops = alone->getOps<sched::ScopOp>();
  FailureOr<poly::Algorithms> listed = poly::listAlgorithms(*scops.begin());
  if (failed(listed))
    return 0;
  return llvm::count_if(listed->algorithms, [&](const poly::Algorithm &one) {
    return one.isa.empty() || one.isa == isa;
  });
}

ExitCode emitCandidates(const Driver &model, const TunedGroup &group,
                        llvm::StringRef isa, unsigned count,
                        std::shared_ptr<lock::Advisor> kernels,
                        const std::string &place, Candidates &candidates) {
  candidates.group = group;
  if (!group.isChoice() &&
      candidates.group.scop.getProposer() == llvm::StringRef("program order")) {
    candidates.refusal =
        "isl was stopped, so that it has its naive kernel only";
    return kExitFine;
  }
  OwningOpRef<ModuleOp> alone = makeGroupModel(group, candidates.refusal);
  if (!alone)
    return kExitFine;
  CompileOptions options = model.getOptions();
  options.until.clear();
  options.choices.clear();
  options.lock.clear();
  options.writeLock.clear();
  options.advisor = group.isChoice() ? std::move(kernels) : nullptr;
  options.variants = group.isChoice() ? 2 : count; // taken and naive
  options.anyVariants = true; // who reads a record has wishes
  Driver driver(options, model, std::move(alone));
  ExitCode code = driver.lower();
  candidates.built.folder = place + "/model";
  candidates.built.library = place + "/model.so";
  candidates.built.ops = options.import.ops;
  if (code == kExitFine) {
    candidates.timings = group.isChoice() ? collectAlternatives(driver.module())
                                          : collect(driver.module(), isa);
    code = driver.emit(candidates.built.folder);
  }
  say(driver.diagnostics());
  return code;
}

} // namespace fusec::tool
