// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules of the fuse dialect -> models of ONNX.
#ifndef FUSEC_COMPILER_EXPORT_EXPORTER_H
#define FUSEC_COMPILER_EXPORT_EXPORTER_H

#include "compiler/import/Problem.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace fusec {

/// The versions of ONNX's operator set that models can be written in, and the
/// one that is written at least where nobody chooses: from 21 on scales may lie
/// by blocks, and Gelu and GroupNormalization are operators.
constexpr int64_t kOldestExportedOpset = 18;
constexpr int64_t kUsualExportedOpset = 21;
/// The first whose operators take bf16 wherever they take f16.
constexpr int64_t kFirstOpsetWithBf16 = 22;
/// The newest that ONNX Runtime takes.
constexpr int64_t kNewestExportedOpset = 26;

struct ExportOptions {
  /// The version of ONNX's operator set to write; absent: the model's own, or
  /// the nearest between `least` and kNewestExportedOpset.
  std::optional<int64_t> opset;
  /// The least of these.
  int64_t least = kUsualExportedOpset;
  /// Whether weights lie in a file beside the model even where one file could
  /// hold all (2 GB).
  bool externalData = false;
};

/// What was written.
struct ExportSummary {
  size_t numNodes = 0, numWeights = 0;
  uint64_t weightBytes = 0;
  int64_t opset = 0;
  /// The file with the weights, in the model's folder; empty: the model's own.
  std::string dataFile;
};

/// The version of the operator set that `module` is written in.
int64_t chooseOpset(mlir::ModuleOp module, const ExportOptions &options);

/// Writes `module`, a network of composites and primitives without groups, as
/// the ONNX model `path`, aside and renamed. A composite becomes the operator
/// that it is, where the operator set has it, and what it stands for otherwise;
/// the module is changed by that. What ONNX cannot say is added to `problems`,
/// by node, and nothing is written then. The bytes depend on nothing but the
/// module, the options and the name of `path`.
llvm::Expected<ExportSummary> exportOnnx(mlir::ModuleOp module,
                                         llvm::StringRef path,
                                         const ExportOptions &options,
                                         std::vector<Problem> &problems);

} // namespace fusec

#endif // FUSEC_COMPILER_EXPORT_EXPORTER_H
