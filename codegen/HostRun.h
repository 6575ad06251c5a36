// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function of the host program that runs the model.
#ifndef FUSEC_CODEGEN_HOSTRUN_H
#define FUSEC_CODEGEN_HOSTRUN_H

#include "codegen/ModelInfo.h"
#include "codegen/Names.h"
#include "codegen/SourceWriter.h"

namespace fusec::codegen {

/// Prints `int32_t run(const fusec_run_ctx *)`: pointers, launches, copies,
/// fills, loops and branches. Operations that have no form are errors. `names`
/// are those of the file.
mlir::LogicalResult emitRun(const ModelInfo &model, SourceWriter &out,
                            Names &names);

/// Adds the headers of the standard library that `run` needs.
void collectStandardHeaders(const ModelInfo &model,
                            std::set<std::string> &headers);

/// Whether all bytes of what is filled are equal, so that std::memset prints
/// it; otherwise std::fill_n does.
bool isFilledByBytes(kernel::FillOp op);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_HOSTRUN_H
