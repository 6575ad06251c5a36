// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_TOOLS_FUSEC_OPT_DECLAREOPERATORS_H
#define FUSEC_TOOLS_FUSEC_OPT_DECLAREOPERATORS_H

#include "compiler/operators/OperatorSet.h"
#include "mlir/Pass/Pass.h"

namespace fusec {

/// Declares (fuse.op) the operators of `set` that a module calls and does not
/// declare itself, then verifies the module, which was not before.
std::unique_ptr<mlir::Pass>
createDeclareOperatorsPass(operators::OperatorSet &set);

} // namespace fusec

#endif // FUSEC_TOOLS_FUSEC_OPT_DECLAREOPERATORS_H
