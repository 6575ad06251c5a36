// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between element types.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Formula.h"
#include "compiler/io/ElementType.h"
#include "dialects/coded/CodedFloats.h"

#include <cmath>

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
  Type type = elementTypeFromOnnx(code, node.builder.getContext());
  if (!type)
    node.unsupported("casts to " + io::onnxTypeName(code) +
                     ", which is not supported");
  return type;
}

/// `value`, floats that are no codes.
Term asNumbers(Node &node, Value value) {
  Type type = fuse::getTensorType(value).getElementType();
  return Term(node, isa<FloatType>(type) && !isCoded(type)
                        ? value
                        : node.cast(value, node.builder.getF32Type()));
}

/// What lies beyond the largest number of `type` becomes that number.
Value saturate(Node &node, Value value, FloatType type) {
  Term x = asNumbers(node, value);
  double largest =
      llvm::APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
  x = x.binary<fuse::MaximumOp>(x.like(-largest));
  return x.binary<fuse::MinimumOp>(x.like(largest)).get();
}

/// What fuse.cast to powers of two rounds as `mode` says: "nearest" is its own
/// way. Without `saturates`, what lies below the lowest is NaN.
Value roundToPower(Node &node, Value value, llvm::StringRef mode,
                   bool saturates) {
  constexpr double kLowest = 0x1p-127, kLargest = 0x1p127;
  Term x(node, node.cast(value, node.builder.getF32Type()));
  if (saturates) {
    x = x.binary<fuse::MinimumOp>(x.like(kLargest));
    x = x.binary<fuse::MaximumOp>(x.like(kLowest));
  } else {
    Value isLost = x.compare(fuse::CmpPredicate::lt, kLowest);
    x = select(isLost, x.like(NAN), x);
  }
  if (mode == "nearest")
    return x.get();
  // The bits of f32 behind the highest one that is set: the mantissa, or less
  // of it where the number is subnormal.
  RankedTensorType bits = x.type().clone(node.builder.getI32Type());
  Term all(node, node.make<fuse::BitcastOp>(bits, x.get()));
  Value isSubnormal = all.compare(fuse::CmpPredicate::lt, double(1 << 23));
  Term less = all.like((1 << 22) - 1), mantissa = all.like((1 << 23) - 1);
  Term rest = select(isSubnormal, less, mantissa);
  if (mode == "up")
    all = all + rest;
  Term others = all.like(-1) - rest;
  Term kept = all.binary<fuse::AndOp>(others);
  Term power(node, node.make<fuse::BitcastOp>(x.type(), kept.get()));
  // NaN has such bits, too.
  return select(x.compare(fuse::CmpPredicate::eq, x), power, x).get();
}

/// How a cast to powers of two rounds.
std::string readRounding(Node &node) {
  std::string mode = node.stringAttribute("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest")
    node.invalid("has the unknown round_mode '" + mode + "'");
  return mode;
}

void convertCast(Node &node) {
  Type to = castTarget(node);
  if (!getTypeInfo(to))
    node.unsupported("casts to " + typeText(to) + ", which is not supported");
  if (to == node.elementType(0))
    return node.forward(0, 0);
  bool saturates = node.intAttribute("saturate", 1) != 0;
  Value value = node.input(0);
  if (isExponent(to))
    value = roundToPower(node, value, readRounding(node), saturates);
  else if (isCoded(to) && saturates)
    value = saturate(node, value, cast<FloatType>(to));
  node.setOutput(0, node.cast(value, to));
}

/// The same bits as another type of the same width. A boolean is a byte that is
/// 0 or 1.
void convertBitCast(Node &node) {
  node.requireInputs(1, 1);
  Type from = node.elementType(0);
  int code = int(node.intAttribute("to"));
  Type to = elementTypeFromOnnx(code, node.builder.getContext());
  if (!to || !getTypeInfo(to))
    node.unsupported("casts to " + io::onnxTypeName(code) +
                     ", which is not supported");
  Type byte =
      elementTypeFromOnnx(onnx::TensorProto::UINT8, node.builder.getContext());
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
  r.add("Cast", 1, convertCast).takesCodes = true;
  r.add("CastLike", 15, convertCast).takesCodes = true;
  r.add("BitCast", 26, convertBitCast).takesCodes = true;
}

} // namespace fusec
