// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One application of a rule of a user's: the table of functions that the rule
// is handed, and what it changed through it.
#ifndef FUSEC_COMPILER_RULES_RULECALL_H
#define FUSEC_COMPILER_RULES_RULECALL_H

#include "compiler/rules/RuleAttributes.h"
#include "compiler/rules/RuleLibrary.h"
#include "passes/graph/ConstantData.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

/// What the table's functions are handed, which rules know by its name alone.
struct fusec_rule_context {};

namespace fusec::rules {

class RuleCall : public fusec_rule_context {
public:
  /// Of `rule` on `anchor`, an operation of its kind.
  RuleCall(const ForeignRule &rule, mlir::Operation *anchor)
      : rule(rule), anchor(anchor) {}

  /// Asks the rule whether it applies.
  bool matches();
  /// Why it does not, or "".
  llvm::StringRef getReason() const { return reason; }

  /// Lets it apply, holds what it says against what it did, and verifies all
  /// that it touched: what it made, and what reads something else now.
  fusec_rule_effect apply();

  /// What the rule did wrong, or "". Where there is something, the network is
  /// not to be used any more.
  llvm::StringRef getFault() const { return fault; }

private:
  friend struct RuleTable;

  /// Keeps the first fault.
  void blame(const llvm::Twine &text);
  /// Whether a change may be made now.
  bool mayChange(llvm::StringRef function);

  fusec_rule_op number(mlir::Operation *op);
  fusec_rule_value number(mlir::Value value);
  /// Null for 0, and for a number that there is not, which is a fault.
  mlir::Operation *getOp(fusec_rule_op number);
  mlir::Value getValue(fusec_rule_value number);
  const char *keep(llvm::StringRef text);

  mlir::RankedTensorType toType(const fusec_rule_type *type);
  mlir::Operation *make(llvm::StringRef name,
                        llvm::ArrayRef<fusec_rule_value> operands,
                        llvm::ArrayRef<const fusec_rule_attribute *> attributes,
                        llvm::ArrayRef<const fusec_rule_type *> types);
  mlir::Value makeConstant(const fusec_rule_type *type,
                           llvm::ArrayRef<char> bytes);
  void setOperand(mlir::Operation *op, unsigned index, mlir::Value value);
  void replace(mlir::Value from, mlir::Value to);

  void checkEffect(fusec_rule_effect effect);
  void verifyTouched();

  const ForeignRule &rule;
  mlir::Operation *const anchor;
  bool isApplying = false;
  std::string reason, fault;

  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value> values;
  llvm::DenseMap<mlir::Operation *, fusec_rule_op> opNumbers;
  llvm::DenseMap<mlir::Value, fusec_rule_value> valueNumbers;
  std::deque<std::string> texts;
  std::deque<OwnedAttribute> attributes;
  std::deque<std::pair<fusec_rule_type, std::vector<int64_t>>> types;
  std::deque<fuse::ConstantData> constants;

  /// What it made, in order, and what reads something else now.
  llvm::SmallSetVector<mlir::Operation *, 8> made, touched;
  /// Whether the anchor reads something else; whether results of it, or other
  /// values, were replaced.
  bool changedAnchor = false, replacedResults = false, replacedOthers = false;
};

} // namespace fusec::rules

#endif // FUSEC_COMPILER_RULES_RULECALL_H
