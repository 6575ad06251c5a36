// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between element types.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"
#include "compiler/io/ElementType.h"
#include "dialects/coded/CodedFloats.h"

using namespace mlir;

namespace fusec {
namespace {

Type castTarget(Node &node) {
  node.ignoreAttributes({"saturate", "round_mode"}); // for float 8 only
  if (node.flat().proto->op_type() == "CastLike") {
    node.requireInputs(2, 2);
    return node.elementType(1);
  }
  node.requireInputs(1, 1);
  int code = onnx::TensorProto::UNDEFINED;
  if (node.opset() >= 6) {
    code = int(node.intAttribute("to"));
  } else {
    std::string name = node.stringAttribute("to", "");
    onnx::TensorProto::DataType parsed;
    if (!onnx::TensorProto::DataType_Parse(name, &parsed))
      node.invalid("casts to the unknown type '" + name + "'");
    code = parsed;
  }
  Type type = elementTypeFromOnnx(code, node.builder().getContext());
  if (!type)
    node.unsupported("casts to " + io::onnxTypeName(code) +
                     ", which is not supported");
  return type;
}

bool evaluateCast(Node &node) {
  Type to = castTarget(node);
  // Host integers are signed, and host floats do not saturate.
  if (isWideUnsigned(node.elementType(0)) || isCoded(to))
    return false;
  node.setOutput(0, node.constant(0)->cast(to));
  return true;
}

/// What lies beyond the largest number of `type` becomes that number.
Value saturate(Node &node, Value value, FloatType type) {
  Type from = fuse::getTensorType(value).getElementType();
  if (!isa<FloatType>(from) || isCoded(from))
    value = node.cast(value, from = node.builder().getF32Type());
  double largest =
      llvm::APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
  auto shape = fuse::getTensorType(value).getShape();
  auto limit = [&](double number) {
    return node.broadcast(node.scalar(from, number), shape);
  };
  Value low = limit(-largest), high = limit(largest);
  value = node.make<fuse::MaximumOp>(value, low);
  return node.make<fuse::MinimumOp>(value, high);
}

void convertCast(Node &node) {
  Type to = castTarget(node);
  if (!getTypeInfo(to))
    node.unsupported("casts to " + typeText(to) + ", which is not supported");
  if (to == node.elementType(0))
    return node.forward(0, 0);
  // The second operand of CastLike may be any: only its type counts.
  if (node.constant(0) && evaluateCast(node))
    return;
  bool saturates = node.intAttribute("saturate", 1) != 0;
  Value value = node.input(0);
  if (isCoded(to) && saturates)
    value = saturate(node, value, cast<FloatType>(to));
  node.setOutput(0, node.cast(value, to));
}

/// The same bits as another type of the same width. A boolean is a byte that is
/// 0 or 1.
void convertBitCast(Node &node) {
  node.requireInputs(1, 1);
  Type from = node.elementType(0);
  int code = int(node.intAttribute("to"));
  Type to = elementTypeFromOnnx(code, node.builder().getContext());
  if (!to || !getTypeInfo(to))
    node.unsupported("casts to " + io::onnxTypeName(code) +
                     ", which is not supported");
  Type byte = elementTypeFromOnnx(onnx::TensorProto::UINT8,
                                  node.builder().getContext());
  Type fromBits = from.isInteger(1) ? byte : from;
  Type toBits = to.isInteger(1) ? byte : to;
  if (toBits.getIntOrFloatBitWidth() != fromBits.getIntOrFloatBitWidth())
    node.invalid("cannot take the bits of " + typeText(from) + " as " +
                 typeText(to) + ": they are of different widths");
  if (to == from)
    return node.forward(0, 0);
  Value bits = node.cast(node.input(0), fromBits);
  if (fromBits != toBits)
    bits = node.make<fuse::BitcastOp>(tensorType(node.shape(0), toBits), bits);
  node.setOutput(0, node.cast(bits, to));
}

} // namespace

void registerCasts(Registry &r) {
  r.add("Cast", 1, convertCast, evaluateCast).takesCodes = true;
  r.add("CastLike", 15, convertCast, evaluateCast).takesCodes = true;
  r.add("BitCast", 26, convertBitCast).takesCodes = true;
}

} // namespace fusec
