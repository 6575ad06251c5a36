// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_TOOLS_FUSEC_OP_TESTALGORITHMS_H
#define FUSEC_TOOLS_FUSEC_OP_TESTALGORITHMS_H

#include "compiler/Diagnostics.h"
#include "compiler/operators/Host.h"

namespace fusec::tool::op {

/// Tests a call of an operator of the library `path` by each algorithm that it
/// may take, all but the first against that one, and prints what was found. One
/// that takes longer than `patience` has a fault.
ExitCode testAlgorithms(const std::string &path,
                        const operators::Manifest &manifest,
                        const operators::Call &call,
                        const operators::Answer &answer, uint64_t seed,
                        std::chrono::seconds patience);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_TESTALGORITHMS_H
