// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one scalar or vector operation of a body costs, whichever dialect has
// the loops around it.
#ifndef FUSEC_DIALECTS_OPERATIONCOST_H
#define FUSEC_DIALECTS_OPERATIONCOST_H

#include "mlir/IR/Operation.h"

namespace fusec {

/// Whether `op` is a function of many steps, such as exp: it keeps a core busy
/// for longer than a load of its operand.
bool isFunction(mlir::Operation *op);

} // namespace fusec

#endif // FUSEC_DIALECTS_OPERATIONCOST_H
