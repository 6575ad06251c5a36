// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrite patterns with the rules that they implement.
#ifndef FUSEC_PASSES_GRAPH_RULESET_H
#define FUSEC_PASSES_GRAPH_RULESET_H

#include "passes/Rules.h"

#include "mlir/IR/PatternMatch.h"

namespace fusec::fuse {

/// Takes rules, each with its pattern. A pattern has three debug labels, which
/// `mlir::FrozenRewritePatternSet` selects by: the piece, the rule, and its
/// level ("level 2").
class RuleSet {
public:
  /// Keeps the patterns in `patterns`; without, they are not made, and only
  /// what the rules are is known.
  explicit RuleSet(mlir::RewritePatternSet *patterns = nullptr,
                   int64_t maxFoldedBytes = 0)
      : maxFoldedBytes(maxFoldedBytes), patterns(patterns) {}

  /// The most bytes of a constant that a rule makes.
  const int64_t maxFoldedBytes;

  /// Adds a rule with its patterns, which are made of the context and
  /// `arguments`.
  template <typename... Patterns, typename... Arguments>
  void add(const Rule &rule, Arguments &&...arguments) {
    rules.push_back(rule);
    if (!patterns)
      return;
    patterns->addWithLabel<Patterns...>(
        {rule.getPiece(), rule.name, label(rule.level)}, patterns->getContext(),
        std::forward<Arguments>(arguments)...);
  }

  llvm::ArrayRef<Rule> getRules() const { return rules; }

  /// The label of patterns of rules of `level`, 0 to 3.
  static llvm::StringRef label(unsigned level) {
    static constexpr llvm::StringLiteral labels[] = {"level 0", "level 1",
                                                     "level 2", "level 3"};
    return labels[level];
  }
  /// The rule that a pattern of a set implements.
  static llvm::StringRef nameOf(const mlir::Pattern &pattern) {
    return pattern.getDebugLabels()[1];
  }

private:
  mlir::RewritePatternSet *patterns;
  llvm::SmallVector<Rule> rules;
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_RULESET_H
