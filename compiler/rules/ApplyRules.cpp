// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --fuse-apply-rules: see Passes.td.
#include "compiler/rules/Passes.h"
#include "compiler/rules/RuleCall.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace fusec::rules {
#define GEN_PASS_DEF_APPLYRULES
#include "compiler/rules/Passes.h.inc"
} // namespace fusec::rules

using namespace mlir;
using namespace fusec;
using namespace fusec::rules;

namespace {
/// A rule that is not to be trusted, and why.
struct Fault {
  const ForeignRule *rule;
  std::string reason;
  Location location;
};

/// Applies rules to a module until none does, or one is at fault.
class Rewriter {
public:
  Rewriter(ModuleOp module, ArrayRef<const ForeignRule *> rules, int64_t limit)
      : module(module), rules(rules), limit(limit) {}
  ~Rewriter() { bury(); }

  std::optional<Fault> run();

  /// How often each rule was applied.
  llvm::MapVector<StringRef, int64_t> counts;
  /// Why rules did not apply to what is there now.
  llvm::MapVector<std::pair<StringRef, Location>, std::string> reasons;

private:
  /// What comes after a rule has been tried on an operation.
  enum class Next { Rule, Same, Operation, All };
  Next tryRule(const ForeignRule &rule, Operation *op);
  /// Tries all on `op`; whether to begin again with the first operation.
  bool visit(Operation *op);
  void removeDead(SmallVector<Operation *> candidates);
  void bury();

  ModuleOp module;
  ArrayRef<const ForeignRule *> rules;
  int64_t limit;
  bool changed = false;
  std::optional<Fault> fault;
  /// Taken out, but not yet freed: their addresses are no other operation's.
  SmallVector<Operation *> dead;
};
} // namespace

std::optional<Fault> Rewriter::run() {
  do {
    changed = false;
    reasons.clear();
    bury();
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : llvm::reverse(ops))
      removeDead({op});
    for (Operation *op : ops)
      if (op->getBlock() && visit(op))
        break;
  } while (changed && !fault);
  return fault;
}

bool Rewriter::visit(Operation *op) {
  for (size_t i = 0; i < rules.size();) {
    Next next = tryRule(*rules[i], op);
    if (next == Next::All)
      return true;
    if (next == Next::Operation)
      return false;
    i = next == Next::Same ? 0 : i + 1;
  }
  return false;
}

Rewriter::Next Rewriter::tryRule(const ForeignRule &rule, Operation *op) {
  if (rule.anchor != op->getName().getStringRef())
    return Next::Rule;
  const Location location = op->getLoc();
  auto blame = [&](StringRef reason) {
    fault = Fault{&rule, reason.str(), location};
    return Next::All;
  };
  RuleCall call(rule, op);
  const bool matches = call.matches();
  if (!call.getFault().empty())
    return blame(call.getFault());
  if (!matches) {
    if (!call.getReason().empty())
      reasons.insert({{rule.rule.name, location}, call.getReason().str()});
    return Next::Rule;
  }
  SmallVector<Operation *> mayDie{op};
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp())
      mayDie.push_back(producer);
  const fusec_rule_effect effect = call.apply();
  if (!call.getFault().empty())
    return blame(call.getFault());
  if (effect == FUSEC_RULE_NONE)
    return Next::Rule;
  changed = true;
  if (++counts[rule.rule.name] > limit)
    return blame("does not come to rest: it was applied more than " +
                 std::to_string(limit) + " times");
  if (effect == FUSEC_RULE_REST)
    return Next::All;
  removeDead(std::move(mayDie));
  return op->getBlock() ? Next::Same : Next::Operation;
}

/// Takes out those that nothing needs, and then what they alone read: rules ask
/// how often a value is read.
void Rewriter::removeDead(SmallVector<Operation *> candidates) {
  while (!candidates.empty()) {
    Operation *candidate = candidates.pop_back_val();
    if (!candidate->getBlock() || !isOpTriviallyDead(candidate))
      continue;
    for (Value operand : candidate->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        candidates.push_back(producer);
    candidate->dropAllReferences();
    candidate->remove();
    dead.push_back(candidate);
  }
}

void Rewriter::bury() {
  for (Operation *op : dead)
    op->destroy();
  dead.clear();
}

namespace {
struct ApplyRulesPass
    : public fusec::rules::impl::ApplyRulesBase<ApplyRulesPass> {
  using ApplyRulesBase::ApplyRulesBase;

  LogicalResult initialize(MLIRContext *context) override {
    // Who offers the libraries holds their names against those of fusec's own.
    auto loaded = loadRules(
        std::vector<std::string>(libraries.begin(), libraries.end()), {});
    if (!loaded)
      return emitError(UnknownLoc::get(context))
             << llvm::toString(loaded.takeError());
    if (maxApplications < 0)
      return emitError(UnknownLoc::get(context))
             << "--fuse-apply-rules needs max-applications of 0 or more, has "
             << maxApplications.getValue();
    rules = std::move(*loaded);
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<const ForeignRule *> active = selectRules();
    int64_t size = 1;
    module.walk([&](Operation *) { ++size; });
    const int64_t limit =
        maxApplications ? maxApplications : kMaxApplicationsPerOp * size;
    OwningOpRef<ModuleOp> original = module.clone();
    while (!active.empty()) {
      Rewriter rewriter(module, active, limit);
      std::optional<Fault> fault = rewriter.run();
      if (!fault)
        return report(rewriter);
      warn(*fault);
      llvm::erase(active, fault->rule);
      OwningOpRef<ModuleOp> again = original->clone();
      module.getBodyRegion().takeBody(again->getBodyRegion());
    }
  }

private:
  /// Those that are to be applied, in order. An anchor that there is not is a
  /// warning: the library may be for another version.
  SmallVector<const ForeignRule *> selectRules() {
    SmallVector<const ForeignRule *> selected;
    const std::vector<std::string> left(disabled.begin(), disabled.end());
    for (const ForeignRule &rule : rules) {
      if (isDisabled(rule.rule.name, left))
        continue;
      if (rule.rule.level > level) {
        if (remarks)
          emitRemark(getOperation().getLoc())
              << "rule " << rule.rule.name << " did not apply: it is of level "
              << rule.rule.level;
        continue;
      }
      auto name = RegisteredOperationName::lookup(rule.anchor, &getContext());
      if (name && name->getDialectNamespace() ==
                      fuse::FuseDialect::getDialectNamespace())
        selected.push_back(&rule);
      else
        warn({&rule,
              "is tried on '" + rule.anchor.str() +
                  "', which the dialect fuse does not have",
              getOperation().getLoc()});
    }
    return selected;
  }

  void warn(const Fault &fault) {
    emitWarning(fault.location)
        << "the rule " << fault.rule->rule.name << " of " << fault.rule->library
        << " " << fault.reason
        << "; it is left out of this compilation, with all that it did: "
        << hintAt(*fault.rule);
  }

  void report(const Rewriter &rewriter) {
    if (!remarks)
      return;
    std::string text;
    for (const auto &[rule, count] : rewriter.counts)
      text += (text.empty() ? "" : ", ") + rule.str() + " (" +
              std::to_string(count) + ")";
    if (!text.empty())
      emitRemark(getOperation().getLoc()) << "rules applied: " << text;
    for (const auto &[place, reason] : rewriter.reasons)
      emitRemark(place.second)
          << "rule " << place.first << " did not apply: " << reason;
  }

  /// A rule that comes to rest needs a few for each operation.
  static constexpr int64_t kMaxApplicationsPerOp = 64;
  SmallVector<ForeignRule> rules;
};
} // namespace
