// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a model is given, what it gives, and what it keeps between runs.
#ifndef FUSEC_CODEGEN_MODELTENSORS_H
#define FUSEC_CODEGEN_MODELTENSORS_H

#include "codegen/ModelInfo.h"

namespace fusec::codegen {

/// Fills in the inputs, outputs and states of a model whose host program is
/// known. Fails with located errors where its arguments are none of these.
mlir::LogicalResult collectTensors(ModelInfo &model);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_MODELTENSORS_H
