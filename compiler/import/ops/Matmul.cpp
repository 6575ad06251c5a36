// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products.
#include "compiler/import/ops/Matmul.h"

#include "compiler/import/Registry.h"

using namespace mlir;

namespace fusec {

SmallVector<int64_t> productShape(Node &node, ArrayRef<int64_t> a,
                                  ArrayRef<int64_t> b) {
  if (a.empty() || b.empty())
    node.invalid("needs operands of rank 1 or more, has " + shapeText(a) +
                 " and " + shapeText(b));
  int64_t k = b.size() == 1 ? b[0] : b[b.size() - 2];
  if (a.back() != k)
    node.invalid("cannot multiply " + shapeText(a) + " by " + shapeText(b));
  SmallVector<int64_t> shape =
      node.broadcastShape({a.drop_back(std::min<size_t>(2, a.size())),
                           b.drop_back(std::min<size_t>(2, b.size()))});
  if (a.size() > 1)
    shape.push_back(a[a.size() - 2]);
  if (b.size() > 1)
    shape.push_back(b.back());
  return shape;
}

Value gemm(Node &node) {
  node.requireSameElementType(0, 1);
  bool transA = node.flag("transA"), transB = node.flag("transB");
  double alpha = node.floatAttribute("alpha", 1);
  double beta = node.floatAttribute("beta", 1);
  ArrayRef<int64_t> a = node.shape(0), b = node.shape(1);
  if (a.size() != 2 || b.size() != 2)
    node.invalid("needs matrices, has " + shapeText(a) + " and " +
                 shapeText(b));
  if (!isa<FloatType>(node.elementType(0)) && (alpha != 1 || beta != 1))
    node.unsupported("scales integers by alpha or beta");
  int64_t m = a[transA], k = a[!transA], n = b[!transB];
  if (b[transB] != k)
    node.invalid("cannot multiply " + shapeText(a) +
                 (transA ? " transposed" : "") + " by " + shapeText(b) +
                 (transB ? " transposed" : ""));
  Value lhs = node.input(0), rhs = node.input(1), bias;
  if (node.hasInput(2) && beta != 0) {
    node.requireSameElementType(0, 2);
    SmallVector<int64_t> shape = {m, n};
    if (node.broadcastShape({shape, node.shape(2)}) != shape)
      node.invalid("cannot broadcast C of shape " + shapeText(node.shape(2)) +
                   " to " + shapeText(shape));
    bias = node.input(2);
  }
  OpBuilder &builder = node.builder;
  return node.make<fuse::GemmOp>(tensorType({m, n}, node.elementType(0)), lhs,
                                 rhs, bias, builder.getF64FloatAttr(alpha),
                                 builder.getF64FloatAttr(beta),
                                 transA ? builder.getUnitAttr() : UnitAttr(),
                                 transB ? builder.getUnitAttr() : UnitAttr());
}

namespace {

void convertMatmul(Node &node) {
  node.requireInputs(2, 2);
  node.requireSameElementType(0, 1);
  SmallVector<int64_t> shape = productShape(node, 0, 1);
  Value lhs = node.input(0), rhs = node.input(1);
  node.setOutput(0, node.make<fuse::MatmulOp>(
                        tensorType(shape, node.elementType(0)), lhs, rhs));
}

void convertGemm(Node &node) {
  node.requireInputs(2, 3);
  if (node.opset() < 7)
    node.ignoreAttributes({"broadcast"}); // what it forbids is no result
  node.setOutput(0, gemm(node));
}

} // namespace

void registerMatmul(Registry &r) {
  r.add("MatMul", 1, convertMatmul);
  r.add("Gemm", 1, convertGemm);
}

} // namespace fusec
