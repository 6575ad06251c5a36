// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantisation, and contractions of quantised tensors. The importer lays scales
// and zero points so that they broadcast as NumPy has it.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Matmul.h"
#include "compiler/import/ops/Requantize.h"
#include "compiler/import/ops/Window.h"
#include "compiler/io/ElementType.h"
#include "dialects/coded/CodedFloats.h"

using namespace mlir;

namespace fusec {
namespace {

//===- Scales and zero points ---------------------------------------------===//

/// How the scale of a (de)quantisation lies over operand 0.
struct Granularity {
  int64_t axis, block;
  /// Whether operand 0 is seen as [.., blocks, elements of one, ..].
  bool isSplit = false;
};

Granularity readGranularity(Node &node) {
  bool isOld = node.flat().domain().empty() && node.opset() < 13;
  int64_t axis = isOld ? 1 : node.intAttribute("axis", 1);
  int64_t block = node.intAttribute("block_size", 0);
  if (block < 0)
    node.invalid("has the block_size " + llvm::Twine(block));
  return {axis, block};
}

/// Operand `index`, a scale or zero point, so that it broadcasts over operand
/// 0: a scalar, a vector along the axis, or with blocks one value for each.
Value layParameter(Node &node, unsigned index, const Granularity &granularity) {
  ArrayRef<int64_t> shape = node.shape(0), own = node.shape(index);
  int64_t rank = shape.size();
  auto misfit = [&](ArrayRef<int64_t> wanted) {
    node.invalid("has a scale or zero point of shape " + shapeText(own) +
                 " for a tensor of shape " + shapeText(shape) + ", expected " +
                 shapeText(wanted) + " with axis " +
                 llvm::Twine(granularity.axis) + " and block_size " +
                 llvm::Twine(granularity.block));
  };
  Value value = node.input(index);
  if (node.type(index).getNumElements() == 1 && own.size() <= 1)
    return node.reshape(value, {});
  int64_t axis = node.normalizeAxis(granularity.axis, rank);
  if (granularity.block == 0) {
    if (own != shape.slice(axis, 1))
      misfit(shape.slice(axis, 1));
    SmallVector<int64_t> laid(rank - axis, 1);
    laid[0] = own[0];
    return node.reshape(value, laid);
  }
  SmallVector<int64_t> wanted(shape);
  wanted[axis] = llvm::divideCeilSigned(shape[axis], granularity.block);
  if (own != ArrayRef(wanted))
    misfit(wanted);
  if (granularity.isSplit) {
    wanted.insert(wanted.begin() + axis + 1, 1);
    return node.reshape(value, wanted);
  }
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < shape[axis]; ++i)
    indices.push_back(i / granularity.block);
  Value picks = node.tensor(HostTensor::fromInts(
      tensorType({shape[axis]}, node.builder.getI64Type()), indices));
  return node.make<fuse::GatherOp>(tensorType(shape, node.elementType(index)),
                                   value, picks, axis);
}

/// The element type that an attribute names, or null where it names none.
Type typeAttribute(Node &node, llvm::StringRef name) {
  int64_t code = node.intAttribute(name, 0);
  if (code == 0)
    return {};
  Type type = elementTypeFromOnnx(int(code), node.builder.getContext());
  if (!type || !getTypeInfo(type))
    node.unsupported("has the result type " + io::onnxTypeName(int(code)) +
                     ", which is not supported");
  return type;
}

/// Whether it is a type of codes: floats of 8 bits or fewer, or integers of at
/// most so many bits.
bool isCode(Type type, unsigned mostBits) {
  return isQuantizedType(type) && type.getIntOrFloatBitWidth() <= mostBits;
}

void requireCodes(Node &node, unsigned index, unsigned mostBits) {
  Type type = node.elementType(index);
  if (!isCode(type, mostBits))
    node.invalid("needs integers of " + llvm::Twine(mostBits) +
                 " bits at most, f8, f6 or f4 as operand " +
                 llvm::Twine(index) + ", has " + typeText(type));
}

/// Operand 1 over operand 0, as floats to compute with; codes are made by a
/// `division` by it.
Value readScale(Node &node, const Granularity &granularity, bool division) {
  node.requireScales(1, division);
  if (!isExponent(node.elementType(1)))
    node.requireFloat(1);
  Value scale = layParameter(node, 1, granularity);
  return isExponent(scale.getType())
             ? node.cast(scale, node.builder.getF32Type())
             : scale;
}

void requireIntegers(Node &node, unsigned index) {
  Type type = node.elementType(index);
  if (isa<FloatType>(type) || type.isInteger(1))
    node.invalid("needs integers as operand " + llvm::Twine(index) + ", has " +
                 typeText(type));
}

void convertQuantize(Node &node) {
  node.requireInputs(2, 3);
  Granularity granularity = readGranularity(node);
  node.ignoreAttributes({"precision"}); // f32 is used
  bool saturates = node.intAttribute("saturate", 1) != 0;
  Type coded = typeAttribute(node, "output_dtype");
  if (node.hasInput(2)) {
    requireCodes(node, 2, /*mostBits=*/16);
    if (coded && coded != node.elementType(2))
      node.invalid("has output_dtype " + typeText(coded) +
                   " but a zero point of " + typeText(node.elementType(2)));
    coded = node.elementType(2);
  }
  if (!coded)
    coded = node.builder.getIntegerType(8, /*isSigned=*/false);
  if (!isCode(coded, 16))
    node.invalid("quantises to " + typeText(coded) +
                 "; it makes integers of 16 bits at most, f8, f6 or f4");
  // Integers always saturate, and so do the types of 6 and 4 bits, which have
  // neither an infinity nor NaN.
  bool isUnsaturated =
      !saturates && isCoded(coded) && coded.getIntOrFloatBitWidth() == 8;
  if (isCoded(node.elementType(0)))
    node.invalid("quantises " + typeText(node.elementType(0)));
  Value zero = node.hasInput(2) ? layParameter(node, 2, granularity) : Value();
  Value scale = readScale(node, granularity, /*division=*/true);
  node.setOutput(0, node.make<fuse::QuantizeOp>(
                        tensorType(node.shape(0), coded), node.input(0), scale,
                        zero, isUnsaturated));
}

void convertDequantize(Node &node) {
  node.requireInputs(2, 3);
  requireCodes(node, 0, /*mostBits=*/32);
  Granularity granularity = readGranularity(node);
  Value codes = node.input(0);
  SmallVector<int64_t> shape(node.shape(0));
  // Where scales are repeated along a dimension they are folded into a weight,
  // and gathered ones are not.
  if (granularity.block > 0 &&
      codes.getDefiningOp<fuse::GetWeightOp>() != nullptr) {
    int64_t axis = node.normalizeAxis(granularity.axis, node.rank(0));
    granularity.isSplit = shape[axis] % granularity.block == 0;
    if (granularity.isSplit) {
      shape[axis] /= granularity.block;
      shape.insert(shape.begin() + axis + 1, granularity.block);
      codes = node.reshape(codes, shape);
    }
  }
  Type type = typeAttribute(node, "output_dtype");
  if (!type)
    type = node.elementType(1);
  if (!isa<FloatType>(type) || isCoded(type))
    node.invalid("dequantises to " + typeText(type) +
                 "; it needs an output_dtype of floats");
  Value zero;
  if (node.hasInput(2)) {
    node.requireSameElementType(0, 2);
    zero = layParameter(node, 2, granularity);
  }
  Value scale = readScale(node, granularity, /*division=*/false);
  Value numbers = node.make<fuse::DequantizeOp>(tensorType(shape, type), codes,
                                                scale, zero);
  node.setOutput(0, node.reshape(numbers, node.shape(0)));
}

void convertDynamicQuantize(Node &node) {
  node.requireInputs(1, 1);
  node.requireFloat(0);
  Type u8 = node.builder.getIntegerType(8, /*isSigned=*/false);
  auto op = fuse::DynamicQuantizeOp::create(
      node.builder, node.loc, tensorType(node.shape(0), u8),
      tensorType({}, node.elementType(0)), tensorType({}, u8), node.input(0));
  for (unsigned i = 0; i < 3; ++i)
    if (node.wantsOutput(i))
      node.setOutput(i, op->getResult(i));
}

//===- Matrix products ----------------------------------------------------===//

void requireNarrow(Node &node, unsigned index) {
  requireIntegers(node, index);
  if (node.elementType(index).getIntOrFloatBitWidth() != 8)
    node.invalid("needs 8-bit integers as operand " + llvm::Twine(index) +
                 ", has " + typeText(node.elementType(index)));
}

/// The scale or zero point `index` of a matrix: a scalar, a vector with one
/// value a row (`isRow`) or column, or a tensor that broadcasts already.
Value layOverMatrix(Node &node, unsigned index, bool isRow) {
  Value value = node.input(index);
  ArrayRef<int64_t> own = node.shape(index);
  if (node.type(index).getNumElements() == 1)
    return node.reshape(value, {});
  if (own.size() == 1 && isRow)
    return node.reshape(value, {own[0], 1});
  return value;
}

void requireBroadcast(Node &node, Value parameter, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> own = fuse::getTensorType(parameter).getShape();
  if (own.size() > shape.size() || node.broadcastShape({own, shape}) != shape)
    node.invalid("has a scale or zero point of shape " + shapeText(own) +
                 " for a tensor of shape " + shapeText(shape));
}

Value zeroOf(Node &node, unsigned index, unsigned operand, bool isRow) {
  if (!node.hasInput(index))
    return {};
  node.requireSameElementType(operand, index);
  Value zero = layOverMatrix(node, index, isRow);
  requireBroadcast(node, zero, node.shape(operand));
  return zero;
}

/// The shape of a product of 8-bit matrices.
SmallVector<int64_t> narrowProductShape(Node &node, unsigned lhs,
                                        unsigned rhs) {
  requireNarrow(node, lhs);
  requireNarrow(node, rhs);
  return productShape(node, lhs, rhs);
}

void convertMatmulInteger(Node &node) {
  node.requireInputs(2, 4);
  auto shape = narrowProductShape(node, 0, 1);
  Value lhsZero = zeroOf(node, 2, 0, /*isRow=*/true);
  Value rhsZero = zeroOf(node, 3, 1, /*isRow=*/false);
  node.setOutput(0, node.make<fuse::MatmulIntegerOp>(
                        tensorType(shape, node.builder.getI32Type()),
                        node.input(0), node.input(1), lhsZero, rhsZero));
}

void convertQLinearMatmul(Node &node) {
  node.requireInputs(8, 8);
  auto shape = narrowProductShape(node, 0, 3);
  requireNarrow(node, 7);
  auto scaleOf = [&](unsigned index, bool isRow) {
    node.requireFloat(index);
    node.requireScales(index, /*division=*/true);
    Value scale = layOverMatrix(node, index, isRow);
    requireBroadcast(node, scale, shape);
    return scale;
  };
  Value lhsScale = scaleOf(1, true), rhsScale = scaleOf(4, false);
  Value lhsZero = zeroOf(node, 2, 0, true), rhsZero = zeroOf(node, 5, 3, false);
  Value resultScale = scaleOf(6, true);
  Value resultZero = layOverMatrix(node, 7, /*isRow=*/true);
  requireBroadcast(node, resultZero, shape);
  node.setOutput(0, node.make<fuse::QLinearMatmulOp>(
                        tensorType(shape, node.elementType(7)), node.input(0),
                        lhsScale, lhsZero, node.input(3), rhsScale, rhsZero,
                        resultScale, resultZero));
}

//===- Convolutions -------------------------------------------------------===//

Convolution readNarrowConvolution(Node &node, unsigned filters) {
  requireNarrow(node, 0);
  requireNarrow(node, filters);
  return readConvolution(node, filters);
}

/// A scalar of the whole tensor.
Value scalarParameter(Node &node, unsigned index) {
  return node.scalarInput(index, "operand " + llvm::Twine(index));
}

/// A scalar, or one value for each output channel as [O, 1...].
Value channelParameter(Node &node, unsigned index, unsigned weightOperand) {
  if (node.type(index).getNumElements() == 1)
    return scalarParameter(node, index);
  SmallVector<int64_t> laid(node.rank(weightOperand), 1);
  laid[0] = node.shape(weightOperand)[0];
  if (node.shape(index) != ArrayRef<int64_t>{laid[0]})
    node.invalid("needs a scalar or one value for each of " +
                 llvm::Twine(laid[0]) + " channels as operand " +
                 llvm::Twine(index) + ", has shape " +
                 shapeText(node.shape(index)));
  return node.reshape(node.input(index), laid);
}

void convertConvInteger(Node &node) {
  node.requireInputs(2, 4);
  Convolution conv = readNarrowConvolution(node, 1);
  Value inputZero, weightZero;
  if (node.hasInput(2)) {
    node.requireSameElementType(0, 2);
    inputZero = scalarParameter(node, 2);
  }
  if (node.hasInput(3)) {
    node.requireSameElementType(1, 3);
    weightZero = channelParameter(node, 3, 1);
  }
  node.setOutput(0, node.make<fuse::ConvIntegerOp>(
                        tensorType(conv.shape, node.builder.getI32Type()),
                        node.input(0), node.input(1), inputZero, weightZero,
                        conv.window.strides, conv.window.dilations,
                        conv.window.low, conv.window.high, conv.groups));
}

void convertQLinearConv(Node &node) {
  node.requireInputs(8, 9);
  Convolution conv = readNarrowConvolution(node, 3);
  for (unsigned scale : {1u, 4u, 6u}) {
    node.requireFloat(scale);
    node.requireScales(scale, /*division=*/true);
  }
  node.requireSameElementType(0, 2);
  node.requireSameElementType(3, 5);
  requireNarrow(node, 7);
  Value bias;
  if (node.hasInput(8)) {
    if (!node.elementType(8).isInteger(32) ||
        node.shape(8) != node.shape(3).take_front(1))
      node.invalid("needs a bias of one i32 for each output channel, has " +
                   typeText(node.elementType(8)) + " of shape " +
                   shapeText(node.shape(8)));
    bias = node.input(8);
  }
  Value inputScale = scalarParameter(node, 1);
  Value inputZero = scalarParameter(node, 2);
  Value weightScale = channelParameter(node, 4, 3);
  Value weightZero = channelParameter(node, 5, 3);
  Value resultScale = scalarParameter(node, 6);
  Value resultZero = scalarParameter(node, 7);
  node.setOutput(0, node.make<fuse::QLinearConvOp>(
                        tensorType(conv.shape, node.elementType(7)),
                        node.input(0), inputScale, inputZero, node.input(3),
                        weightScale, weightZero, resultScale, resultZero, bias,
                        conv.window.strides, conv.window.dilations,
                        conv.window.low, conv.window.high, conv.groups));
}

} // namespace

void registerQuantized(Registry &r) {
  r.add("QuantizeLinear", 10, convertQuantize).takesCodes = true;
  Operator &dequantize = r.add("DequantizeLinear", 10, convertDequantize);
  dequantize.takesCodes = dequantize.isTakenApart = true;
  // ONNX Runtime's had types of 16 and 4 bits first.
  r.addTo(kMicrosoft, "QuantizeLinear", 1, convertQuantize);
  r.addTo(kMicrosoft, "DequantizeLinear", 1, convertDequantize).isTakenApart =
      true;
  r.add("DynamicQuantizeLinear", 11, convertDynamicQuantize);
  r.add("MatMulInteger", 10, convertMatmulInteger);
  r.add("QLinearMatMul", 10, convertQLinearMatmul);
  r.add("ConvInteger", 10, convertConvInteger);
  r.add("QLinearConv", 10, convertQLinearConv);
}

} // namespace fusec
