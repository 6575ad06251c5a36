// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// com.microsoft: products and convolutions with what ONNX Runtime's optimiser
// put into them.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Matmul.h"
#include "compiler/import/ops/Window.h"

using namespace mlir;

namespace fusec {
namespace {

/// `x` through the activation that ONNX Runtime calls `name`, with that one's
/// parameters in ONNX's order.
Value activate(Node &node, Value x, llvm::StringRef name,
               ArrayRef<double> parameters) {
  auto type = fuse::getTensorType(x);
  OpBuilder &b = node.builder;
  auto number = [&](unsigned index) {
    return b.getF64FloatAttr(parameters[index]);
  };
  auto takes = [&](llvm::StringRef known, unsigned count) {
    if (name != known)
      return false;
    if (parameters.size() != count)
      node.invalid("has " + llvm::Twine(parameters.size()) +
                   " parameters for the activation " + name + ", which takes " +
                   llvm::Twine(count));
    return true;
  };
  if (takes("Relu", 0))
    return node.unary<fuse::ReluOp>(x);
  if (takes("Tanh", 0))
    return node.unary<fuse::TanhOp>(x);
  if (takes("Sigmoid", 0))
    return node.unary<fuse::SigmoidOp>(x);
  if (takes("Softplus", 0))
    return node.unary<fuse::SoftplusOp>(x);
  if (takes("Softsign", 0))
    return node.unary<fuse::SoftsignOp>(x);
  if (takes("HardSwish", 0))
    return node.make<fuse::HardSwishOp>(type, x);
  if (takes("LeakyRelu", 1))
    return node.make<fuse::LeakyReluOp>(type, x, number(0));
  if (takes("Elu", 1))
    return node.make<fuse::EluOp>(type, x, number(0));
  if (takes("ThresholdedRelu", 1))
    return node.make<fuse::ThresholdedReluOp>(type, x, number(0));
  if (takes("HardSigmoid", 2))
    return node.make<fuse::HardSigmoidOp>(type, x, number(0), number(1));
  if (takes("Selu", 2))
    return node.make<fuse::SeluOp>(type, x, number(0), number(1));
  if (takes("Clip", 2)) {
    Value low = node.scalar(parameters[0], type.getElementType());
    Value high = node.scalar(parameters[1], type.getElementType());
    return node.make<fuse::ClipOp>(type, x, low, high);
  }
  node.unsupported("has the activation '" + name +
                       "', which ONNX Runtime's CPU kernels lack too",
                   "save the model at a lower optimisation level");
}

/// `value` with its first dimension moved behind the others but the last, if
/// `batches`, and then with its last two exchanged, if `matrix`.
Value arrange(Node &node, Value value, bool batches, bool matrix) {
  SmallVector<int64_t> perm;
  for (int64_t d = 0; d < fuse::getTensorType(value).getRank(); ++d)
    perm.push_back(d);
  if (batches)
    std::rotate(perm.begin(), perm.begin() + 1, perm.end() - 1);
  if (matrix && perm.size() > 1)
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return node.transpose(value, perm);
}

/// alpha arrange(A) arrange(B)
void convertFusedMatmul(Node &node) {
  node.requireInputs(2, 2);
  node.requireFloat(0);
  node.requireSameElementType(0, 1);
  bool batchesA = node.flag("transBatchA"), matrixA = node.flag("transA");
  bool batchesB = node.flag("transBatchB"), matrixB = node.flag("transB");
  if ((batchesA || batchesB) &&
      (node.rank(0) < 3 || node.rank(0) != node.rank(1)))
    node.invalid("transposes batches of " + shapeText(node.shape(0)) + " and " +
                 shapeText(node.shape(1)) +
                 ", which must be of one rank of 3 or more");
  Value lhs = arrange(node, node.input(0), batchesA, matrixA);
  Value rhs = arrange(node, node.input(1), batchesB, matrixB);
  RankedTensorType type =
      tensorType(productShape(node, fuse::getTensorType(lhs).getShape(),
                              fuse::getTensorType(rhs).getShape()),
                 node.elementType(0));
  double alpha = node.floatAttribute("alpha", 1);
  if (alpha == 1)
    return node.setOutput(0, node.make<fuse::MatmulOp>(type, lhs, rhs));
  // The product is rounded once, behind the factor.
  lhs = node.castToCompute(lhs);
  rhs = node.castToCompute(rhs);
  type = type.clone(fuse::getTensorType(lhs).getElementType());
  Value y = node.make<fuse::MatmulOp>(type, lhs, rhs);
  node.setOutput(0, node.cast(node.mul(y, alpha), node.elementType(0)));
}

/// activation(alpha A B + beta C)
void convertFusedGemm(Node &node) {
  node.requireInputs(2, 3);
  node.requireFloat(0);
  std::vector<double> parameters;
  for (const char *name :
       {"activation_alpha", "activation_beta", "activation_gamma"})
    if (node.hasAttribute(name))
      parameters.push_back(node.floatAttribute(name, 0));
  std::string activation = node.stringAttribute("activation", "");
  node.setOutput(0, activate(node, gemm(node), activation, parameters));
}

/// activation(conv(x) + z)
void convertFusedConv(Node &node) {
  node.requireInputs(2, 4);
  Value y = convolve(node);
  auto type = fuse::getTensorType(y);
  if (node.hasInput(3)) {
    if (node.type(3) != type)
      node.invalid("adds " + typeText(node.type(3)) + " to " + typeText(type));
    Value z = node.input(3);
    y = node.add(y, z);
  }
  std::vector<double> parameters = node.floatsAttribute("activation_params");
  std::string activation = node.stringAttribute("activation", "");
  node.setOutput(0, activate(node, y, activation, parameters));
}

} // namespace

void registerMicrosoftFused(Registry &r) {
  r.addTo("com.microsoft", "FusedMatMul", 1, convertFusedMatmul);
  r.addTo("com.microsoft", "FusedGemm", 1, convertFusedGemm);
  r.addTo("com.microsoft", "FusedConv", 1, convertFusedConv);
}

} // namespace fusec
