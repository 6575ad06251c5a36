// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Rules.h"

#include "compiler/CompileOptions.h"
#include "compiler/rules/RuleLibrary.h"
#include "passes/fusion/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/model/Passes.h"
#include "passes/schedule/Passes.h"

namespace fusec {

llvm::SmallVector<Rule> listRules() {
  llvm::SmallVector<Rule> rules;
  fuse::listSimplifyRules(rules);
  fuse::listExpansionRules(rules);
  fuse::listLayoutRules(rules);
  fuse::listAlgorithmRules(rules);
  rules.push_back(fuse::kGroupsRule);
  rules.push_back(sched::kMaskedRule);
  model::listPackingRules(rules);
  return rules;
}

llvm::Expected<llvm::SmallVector<Rule>>
listForeignRules(llvm::ArrayRef<std::string> libraries) {
  llvm::SmallVector<Rule> rules;
  if (libraries.empty())
    return rules;
  auto loaded = rules::loadRules(libraries, listRules());
  if (!loaded)
    return loaded.takeError();
  for (const rules::ForeignRule &rule : *loaded)
    rules.push_back(rule.rule);
  return rules;
}

llvm::StringRef getName(RuleArea area) {
  switch (area) {
  case RuleArea::Compute:
    return "compute";
  case RuleArea::Layout:
    return "layout";
  case RuleArea::QDQ:
    return "QDQ";
  case RuleArea::Transposes:
    return "transposes";
  case RuleArea::Selectors:
    return "selectors";
  }
  llvm_unreachable("an area without a name");
}

bool isApplied(const Rule &rule, const CompileOptions &options) {
  return rule.level <= options.level &&
         !isDisabled(rule.name, options.disabledRules);
}

std::vector<std::string> listLeftOut(llvm::ArrayRef<Rule> rules,
                                     const CompileOptions &options) {
  std::vector<std::string> names;
  for (const Rule &rule : rules)
    if (!isApplied(rule, options))
      names.push_back(rule.name.str());
  return names;
}

} // namespace fusec
