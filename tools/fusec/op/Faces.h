// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is written around the kernels of a generated library: tables alone, for
// headers of the runtime that do the work.
#ifndef FUSEC_TOOLS_FUSEC_OP_FACES_H
#define FUSEC_TOOLS_FUSEC_OP_FACES_H

#include "tools/fusec/op/Specialize.h"

namespace fusec::tool::op {

/// Kernels of an operator: the model that they are, as emitted source calls it,
/// and the call that it is for.
struct GeneratedModel {
  std::string name;
  Specialization call;
};

struct GeneratedOperator {
  const fop::Definition *definition;
  /// The one that computes its gradient, where that is made, too; or null.
  const fop::Definition *gradient;
  std::vector<operators::Parameter> parameters;
  std::vector<GeneratedModel> models;
};

/// Who may call the library beside fusec.
struct FaceSet {
  bool onnxRuntime = false, tvmFfi = false, torch = false;

  /// Whether there are functions that take tensors of DLPack.
  bool hasFunctions() const { return tvmFfi || torch; }
};

/// What the library exports for its faces, as patterns of the linker.
std::vector<std::string> listExports(const FaceSet &faces);

/// The translation unit that declares the operators, to fusec and to `faces`.
std::string writeFaces(const std::vector<GeneratedOperator> &operators,
                       const FaceSet &faces, llvm::StringRef origin);

/// The module of Python that has the operators of `library`, a file beside it,
/// as PyTorch's.
std::string writeTorchFace(const std::vector<GeneratedOperator> &operators,
                           llvm::StringRef library, llvm::StringRef origin);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_FACES_H
