// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a network loses in f16 or bf16, node by node.
#ifndef FUSEC_TOOLS_FUSEC_PRECISIONREPORT_H
#define FUSEC_TOOLS_FUSEC_PRECISIONREPORT_H

#include "compiler/export/Precision.h"
#include "tools/fusec-ref/Interpreter.h"

namespace fusec::tool {

/// How the first result of a node differs from what f32 gives.
struct NodeLoss {
  std::string node, operation;
  std::string type; ///< of its elements: "f16"
  double maxAbsError = 0;
  /// 10 log10 of the sum of squares over that of the errors, in dB; infinite
  /// without an error.
  double signalToNoise = 0;
  /// Elements that are finite in f32 and are not here.
  int64_t saturated = 0;
};

/// A copy of a network of f32 whose results are kept by node.
class PrecisionReport {
public:
  /// Copies `module`, before it is converted.
  PrecisionReport(mlir::ModuleOp module, const ExportedNodes &nodes);

  /// Runs both networks in the reference interpreter on `inputs` (of f32), and
  /// compares all results of floats. Memory: all of these in f32.
  llvm::Expected<std::vector<NodeLoss>>
  compare(mlir::ModuleOp converted, const ExportedNodes &nodes,
          llvm::ArrayRef<io::Tensor> inputs);

  mlir::ModuleOp module() { return *copy; }

private:
  mlir::OwningOpRef<mlir::ModuleOp> copy;
  llvm::DenseMap<mlir::Operation *, std::string> names;
};

/// Prints a table, a node a line.
void printLosses(llvm::ArrayRef<NodeLoss> losses, llvm::raw_ostream &os);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_PRECISIONREPORT_H
