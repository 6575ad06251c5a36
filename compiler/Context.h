// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_COMPILER_CONTEXT_H
#define FUSEC_COMPILER_CONTEXT_H

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace fusec {

/// A context with all dialects, whose passes run on as many threads as the
/// process may use CPUs; on one where it is asked to be `serial`, or where the
/// others cannot be started.
std::shared_ptr<mlir::MLIRContext> makeContext(bool serial);

} // namespace fusec

#endif // FUSEC_COMPILER_CONTEXT_H
