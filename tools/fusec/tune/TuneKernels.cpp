// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of fusec tune, the choices between texts of operators and kernels, which come
// first: what is taken of them decides what else there is to measure.
#include "dialects/kernel/Choices.h"
#include "passes/lock/GroupKey.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/tune/Tuner.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace fusec::tool {

/// The groups of `module` that only these choices launch.
static std::vector<TunedGroup>
listChildren(ModuleOp module, llvm::StringRef target,
             llvm::ArrayRef<TunedGroup> choices) {
  std::set<std::string> keys;
  for (const TunedGroup &choice : choices)
    for (const TunedAlternative &alternative : choice.alternatives)
      keys.insert(alternative.groups.begin(), alternative.groups.end());
  std::vector<TunedGroup> groups = listGroups(module, target);
  llvm::erase_if(groups, [&](const TunedGroup &group) {
    return !group.isChild || !keys.count(group.key);
  });
  return groups;
}

/// What is taken of the choices called `names`: what was measured, or else what
/// a lock, the command line or their costs say.
static std::map<std::string, std::string>
listTaken(ModuleOp module, const llvm::StringSet<> &names,
          llvm::ArrayRef<TunedResult> measured) {
  std::map<std::string, std::string> all;
  for (auto func : module.getOps<func::FuncOp>())
    if (auto taken = func->getAttrOfType<ArrayAttr>(kChoicesAttr))
      for (auto record : taken.getAsRange<DictionaryAttr>()) {
        const std::string name = record.getAs<StringAttr>("name").str();
        if (!names.contains(name))
          continue;
        const llvm::StringRef key =
            record.getAs<StringAttr>(lock::kKeyAttr).getValue();
        all[name] = record.getAs<StringAttr>("algorithm").str();
        for (const TunedResult &one : measured)
          if (one.isChoice && one.key == key && !one.taken.empty())
            all[name] = one.taken;
      }
  return all;
}

ExitCode Tuner::tuneKernels(CompileOptions &lowered, TunedModel &result) {
  // A shard has no kernels of the others to measure choices with.
  if (lowered.import.ops.empty() || options.shard.count > 1)
    return kExitFine;
  CompileOptions compares = lowered;
  compares.import.offersKernels = true;
  Driver driver(compares);
  llvm::StringSet<> names;
  ExitCode code = kExitFine;
  workbench.work([&] {
    code = driver.import();
    if (code == kExitFine)
      names = listKernelChoices(driver.module());
    if (!names.empty())
      code = driver.lower(reportStage);
  });
  if (code == kExitFine && names.empty())
    return kExitFine; // what there is to say the next compilation says
  say(driver.diagnostics());
  if (code != kExitFine)
    return code;
  const std::string &target = driver.getOptions().target;
  result.key = lock::GroupKeys(target).get(driver.module());
  std::vector<TunedGroup> choices = listChoices(driver.module(), target);
  llvm::erase_if(choices, [&](const TunedGroup &choice) {
    return !names.contains(choice.name);
  });
  if (code =
          measureGroups(driver, listChildren(driver.module(), target, choices),
                        choices, result);
      code != kExitFine || isOver())
    return code;
  if (code = measureChoices(driver, choices, result);
      code != kExitFine || isOver())
    return code;
  auto &decided = lowered.import.decidedKernels;
  decided = listTaken(driver.module(), names, result.groups);
  // What was forced of these is no choice any more.
  llvm::erase_if(lowered.choices, [&](llvm::StringRef forced) {
    auto [name, algorithm] = forced.rsplit('=');
    return llvm::any_of(
        decided, [&, &name = name, &algorithm = algorithm](const auto &one) {
          return name == one.first || (name == "*" && algorithm == one.second);
        });
  });
  return kExitFine;
}

} // namespace fusec::tool
