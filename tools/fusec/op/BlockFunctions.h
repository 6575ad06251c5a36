// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of an operator with a function of blocks: the header that has it.
#ifndef FUSEC_TOOLS_FUSEC_OP_BLOCKFUNCTIONS_H
#define FUSEC_TOOLS_FUSEC_OP_BLOCKFUNCTIONS_H

#include "compiler/operators/Manifest.h"
#include "tools/fusec/Command.h"
#include <set>

namespace fusec::tool::op {

/// Where the function of `op` is looked for, and what it is compiled with.
struct BlockSource {
  /// The source that declares the operator.
  std::string source;
  /// The folder of the runtime's headers, one for temporary files, and the
  /// architecture to compile for ("sm_80").
  std::string headers, scratch, architecture;
};

/// Adds the header and what it includes in quotes to `files`, as real paths,
/// and has the operator name that. Where there is a compiler for CUDA, it has
/// to compile, and have the function.
ExitCode addBlockFunction(operators::Operator &op, const BlockSource &where,
                          std::set<std::string> &files);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_BLOCKFUNCTIONS_H
