// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_COMPILER_IMPORT_OPS_DECLARED_H
#define FUSEC_COMPILER_IMPORT_OPS_DECLARED_H

#include "compiler/operators/OperatorSet.h"
#include "dialects/fuse/FuseOps.h"
#include "dialects/library/Declared.h"
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

/// Why the operator does not declare such operands; "" if it does.
std::string findIllegal(const operators::Operator &op,
                        llvm::ArrayRef<operators::TensorType> inputs);

/// The operands' types as operators have them. Throws NodeError.
std::vector<operators::TensorType>
describeOperands(Node &node, const operators::Operator &op,
                 mlir::ValueRange operands);

/// Whether the operator has a form that the program may run.
bool mayRun(Node &node, const operators::Operator &op);

/// What the library says of a call on CPUs, or on GPUs of one that only these
/// run; `call` gets the device. Throws NodeError where it fails.
operators::Answer askOperator(const operators::Found &found,
                              operators::Call &call);

/// Builds a call that the operator supports, as it answered.
fuse::CallOp buildCall(Node &node, const operators::Found &found,
                       operators::Call call, const operators::Answer &answer,
                       mlir::ValueRange operands,
                       llvm::ArrayRef<library::Quantization> quantized = {});

/// Converts a node of an operator whose body is text (Bodies.cpp): into what
/// the body says, or into a call. Throws NodeError.
void convertBody(Node &node, const operators::Found &found);

/// The value of a parameter that a module has. `attribute` is of a kind that
/// parameters have (dialects/library/Declared.h).
operators::Value readOperatorValue(mlir::Attribute attribute);

/// What the library of an operator says of a call. Throws NodeError where it
/// fails.
operators::Answer askLibrary(const operators::Found &found,
                             const operators::Call &call);

/// Builds the fuse.op that such calls need.
void declareOperator(mlir::OpBuilder &builder, mlir::Location loc,
                     const operators::Found &found);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_DECLARED_H
