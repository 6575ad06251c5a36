// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that are known by name only.
#ifndef FUSEC_COMPILER_IMPORT_KNOWNOPERATORS_H
#define FUSEC_COMPILER_IMPORT_KNOWNOPERATORS_H

#include "llvm/ADT/StringRef.h"

namespace fusec {

/// Whether `domain` has an operator `op`, for which the registry has no
/// converter.
bool isKnownOperator(llvm::StringRef domain, llvm::StringRef op);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_KNOWNOPERATORS_H
