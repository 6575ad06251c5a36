// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discrete Fourier transforms, as contractions with a matrix of roots of unity.
// For the lengths of spectrograms that is one kernel with a constant operand.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

#include <cmath>

using namespace mlir;

namespace fusec {
namespace {

/// y[k] = sum_n x[n] exp(sign 2 pi i k n / length), as a real matrix.
struct Transform {
  int64_t length;  ///< period of the roots
  int64_t inputs;  ///< elements that are given; the rest are zeros
  int64_t outputs; ///< elements that are wanted
  int64_t parts;   ///< 1: x is real, 2: real and imaginary part
  bool inverse;
  /// x is the first half of a conjugate symmetric spectrum, y real.
  bool isHalf;
};

/// The matrix [inputs, parts, outputs, real and imaginary part], without the
/// last one's imaginary part where the result is real.
HostTensor transformMatrix(Node &node, const Transform &t, Type elementType) {
  int64_t results = t.isHalf ? 1 : 2;
  RankedTensorType type =
      tensorType({t.inputs, t.parts, t.outputs, results}, elementType);
  std::vector<double> values;
  values.reserve(node.requireComputable(type));
  double scale = t.inverse ? 1 / double(t.length) : 1;
  for (int64_t n = 0; n < t.inputs; ++n) {
    // The other half is the conjugate: its real parts double this one's.
    bool isPaired = t.isHalf && n != 0 && 2 * n != t.length;
    double weight = scale * (isPaired ? 2 : 1);
    for (int64_t part = 0; part < t.parts; ++part)
      for (int64_t k = 0; k < t.outputs; ++k) {
        double angle =
            2 * llvm::numbers::pi * double(n * k % t.length) / double(t.length);
        double cos = weight * std::cos(angle);
        double sin = weight * std::sin(angle) * (t.inverse ? 1 : -1);
        // (1 or i) (cos + i sin)
        values.push_back(part == 0 ? cos : -sin);
        if (!t.isHalf)
          values.push_back(part == 0 ? sin : cos);
      }
  }
  return HostTensor::fromFloats(type, std::move(values));
}

/// sum over n and part of signal[outer..., n, inner..., part] times
/// matrix[n, part, k, result] as [outer..., k, inner..., result]; n is
/// dimension `axis` of the signal.
Value contractWith(Node &node, Value signal, Value matrix, int64_t axis) {
  auto from = fuse::getTensorType(signal), by = fuse::getTensorType(matrix);
  unsigned rank = from.getRank(), n = rank, part = rank + 1;
  SmallVector<unsigned> signalDims, resultDims;
  SmallVector<int64_t> shape(from.getShape());
  for (unsigned d = 0; d < rank; ++d) {
    resultDims.push_back(d);
    signalDims.push_back(d == axis ? n : d == rank - 1 ? part : d);
  }
  shape[axis] = by.getDimSize(2);
  shape.back() = by.getDimSize(3);
  MLIRContext *context = node.builder.getContext();
  auto map = [&](ArrayRef<unsigned> dims) {
    return AffineMap::getMultiDimMapWithTargets(rank + 2, dims, context);
  };
  AffineMap maps[] = {map(signalDims), map({n, part, unsigned(axis), rank - 1}),
                      map(resultDims)};
  return node.make<fuse::ContractOp>(
      tensorType(shape, getComputeType(from.getElementType())), signal, matrix,
      node.builder.getAffineMapArrayAttr(maps));
}

int64_t readAxis(Node &node, int64_t rank) {
  int64_t axis = node.opset() < 20  ? node.intAttribute("axis", 1)
                 : node.hasInput(2) ? node.constantInt(2, "axis")
                                    : -2;
  axis = node.normalizeAxis(axis, rank);
  if (axis == rank - 1)
    node.invalid("transforms the dimension of real and imaginary parts");
  return axis;
}

void convertDft(Node &node) {
  node.requireInputs(1, 3);
  node.requireFloat(0);
  ArrayRef<int64_t> shape = node.shape(0);
  if (shape.size() < 2 || (shape.back() != 1 && shape.back() != 2))
    node.invalid("needs an input [..., 1 or 2], has " + shapeText(shape));
  int64_t axis = readAxis(node, shape.size());
  bool inverse = node.flag("inverse"), oneSided = node.flag("onesided");
  Transform t;
  t.parts = shape.back();
  t.inverse = inverse;
  t.isHalf = inverse && oneSided;
  if (oneSided && (inverse ? t.parts != 2 : t.parts != 1))
    node.invalid(inverse ? "needs complex input to give real output"
                         : "needs real input to give half of the spectrum");
  t.length = node.hasInput(1) ? node.constantInt(1, "dft_length")
             : t.isHalf       ? 2 * (shape[axis] - 1)
                              : shape[axis];
  if (t.length < 1)
    node.invalid("has the length " + llvm::Twine(t.length));
  int64_t half = t.length / 2 + 1;
  t.inputs = std::min(shape[axis], t.isHalf ? half : t.length);
  t.outputs = oneSided && !inverse ? half : t.length;
  Value signal = node.slice(node.input(0), axis, 0, t.inputs);
  Value matrix = node.tensor(transformMatrix(node, t, node.elementType(0)));
  Value y = contractWith(node, signal, matrix, axis);
  node.setOutput(0, node.cast(y, node.elementType(0)));
}

/// Frames of a signal [batch, samples, parts] as [batch, frames, length,
/// parts].
Value frames(Node &node, int64_t length, int64_t step) {
  ArrayRef<int64_t> shape = node.shape(0);
  int64_t parts = shape[2], count = (shape[1] - length) / step + 1;
  Type element = node.elementType(0);
  Value signal = node.transpose(node.input(0), {0, 2, 1});
  TypedAttr zero = node.builder.getZeroAttr(element);
  SmallVector<int64_t> one = {1}, none = {0};
  Value windows = node.make<fuse::WindowOp>(
      tensorType({shape[0], parts, count, length}, element), signal,
      ArrayRef<int64_t>{length}, ArrayRef<int64_t>{step}, one, none, zero);
  return node.transpose(windows, {0, 2, 3, 1});
}

void convertStft(Node &node) {
  node.requireInputs(2, 4);
  node.requireFloat(0);
  ArrayRef<int64_t> shape = node.shape(0);
  if (shape.size() != 3 || (shape[2] != 1 && shape[2] != 2))
    node.invalid("needs a signal [batch, samples, 1 or 2], has " +
                 shapeText(shape));
  int64_t step = node.constantInt(1, "frame_step"), length = shape[1];
  bool hasWindow = node.hasInput(2);
  if (hasWindow) {
    node.requireSameElementType(0, 2);
    if (node.rank(2) != 1)
      node.invalid("needs a window of rank 1, has " + shapeText(node.shape(2)));
    length = node.shape(2)[0];
  }
  if (node.hasInput(3)) {
    int64_t stated = node.constantInt(3, "frame_length");
    if (hasWindow && stated != length)
      node.invalid("has a window of " + llvm::Twine(length) +
                   " elements for frames of " + llvm::Twine(stated));
    length = stated;
  }
  if (step < 1 || length < 1 || length > shape[1])
    node.invalid("cannot cut frames of " + llvm::Twine(length) +
                 " samples, one every " + llvm::Twine(step) + ", from " +
                 llvm::Twine(shape[1]));
  bool oneSided = node.flag("onesided", true);
  if (oneSided && shape[2] != 1)
    node.invalid("needs real input to give half of the spectrum");
  Transform t{length,
              length,
              oneSided ? length / 2 + 1 : length,
              shape[2],
              /*inverse=*/false,
              /*isHalf=*/false};
  Value matrix = node.tensor(transformMatrix(node, t, node.elementType(0)));
  if (hasWindow) {
    auto type = fuse::getTensorType(matrix);
    Value window = node.broadcast(node.input(2), type.getShape(), {0});
    matrix = node.mul(matrix, window);
  }
  Value y = contractWith(node, frames(node, length, step), matrix, 2);
  node.setOutput(0, node.cast(y, node.elementType(0)));
}

} // namespace

void registerFourier(Registry &r) {
  r.add("DFT", 17, convertDft);
  r.add("STFT", 17, convertStft);
}

} // namespace fusec
