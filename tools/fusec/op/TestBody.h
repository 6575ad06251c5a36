// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_TOOLS_FUSEC_OP_TESTBODY_H
#define FUSEC_TOOLS_FUSEC_OP_TESTBODY_H

#include "compiler/Diagnostics.h"
#include "compiler/operators/OperatorSet.h"

namespace fusec::tool::op {

/// Runs a call of an operator whose body is text: compiled as a model of one
/// node, against the text computed element by element.
ExitCode testBody(const std::string &path, const operators::Found &found,
                  const operators::Call &call, uint64_t seed);

/// The same of the kernels that the operator has besides, by each algorithm of
/// `answer`. `path` names both files, with a comma between.
ExitCode testKernels(const std::string &path, const operators::Found &found,
                     const operators::Call &call,
                     const operators::Answer &answer, uint64_t seed);

/// The same of the function of blocks that an operator has besides its form for
/// CPUs, in the simulator of a GPU, which also finds races and accesses out of
/// bounds. `host` has the library `path`.
ExitCode testBlocks(const std::string &path, operators::Host &host,
                    operators::Call call, uint64_t seed);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_TESTBODY_H
