// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How operations of the fuse dialect are written as nodes of ONNX.
#ifndef FUSEC_COMPILER_EXPORT_REGISTRY_H
#define FUSEC_COMPILER_EXPORT_REGISTRY_H

#include "compiler/export/Writer.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace fusec {

/// Writes an operation, or fails before it has written anything: a composite
/// is expanded then, everything else is refused for what Writer::refuse says.
using NodeWriter =
    std::function<llvm::LogicalResult(mlir::Operation *, Writer &)>;

/// The table of operations by name. Filled once by the register functions of
/// ops/, one per class of operations.
class ExportRegistry {
public:
  static const ExportRegistry &get();

  /// Adds a writer that takes the operation as its class `Op`.
  template <typename Op, typename F> void add(F write) {
    writers[Op::getOperationName()] = [write](mlir::Operation *op, Writer &w) {
      return write(llvm::cast<Op>(op), w);
    };
  }
  /// An operation that is the ONNX operator `type`, present since `since`, with
  /// the same operands.
  template <typename Op>
  void addPlain(llvm::StringRef type, int64_t since = kOldestExportedOpset) {
    add<Op>([type, since](Op op, Writer &w) -> llvm::LogicalResult {
      if (w.opset() < since)
        return llvm::failure();
      w.node(type, w.names(op->getOperands()), op->getResults());
      return llvm::success();
    });
  }

  /// Null where ONNX has nothing for operations of that name.
  const NodeWriter *find(llvm::StringRef name) const {
    auto found = writers.find(name);
    return found == writers.end() ? nullptr : &found->second;
  }

private:
  ExportRegistry();
  llvm::StringMap<NodeWriter> writers;
};

void registerExportElementwise(ExportRegistry &registry);
void registerExportAccesses(ExportRegistry &registry);
void registerExportGather(ExportRegistry &registry);
void registerExportContractions(ExportRegistry &registry);
void registerExportReductions(ExportRegistry &registry);
void registerExportActivations(ExportRegistry &registry);
void registerExportNorms(ExportRegistry &registry);
void registerExportWindows(ExportRegistry &registry);
void registerExportQuantized(ExportRegistry &registry);
void registerExportRecurrent(ExportRegistry &registry);
void registerExportSampling(ExportRegistry &registry);
void registerExportTransformer(ExportRegistry &registry);
void registerExportControl(ExportRegistry &registry);
void registerExportCalls(ExportRegistry &registry);

} // namespace fusec

#endif // FUSEC_COMPILER_EXPORT_REGISTRY_H
