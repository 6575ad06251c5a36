// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which results of a host program may lie where an operand does: a cache of
// which a run changes some rows.
#ifndef FUSEC_CODEGEN_ALIASES_H
#define FUSEC_CODEGEN_ALIASES_H

#include "codegen/ModelInfo.h"

namespace fusec::codegen {

/// Sets `alias` of each output that begins as a copy of an input and may be the
/// input's own memory, where the copy is left out; and `isInPlace` of each
/// state whose next value may be written over the last one. What makes the
/// first bytes of a result must be the last to read the operand.
void findAliases(ModelInfo &model);

/// Whether `copy` is of all of an operand to a result that may be the same
/// memory.
bool isWithinAlias(const ModelInfo &model, kernel::CopyOp copy);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_ALIASES_H
