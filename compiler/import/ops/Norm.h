// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all norms share.
#ifndef FUSEC_COMPILER_IMPORT_OPS_NORM_H
#define FUSEC_COMPILER_IMPORT_OPS_NORM_H

#include "compiler/import/Node.h"

namespace fusec {

/// 1 / sqrt(mean x^2 + epsilon) over the dimensions from `axis` on, which stay
/// as 1, in the compute type.
mlir::Value inverseRms(Node &node, mlir::Value x, int64_t axis,
                       llvm::APFloat epsilon);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_NORM_H
