// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax and its relatives.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

/// Along one axis from opset 13 on. Before, the operand was a matrix cut at
/// `axis`, and softmax ran along its rows.
template <typename Op> void convertSoftmax(Node &node) {
  node.requireInputs(1, 1);
  node.requireFloat(0);
  int64_t rank = node.rank(0);
  bool coerces = node.opset() < 13;
  int64_t axis = node.intAttribute("axis", coerces ? 1 : -1);
  // A vector has no axis 1; old models mean its only one.
  axis = coerces && axis == rank ? rank : node.normalizeAxis(axis, rank);
  Value x = node.input(0);
  ArrayRef<int64_t> shape = node.shape(0);
  auto softmax = [&](Value value, int64_t along) {
    return node.make<Op>(value.getType(), value, uint64_t(along));
  };
  if (!coerces || (axis == rank - 1 && rank > 0))
    return node.setOutput(0, softmax(x, axis));
  Value matrix =
      node.reshape(x, {ShapedType::getNumElements(shape.take_front(axis)),
                       ShapedType::getNumElements(shape.drop_front(axis))});
  node.setOutput(0, node.reshape(softmax(matrix, 1), shape));
}

} // namespace

void registerSoftmax(Registry &r) {
  r.add("Softmax", 1, convertSoftmax<fuse::SoftmaxOp>);
  r.add("LogSoftmax", 1, convertSoftmax<fuse::LogSoftmaxOp>);
  r.add("Hardmax", 1, convertSoftmax<fuse::HardmaxOp>);
}

} // namespace fusec
