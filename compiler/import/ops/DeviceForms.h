// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operators of users do on GPUs, beside their forms for CPUs.
#ifndef FUSEC_COMPILER_IMPORT_OPS_DEVICEFORMS_H
#define FUSEC_COMPILER_IMPORT_OPS_DEVICEFORMS_H

#include "compiler/operators/OperatorSet.h"
#include "mlir/IR/Builders.h"

namespace fusec {

class Node;

/// What the module says of the kernels that an operator launches, and of its
/// function of blocks; null where it has none.
mlir::DictionaryAttr makeCudaForm(mlir::Builder &builder,
                                  const operators::Operator &op);
mlir::DictionaryAttr makeBlockForm(mlir::Builder &builder,
                                   const operators::Operator &op);

/// Gives a call what its operator does on GPUs: its function of blocks, or the
/// kernels that it launches where that does not take the call.
void addDeviceForms(Node &node, const operators::Found &found,
                    operators::Call call, mlir::NamedAttrList &attributes);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_DEVICEFORMS_H
