// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operations of a body keep a core busy, whichever dialect has the loops
// around them.
#ifndef FUSEC_DIALECTS_OPERATIONCOST_H
#define FUSEC_DIALECTS_OPERATIONCOST_H

#include "mlir/IR/Operation.h"

namespace fusec {

/// Whether `op` is a function of many steps, such as exp: it keeps a core busy
/// for longer than a load of its operand.
bool isFunction(mlir::Operation *op);

} // namespace fusec

#endif // FUSEC_DIALECTS_OPERATIONCOST_H
