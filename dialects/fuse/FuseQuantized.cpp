// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the quantised composites.
#include "dialects/fuse/CompositeShapes.h"

#include "dialects/coded/CodedFloats.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Whether `parameter` repeats over `tensor` as NumPy's broadcasting has it.
static LogicalResult verifyParameter(Operation *op, Value parameter,
                                     Value tensor, StringRef what) {
  if (!parameter)
    return success();
  ArrayRef<int64_t> from = getTensorType(parameter).getShape();
  ArrayRef<int64_t> to = getTensorType(tensor).getShape();
  bool fits = from.size() <= to.size() &&
              llvm::all_of(llvm::zip(llvm::reverse(from), llvm::reverse(to)),
                           [](auto pair) {
                             auto [a, b] = pair;
                             return a == 1 || a == b;
                           });
  if (fits)
    return success();
  return op->emitOpError() << "cannot broadcast a " << what << " of shape ["
                           << from << "] to [" << to << "]";
}

static LogicalResult verifySameElements(Operation *op, Value a, Value b,
                                        StringRef what) {
  if (!a || getElementTypeOrSelf(a) == getElementTypeOrSelf(b))
    return success();
  return op->emitOpError() << "needs a " << what << " of type "
                           << getElementTypeOrSelf(b) << ", has "
                           << getElementTypeOrSelf(a);
}

static LogicalResult verifyFloatScale(Operation *op, Value scale) {
  if (isa<FloatType>(getElementTypeOrSelf(scale)))
    return success();
  return op->emitOpError() << "needs a scale of floats, has "
                           << getElementTypeOrSelf(scale);
}

/// Scale and zero point between `real`, the numbers, and `coded`, their codes.
template <typename Op>
static LogicalResult verifyCoding(Op op, Value real, Value coded) {
  if (getTensorType(real).getShape() != getTensorType(coded).getShape())
    return op.emitOpError()
           << "has result shape [" << getTensorType(op.getResult()).getShape()
           << "] but computes [" << getTensorType(op.getInput()).getShape()
           << "]";
  Type codes = getElementTypeOrSelf(coded);
  if (!isQuantizedType(codes))
    return op.emitOpError() << "cannot use " << codes
                            << " as a quantised type; it takes integers, f8, "
                               "f6 and f4";
  if (failed(verifyFloatScale(op, op.getScale())) ||
      failed(verifyParameter(op, op.getScale(), op.getInput(), "scale")) ||
      failed(
          verifyParameter(op, op.getZeroPoint(), op.getInput(), "zero point")))
    return failure();
  return verifySameElements(op, op.getZeroPoint(), coded, "zero point");
}

LogicalResult QuantizeOp::verify() {
  if (failed(verifyCoding(*this, getInput(), getResult())))
    return failure();
  Type coded = getElementTypeOrSelf(getResult());
  if (getUnsaturated() &&
      (!isCoded(coded) || coded.getIntOrFloatBitWidth() != 8))
    return emitOpError() << "always saturates to " << coded
                         << "; only f8 has codes for what is too large";
  return success();
}

LogicalResult DequantizeOp::verify() {
  if (!isa<FloatType>(getElementTypeOrSelf(getResult())))
    return emitOpError() << "needs a result of floats, has "
                         << getElementTypeOrSelf(getResult());
  return verifyCoding(*this, getResult(), getInput());
}

LogicalResult DynamicQuantizeOp::verify() {
  auto x = getTensorType(getInput()), y = getTensorType(getResult());
  auto scale = getTensorType(getScale()), zero = getTensorType(getZeroPoint());
  if (!x.getElementType().isF32() || !scale.getElementType().isF32())
    return emitOpError("needs an input and a scale of f32");
  if (!y.getElementType().isUnsignedInteger(8) ||
      zero.getElementType() != y.getElementType())
    return emitOpError("needs a result and a zero point of ui8");
  if (y.getShape() != x.getShape() || scale.getRank() || zero.getRank())
    return emitOpError() << "computes shape [" << x.getShape()
                         << "] and a scalar scale and zero point";
  return success();
}

