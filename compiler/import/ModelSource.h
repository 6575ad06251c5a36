// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an ONNX model says of itself, for who looks at what it was compiled to.
#ifndef FUSEC_COMPILER_IMPORT_MODELSOURCE_H
#define FUSEC_COMPILER_IMPORT_MODELSOURCE_H

#include "compiler/import/OnnxProto.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace fusec {

/// The attribute fuse::kSourceAttr. Models of strangers may say as much as they
/// like: of each text the first 4096 bytes are taken, of metadata the first 64
/// entries, and it is said that there was more.
mlir::DictionaryAttr describeSource(const onnx::ModelProto &model,
                                    size_t numNodes,
                                    mlir::MLIRContext &context);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_MODELSOURCE_H
