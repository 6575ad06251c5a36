// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of parameters as a command line has them, NAME=VALUE; lists have
// commas.
#ifndef FUSEC_TOOLS_FUSEC_OP_VALUES_H
#define FUSEC_TOOLS_FUSEC_OP_VALUES_H

#include "compiler/fop/Ast.h"
#include "compiler/operators/Manifest.h"
#include "tools/fusec/Command.h"

namespace fusec::tool::op {

/// Gives the parameter that `text` names its value, of the kind that it has;
/// false where there is none of this name. Throws UsageError.
bool setParameter(const std::string &text,
                  std::vector<operators::Parameter> &parameters);

/// The same of all texts, whose names `op` has to have.
void setParameters(const operators::Operator &op,
                   const std::vector<std::string> &texts,
                   std::vector<operators::Parameter> &parameters);

/// Throws UsageError where a parameter without a default has no value.
void requireParameters(const fop::Definition &definition,
                       const std::vector<std::string> &texts);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_VALUES_H
