// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/WrongRule.h"

#include "compiler/Driver.h"
#include "compiler/Rules.h"
#include "tools/fusec/Progress.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace fusec::tool {

namespace {
/// Graphs of one model by several options, held to its results.
class Graphs {
public:
  Graphs(llvm::ArrayRef<io::Tensor> inputs, llvm::ArrayRef<io::Tensor> expected,
         llvm::function_ref<io::Tolerance(io::ElementType)> tolerance,
         const ref::Options &interpreting)
      : inputs(inputs), expected(expected), tolerance(tolerance),
        interpreting(interpreting) {}

  /// Whether the graph that `options` make has the model's results.
  llvm::Expected<bool> isRight(CompileOptions options) const;

private:
  llvm::ArrayRef<io::Tensor> inputs, expected;
  llvm::function_ref<io::Tolerance(io::ElementType)> tolerance;
  const ref::Options &interpreting;
};
} // namespace

llvm::Expected<bool> Graphs::isRight(CompileOptions options) const {
  options.until = "fuse-split";
  Driver driver(options);
  if (driver.lower(reportStage) != kExitFine)
    return false;
  auto results = ref::interpret(driver.module(), inputs, interpreting);
  if (!results)
    return results.takeError();
  for (auto [result, wanted] : llvm::zip_equal(*results, expected)) {
    auto comparison = io::compare(result, wanted, tolerance(wanted.type));
    if (!comparison)
      return comparison.takeError();
    if (!comparison->passed())
      return false;
  }
  return true;
}

std::string describe(const GraphFault &fault, size_t unseen) {
  switch (fault.where) {
  case GraphFault::Where::nowhere:
    return std::string("the rewritten graph has the model's results, so ") +
           (unseen ? "a kernel that is not compared is at fault, or " : "") +
           "what fusec does between kernels";
  case GraphFault::Where::anyLevel:
    return "the graph has other results than the model at -O0, too, so no rule "
           "is at fault";
  case GraphFault::Where::rules:
    break;
  }
  if (fault.rules.empty())
    return "the rewritten graph has other results than the model, with the "
           "rules that can be left out and without; at -O0 it has the same";
  return (fault.rules.size() == 1 ? "the rule " : "the rules ") +
         llvm::join(fault.rules, " and ") +
         (fault.rules.size() == 1 ? " is" : " are") +
         " at fault: with --disable-rule=" + llvm::join(fault.rules, ",") +
         " the rewritten graph has the model's results";
}

llvm::Expected<GraphFault>
findWrongRule(const CompileOptions &options, llvm::ArrayRef<io::Tensor> inputs,
              llvm::ArrayRef<io::Tensor> expected,
              llvm::function_ref<io::Tolerance(io::ElementType)> tolerance,
              const ref::Options &interpreting) {
  const Graphs graphs(inputs, expected, tolerance, interpreting);
  GraphFault fault;
  llvm::Expected<bool> right = graphs.isRight(options);
  if (!right || *right)
    return right ? llvm::Expected<GraphFault>(fault) : right.takeError();
  CompileOptions plain = options;
  plain.level = 0;
  right = graphs.isRight(plain);
  if (!right)
    return right.takeError();
  fault.where = *right ? GraphFault::Where::rules : GraphFault::Where::anyLevel;
  if (!*right)
    return fault;
  llvm::SmallVector<Rule> rules = listRules();
  auto foreign = listForeignRules(options.ruleLibraries);
  if (!foreign)
    return foreign.takeError();
  // What users bring is left out first.
  rules.insert(rules.begin(), foreign->begin(), foreign->end());
  std::vector<std::string> left;
  auto isRightWithout = [&](llvm::ArrayRef<std::string> names) {
    CompileOptions without = options;
    llvm::append_range(without.disabledRules, names);
    return graphs.isRight(without);
  };
  for (const Rule &rule : rules) {
    if (!isApplied(rule, options))
      continue;
    left.push_back(rule.name.str());
    right = isRightWithout(left);
    if (!right)
      return right.takeError();
    if (*right)
      break;
  }
  if (!*right)
    return fault;
  // Without the last one it is wrong; the others may be needed or not.
  fault.rules = {left.back()};
  left.pop_back();
  while (true) {
    right = isRightWithout(fault.rules);
    if (!right)
      return right.takeError();
    if (*right)
      return fault;
    // The fewest of the others that make it right beside those that are known
    // to be needed: the last of these is needed, too.
    std::vector<std::string> tried = fault.rules;
    for (const std::string &name : left) {
      tried.push_back(name);
      right = isRightWithout(tried);
      if (!right)
        return right.takeError();
      if (*right)
        break;
    }
    fault.rules.push_back(tried.back());
    left.assign(tried.begin() + fault.rules.size() - 1, tried.end() - 1);
  }
}

} // namespace fusec::tool
