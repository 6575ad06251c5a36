// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operations of a body keep a core busy, whichever dialect has the loops
// around them.
#ifndef FUSEC_DIALECTS_OPERATIONCOST_H
#define FUSEC_DIALECTS_OPERATIONCOST_H

#include "dialects/TargetInfo.h"
#include "mlir/IR/OpDefinition.h"
#include <optional>

namespace fusec {

/// Of an operation whose attribute `steps`, if it is there, is the number of
/// additions that take as long as it does; else it takes as long as exp.
template <typename ConcreteOp>
class ScalarFunction
    : public mlir::OpTrait::TraitBase<ConcreteOp, ScalarFunction> {};

/// Whether `op` is a function of many steps, such as exp: it keeps a core busy
/// for longer than a load of its operand.
bool isFunction(mlir::Operation *op);

/// Nanoseconds that an operation on scalars takes, or one on lanes.
double getOperationCost(mlir::Operation *op, const OperationCosts &costs,
                        bool lanes);

/// The former, of a scalar, in steps of simple arithmetic.
unsigned countSteps(mlir::Operation *op, const OperationCosts &costs);
/// Of all operations of a body.
unsigned countSteps(mlir::Block &block, const OperationCosts &costs);

} // namespace fusec

#endif // FUSEC_DIALECTS_OPERATIONCOST_H
