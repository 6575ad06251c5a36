// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of operations as rules of users see and give them.
#ifndef FUSEC_COMPILER_RULES_RULEATTRIBUTES_H
#define FUSEC_COMPILER_RULES_RULEATTRIBUTES_H

#include "fusec/rule_abi.h"

#include "mlir/IR/Operation.h"

#include <deque>
#include <string>
#include <vector>

namespace fusec::rules {

/// A fusec_rule_attribute with what it points to.
struct OwnedAttribute {
  fusec_rule_attribute view = {};
  std::string name;
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::deque<std::string> texts;
  std::vector<const char *> textPointers;
};

/// Fills in `owned`, which must not move after that, from an attribute called
/// `name`.
void describeAttribute(llvm::StringRef name, mlir::Attribute attribute,
                       OwnedAttribute &owned);

/// The attribute that an operation called `op` takes for `given`. Null, and
/// `fault` says why, where it takes none such.
mlir::Attribute buildAttribute(mlir::RegisteredOperationName op,
                               const fusec_rule_attribute &given,
                               std::string &fault);

} // namespace fusec::rules

#endif // FUSEC_COMPILER_RULES_RULEATTRIBUTES_H
