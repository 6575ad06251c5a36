// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/io/RandomTensor.h"

#include "compiler/io/ElementValue.h"

#include <cmath>

namespace fusec::io {

/// SplitMix64 as a function of the position: Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014.
static uint64_t randomBits(uint64_t seed, uint64_t position) {
  uint64_t z = seed + (position + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

uint64_t inputSeed(uint64_t seed, uint64_t index) {
  return randomBits(seed, index);
}

Tensor randomTensor(ElementType type, std::vector<int64_t> shape,
                    uint64_t seed) {
  Tensor tensor = Tensor::zeros(type, std::move(shape));
  int64_t count = tensor.numElements();
  if (isFloat(type)) {
    std::vector<double> values(count);
    for (int64_t i = 0; i < count; ++i)
      values[i] = static_cast<double>(randomBits(seed, i) >> 40) * 0x1p-23 - 1;
    if (type == ElementType::F8E8M0FNU) // which has no negative numbers
      for (double &value : values)
        value = std::fabs(value);
    return fromDoubles(type, tensor.shape, values);
  }
  int64_t low = 0, choices = 16;
  if (type == ElementType::I8 || type == ElementType::I16)
    low = -8;
  else if (type == ElementType::I32 || type == ElementType::I64)
    choices = 8;
  else if (type == ElementType::Bool)
    choices = 2;
  else if (type == ElementType::U2 || type == ElementType::I2)
    low = type == ElementType::I2 ? -2 : 0, choices = 4;
  else if (type == ElementType::I4)
    low = -8;
  std::vector<int64_t> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = low + static_cast<int64_t>(randomBits(seed, i) >> 32) % choices;
  return fromInts(type, tensor.shape, values);
}

} // namespace fusec::io
