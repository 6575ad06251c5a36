// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantisation, and products of quantised matrices.
#include "compiler/export/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

/// Along which dimension of `tensor` a scale or zero point repeats not; -1 if
/// it is one for all; nothing if there are several such dimensions.
std::optional<int64_t> findAxis(Value parameter, Value tensor) {
  ArrayRef<int64_t> own = shapeOf(parameter);
  int64_t rank = shapeOf(tensor).size(), axis = -1;
  for (auto [dim, extent] : llvm::enumerate(own)) {
    if (extent == 1)
      continue;
    if (axis >= 0)
      return std::nullopt;
    axis = rank - int64_t(own.size()) + int64_t(dim);
  }
  return axis;
}

/// A node between numbers and codes with a scale, of the same element type as
/// the numbers, and a zero point that lies as it does.
template <typename Op>
LogicalResult writeCoding(Op op, Writer &w, llvm::StringRef type, Value real,
                          Value coded) {
  std::optional<int64_t> axis = findAxis(op.getScale(), op.getInput());
  if (!axis || elementOf(op.getScale()) != elementOf(real) ||
      (op.getZeroPoint() && findAxis(op.getZeroPoint(), op.getInput()) != axis))
    return failure();
  Writer::Names operands{w.name(op.getInput()), w.flattened(op.getScale())};
  if (op.getZeroPoint()) {
    operands.push_back(w.flattened(op.getZeroPoint()));
  } else {
    // Its type is that of the codes, and it lies as the scale does. ONNX
    // Runtime's optimiser takes none that is left out for one of all channels,
    // and makes codes without a sign of some weights and their zero points,
    // which fails where two weights have the same one.
    SmallVector<int64_t> shape;
    if (*axis >= 0)
      shape.push_back(shapeOf(op.getInput())[*axis]);
    operands.push_back(w.ownZeros(shape, elementOf(coded)));
  }
  NodeHandle node = w.node(type, operands, op->getResults());
  if (*axis >= 0)
    node.integer("axis", *axis);
  if (std::is_same_v<Op, fuse::QuantizeOp> && op->hasAttr("unsaturated"))
    node.integer("saturate", 0);
  return success();
}

LogicalResult writeMatmulInteger(fuse::MatmulIntegerOp op, Writer &w) {
  Writer::Names operands{w.name(op.getLhs()), w.name(op.getRhs())};
  for (auto [zero, tensor] : {std::pair(op.getLhsZero(), op.getLhs()),
                              std::pair(op.getRhsZero(), op.getRhs())}) {
    if (zero && !findAxis(zero, tensor))
      return failure();
    operands.push_back(w.flattened(zero));
  }
  w.node("MatMulInteger", operands, op->getResults());
  return success();
}

LogicalResult writeQLinearMatmul(fuse::QLinearMatmulOp op, Writer &w) {
  Writer::Names operands;
  for (Value operand : op->getOperands()) {
    if (operand == op.getLhs() || operand == op.getRhs()) {
      operands.push_back(w.name(operand));
      continue;
    }
    if (!findAxis(operand, operand))
      return failure();
    operands.push_back(w.flattened(operand));
  }
  w.node("QLinearMatMul", operands, op->getResults());
  return success();
}

} // namespace

void registerExportQuantized(ExportRegistry &r) {
  r.add<fuse::QuantizeOp>([](fuse::QuantizeOp op, Writer &w) {
    return writeCoding(op, w, "QuantizeLinear", op.getInput(), op.getResult());
  });
  r.add<fuse::DequantizeOp>([](fuse::DequantizeOp op, Writer &w) {
    return writeCoding(op, w, "DequantizeLinear", op.getResult(),
                       op.getInput());
  });
  r.addPlain<fuse::DynamicQuantizeOp>("DynamicQuantizeLinear");
  r.add<fuse::MatmulIntegerOp>(writeMatmulInteger);
  r.add<fuse::QLinearMatmulOp>(writeQLinearMatmul);
}

} // namespace fusec
