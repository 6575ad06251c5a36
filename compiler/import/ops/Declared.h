// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_COMPILER_IMPORT_OPS_DECLARED_H
#define FUSEC_COMPILER_IMPORT_OPS_DECLARED_H

#include "compiler/operators/OperatorSet.h"
#include "mlir/IR/Builders.h"

namespace fusec {

class Node;

/// Converts a node of an operator of a user's into a call of it. Throws
/// NodeError: an attribute or an operand that it does not declare, no form for
/// CPUs, a library that fails.
void convertDeclared(Node &node);

/// The value of a parameter that a module has. `attribute` is of a kind that
/// parameters have (dialects/library/Declared.h).
operators::Value readOperatorValue(mlir::Attribute attribute);

/// Builds the fuse.op that such calls need.
void declareOperator(mlir::OpBuilder &builder, mlir::Location loc,
                     const operators::Found &found);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_DECLARED_H
