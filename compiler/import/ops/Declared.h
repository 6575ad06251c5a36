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

/// The attribute `name` of a kind that a parameter of the type of `value` has;
/// without one, `value`.
operators::Value readParameter(Node &node, const std::string &name,
                               operators::Value value);

/// Parameters in a module.
mlir::DictionaryAttr
makeParameters(mlir::Builder &builder,
               llvm::ArrayRef<operators::Parameter> parameters);

/// Converts a node of an operator whose body is text (Bodies.cpp): into what
/// the body says, or into a call. Throws NodeError.
void convertBody(Node &node, const operators::Found &found);

/// The value of a parameter that a module has. `attribute` is of a kind that
/// parameters have (dialects/library/Declared.h).
operators::Value readOperatorValue(mlir::Attribute attribute);

/// Builds the fuse.op that such calls need.
void declareOperator(mlir::OpBuilder &builder, mlir::Location loc,
                     const operators::Found &found);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_DECLARED_H
