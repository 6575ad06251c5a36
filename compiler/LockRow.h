// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is said of a lock that was written for other rows of targets.
#ifndef FUSEC_COMPILER_LOCKROW_H
#define FUSEC_COMPILER_LOCKROW_H

#include "compiler/CompileOptions.h"
#include "passes/lock/Lock.h"

namespace fusec {

/// Where a lock has no section for the row of the compilation: says so, and
/// which rows it has.
std::string describeLackOfRow(const lock::Lock &lock);

/// The option that makes the compilation one that such a lock was written for,
/// with what joins it to another advice.
std::string adviseRow(const CompileOptions &options, const lock::Lock &lock);

} // namespace fusec

#endif // FUSEC_COMPILER_LOCKROW_H
