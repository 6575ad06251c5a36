// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that are known by name only, and what to say of unknown ones.
#ifndef FUSEC_COMPILER_IMPORT_KNOWNOPERATORS_H
#define FUSEC_COMPILER_IMPORT_KNOWNOPERATORS_H

#include "compiler/operators/OperatorSet.h"

namespace fusec {

/// Whether `domain` has an operator `op`, for which the registry has no
/// converter.
bool isKnownOperator(llvm::StringRef domain, llvm::StringRef op);

/// What can be done about an operator that fusec does not support.
std::string howToReplace(llvm::StringRef domain, llvm::StringRef op);

/// What may have been meant by an operator that neither the registry nor
/// `operators` have, or else what can be done about it.
std::string suggestOperator(llvm::StringRef domain, llvm::StringRef op,
                            const operators::OperatorSet &operators);

/// What may have been meant by an attribute that is no parameter of `op`.
std::string suggestParameter(llvm::StringRef attribute,
                             const operators::Operator &op);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_KNOWNOPERATORS_H
