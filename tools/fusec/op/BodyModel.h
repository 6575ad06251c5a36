// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of operators of users, as ONNX models of one node.
#ifndef FUSEC_TOOLS_FUSEC_OP_BODYMODEL_H
#define FUSEC_TOOLS_FUSEC_OP_BODYMODEL_H

#include "compiler/fop/Instance.h"
#include "compiler/operators/Manifest.h"

namespace fusec::tool::op {

/// What such a model calls the dimension that rows are.
inline constexpr llvm::StringLiteral kRows = "rows";

/// An input or a result of the call.
struct BodyTensor {
  fop::TensorType type;
  bool hasRows = false; ///< its first dimension is `kRows`
};

/// The bytes of a model that makes the call, and nothing else.
std::string makeBodyModel(const operators::Operator &op,
                          const std::vector<operators::Parameter> &parameters,
                          const std::vector<BodyTensor> &inputs,
                          const std::vector<BodyTensor> &outputs);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_BODYMODEL_H
