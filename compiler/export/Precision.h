// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Networks of f32 in f16 or bf16.
#ifndef FUSEC_COMPILER_EXPORT_PRECISION_H
#define FUSEC_COMPILER_EXPORT_PRECISION_H

#include "compiler/export/Exporter.h"
#include "llvm/ADT/MapVector.h"
#include <set>

namespace fusec {

struct PrecisionOptions {
  /// "f16" or "bf16".
  std::string to;
  /// Whether inputs and outputs keep their types.
  bool keepIo = false;
  /// Operators of ONNX that are converted although they are not by default,
  /// such as are not, and nodes that are not.
  std::vector<std::string> allowOps, denyOps, denyNodes;
};

/// A node of the model that an operation is written as.
struct ExportedNode {
  std::string name;
  std::string operation; ///< "Conv"
  /// Whether it computes in the narrow type.
  bool isConverted = false;
};

/// By the operations of the module's function, which need not be in order.
using ExportedNodes = llvm::MapVector<mlir::Operation *, ExportedNode>;

/// The nodes that `exportOnnx` would write, those within loops and conditions
/// left out. Composites that it would expand are expanded in the module.
ExportedNodes listNodes(mlir::ModuleOp module, const ExportOptions &options,
                        std::vector<Problem> &problems);

/// Adds a problem for each of `names`, which `option` gives, that is none of
/// `known`: it is misspelt. `what` says what they are: "operator".
void refuseUnknown(llvm::StringRef option, llvm::ArrayRef<std::string> names,
                   const std::set<std::string> &known, llvm::StringRef what,
                   std::vector<Problem> &problems);

/// The operators that compute in f32 by default: those of ONNX Runtime's list,
/// and such as sum squares or take differences of large numbers.
llvm::ArrayRef<llvm::StringRef> getDeniedOperators();

/// Makes `nodes` compute on f16 or bf16, with casts around those that are not
/// converted; bodies of loops and conditions are not. Returns the nodes of the
/// operations that are there then. Added to `problems`: names in the options
/// that nothing in the model has, and weights that the type does not hold. A
/// constant of up to 64 elements that it does not hold keeps its readers in f32
/// instead: masks are such.
ExportedNodes convertPrecision(mlir::ModuleOp module,
                               const ExportedNodes &nodes,
                               const PrecisionOptions &options,
                               std::vector<Problem> &problems);

} // namespace fusec

#endif // FUSEC_COMPILER_EXPORT_PRECISION_H
