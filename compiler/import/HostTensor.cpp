// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/HostTensor.h"

#include "dialects/TypeInfo.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/APFloat.h"
#include <cstring>

using namespace mlir;

namespace fusec {

unsigned storageBytes(Type elementType) {
  return (elementType.getIntOrFloatBitWidth() + 7) / 8;
}

Type elementTypeFromOnnx(int code, MLIRContext *context) {
  const TypeInfo *info = getTypeInfoForOnnx(code);
  return info ? info->get(context) : Type();
}

/// The integer that `bits` bits of `value` stand for.
static int64_t wrap(int64_t value, IntegerType type) {
  unsigned bits = type.getWidth();
  if (bits == 1)
    return value != 0;
  if (bits == 64)
    return value;
  int64_t low = value & ((int64_t(1) << bits) - 1);
  bool negative = !type.isUnsigned() && (low >> (bits - 1));
  return negative ? low - (int64_t(1) << bits) : low;
}

static llvm::APFloat toApFloat(double value, FloatType type) {
  llvm::APFloat result(value);
  bool losesInfo;
  result.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return result;
}

HostTensor HostTensor::fromInts(RankedTensorType type,
                                std::vector<int64_t> values) {
  auto elementType = mlir::cast<IntegerType>(type.getElementType());
  for (int64_t &value : values)
    value = wrap(value, elementType);
  return {type, std::move(values), {}};
}

HostTensor HostTensor::fromFloats(RankedTensorType type,
                                  std::vector<double> values) {
  auto elementType = mlir::cast<FloatType>(type.getElementType());
  for (double &value : values) {
    llvm::APFloat rounded = toApFloat(value, elementType);
    bool losesInfo;
    rounded.convert(llvm::APFloat::IEEEdouble(),
                    llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    value = rounded.convertToDouble();
  }
  return {type, {}, std::move(values)};
}

HostTensor HostTensor::fromBytes(RankedTensorType type,
                                 llvm::ArrayRef<char> bytes) {
  HostTensor tensor{type, {}, {}};
  unsigned width = storageBytes(type.getElementType());
  for (size_t at = 0; at + width <= bytes.size(); at += width) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, width);
    if (auto floatType = dyn_cast<FloatType>(type.getElementType())) {
      llvm::APFloat value(floatType.getFloatSemantics(),
                          llvm::APInt(floatType.getWidth(), word));
      bool losesInfo;
      value.convert(llvm::APFloat::IEEEdouble(),
                    llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      tensor.floats.push_back(value.convertToDouble());
    } else {
      tensor.ints.push_back(
          wrap(int64_t(word), mlir::cast<IntegerType>(type.getElementType())));
    }
  }
  return tensor;
}

std::vector<char> HostTensor::toBytes() const {
  unsigned width = storageBytes(type.getElementType());
  std::vector<char> bytes(size() * width);
  for (int64_t i = 0; i < size(); ++i) {
    uint64_t word =
        isFloat()
            ? toApFloat(floats[i], mlir::cast<FloatType>(type.getElementType()))
                  .bitcastToAPInt()
                  .getZExtValue()
            : uint64_t(ints[i]);
    std::memcpy(&bytes[i * width], &word, width);
  }
  return bytes;
}

HostTensor HostTensor::pick(RankedTensorType resultType,
                            llvm::ArrayRef<int64_t> indices) const {
  HostTensor result{resultType, {}, {}};
  for (int64_t index : indices) {
    if (isFloat())
      result.floats.push_back(floats[index]);
    else
      result.ints.push_back(ints[index]);
  }
  return result;
}

DenseElementsAttr denseElements(RankedTensorType type,
                                llvm::ArrayRef<char> bytes) {
  if (type.getElementType().isInteger(1)) {
    // Attributes pack booleans into bits, files do not.
    llvm::SmallVector<bool> values;
    for (char byte : bytes)
      values.push_back(byte != 0);
    return DenseElementsAttr::get(type, values);
  }
  // Reading through the attribute's buffer needs its alignment.
  std::vector<uint64_t> aligned((bytes.size() + 7) / 8 + 1);
  llvm::copy(bytes, reinterpret_cast<char *>(aligned.data()));
  return DenseElementsAttr::getFromRawBuffer(
      type, {reinterpret_cast<const char *>(aligned.data()), bytes.size()});
}

} // namespace fusec
