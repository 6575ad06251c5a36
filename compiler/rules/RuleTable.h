// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_COMPILER_RULES_RULETABLE_H
#define FUSEC_COMPILER_RULES_RULETABLE_H

#include "fusec/rule_abi.h"

namespace fusec::rules {

/// The functions that rules are handed; their contexts are `RuleCall`s.
const fusec_rule_host &getRuleTable();

} // namespace fusec::rules

#endif // FUSEC_COMPILER_RULES_RULETABLE_H