/// Operands of integer contractions: 8 bits, signed or not.
static LogicalResult verifyNarrow(Operation *op, Value value) {
  Type type = getElementTypeOrSelf(value);
  if (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() == 8)
    return success();
  return op->emitOpError() << "needs operands of 8-bit integers, has " << type;
}

template <typename Op>
static LogicalResult verifyOperands(Op op, Value a, Value aZero, Value b,
                                    Value bZero) {
  if (failed(verifyNarrow(op, a)) || failed(verifyNarrow(op, b)) ||
      failed(verifyParameter(op, aZero, a, "zero point")) ||
      failed(verifyParameter(op, bZero, b, "zero point")) ||
      failed(verifySameElements(op, aZero, a, "zero point")))
    return failure();
  return verifySameElements(op, bZero, b, "zero point");
}

/// The scales of a contraction that is quantised again.
template <typename Op>
static LogicalResult verifyRequantization(Op op, ValueRange scales) {
  for (Value scale : scales)
    if (failed(verifyFloatScale(op, scale)) ||
        failed(verifyParameter(op, scale, op.getResult(), "scale")))
      return failure();
  if (failed(verifyNarrow(op, op.getResult())) ||
      failed(verifyParameter(op, op.getResultZero(), op.getResult(),
                             "zero point")))
    return failure();
  return verifySameElements(op, op.getResultZero(), op.getResult(),
                            "zero point");
}

static LogicalResult verifySum(Operation *op, Value result) {
  if (getElementTypeOrSelf(result).isInteger(32))
    return success();
  return op->emitOpError() << "needs a result of i32, has "
                           << getElementTypeOrSelf(result);
}

LogicalResult MatmulIntegerOp::verify() {
  if (failed(verifyOperands(*this, getLhs(), getLhsZero(), getRhs(),
                            getRhsZero())) ||
      failed(verifySum(*this, getResult())))
    return failure();
  return verifyMatmulShapes(*this, getTensorType(getLhs()).getShape(),
                            getTensorType(getRhs()).getShape(),
                            getTensorType(getResult()).getShape());
}

LogicalResult QLinearMatmulOp::verify() {
  if (failed(verifyOperands(*this, getLhs(), getLhsZero(), getRhs(),
                            getRhsZero())) ||
      failed(verifyRequantization(
          *this, {getLhsScale(), getRhsScale(), getResultScale()})))
    return failure();
  return verifyMatmulShapes(*this, getTensorType(getLhs()).getShape(),
                            getTensorType(getRhs()).getShape(),
                            getTensorType(getResult()).getShape());
}

LogicalResult ConvIntegerOp::verify() {
  if (failed(verifyOperands(*this, getInput(), getInputZero(), getWeight(),
                            getWeightZero())) ||
      failed(verifySum(*this, getResult())))
    return failure();
  return verifyConvShapes(*this, getConvShapes(*this));
}

LogicalResult QLinearConvOp::verify() {
  if (failed(verifyOperands(*this, getInput(), getInputZero(), getWeight(),
                            getWeightZero())) ||
      failed(verifyConvShapes(*this, getConvShapes(*this))) ||
      failed(
          verifyRequantization(*this, {getInputScale(), getResultScale()})) ||
      failed(verifyFloatScale(*this, getWeightScale())) ||
      failed(verifyParameter(*this, getWeightScale(), getWeight(), "scale")))
    return failure();
  ArrayRef<int64_t> scale = getTensorType(getWeightScale()).getShape();
  int64_t channels = getTensorType(getWeight()).getDimSize(0);
  auto perChannel = [&](ArrayRef<int64_t> shape) {
    return llvm::all_of(llvm::enumerate(shape), [&](auto extent) {
      bool isFirst =
          extent.index() == 0 &&
          int64_t(shape.size()) == getTensorType(getWeight()).getRank();
      return extent.value() == 1 || (isFirst && extent.value() == channels);
    });
  };
  if (!perChannel(scale))
    return emitOpError() << "needs a weight scale that is a scalar or one per "
                            "output channel, has shape ["
                         << scale << "]";
  if (getBias() &&
      (getTensorType(getBias()).getShape() != ArrayRef<int64_t>{channels} ||
       !getElementTypeOrSelf(getBias()).isInteger(32)))
    return emitOpError() << "needs a bias of " << channels << " i32";
  return success();
}
