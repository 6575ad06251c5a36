// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data.h"

#include "fusec/element.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace {

class Reader {
public:
  explicit Reader(const std::string &name) : name(name) {
    std::ifstream file(name, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
    if (bytes.size() < 8 || memcmp(bytes.data(), "FUSECPK1", 8) != 0)
      fail("is no data of this pack");
    at = 8;
  }
  template <typename T> T take() {
    T value;
    memcpy(&value, takeBytes(sizeof(T)).data(), sizeof(T));
    return value;
  }
  template <typename T> std::vector<T> takeAll(uint64_t count) {
    std::vector<T> values(count);
    const std::vector<char> from = takeBytes(count * sizeof(T));
    if (count)
      memcpy(values.data(), from.data(), from.size());
    return values;
  }
  std::vector<char> takeBytes(uint64_t count) {
    if (count > bytes.size() - at)
      fail("is cut short");
    at += count;
    return {bytes.begin() + long(at - count), bytes.begin() + long(at)};
  }
  [[noreturn]] void fail(const char *why) const {
    throw std::runtime_error(name + ": " + why);
  }

private:
  std::string name;
  std::vector<char> bytes;
  uint64_t at = 0;
};

/// Number `index` of a sequence, in [0, 1): SplitMix64 (G. L. Steele, D. Lea,
/// C. H. Flood: Fast Splittable Pseudorandom Number Generators, 2014).
double randomNumber(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return double(z >> 11) * 0x1p-53;
}

template <typename T>
std::vector<char> makeInput(uint64_t count, uint64_t seed, double low,
                            double high) {
  std::vector<char> bytes(count * sizeof(T));
  for (uint64_t i = 0; i < count; ++i) {
    const double value = low + randomNumber(seed, i) * (high - low);
    const T element = T(std::is_integral<T>::value ? std::floor(value) : value);
    memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
  }
  return bytes;
}

template <typename T> double read(const char *element) {
  T value;
  memcpy(&value, element, sizeof(T));
  return double(value);
}

float bitsAsFloat(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

double readHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31)
    return fraction ? NAN : sign * INFINITY;
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25)
                          : std::ldexp(fraction, -24));
}

double readFloat(fusec_dtype type, const char *element) {
  uint16_t half;
  switch (type) {
  case FUSEC_F64:
    return read<double>(element);
  case FUSEC_F32:
    return double(read<float>(element));
  case FUSEC_F16:
    memcpy(&half, element, sizeof(half));
    return readHalf(half);
  case FUSEC_BF16:
    memcpy(&half, element, sizeof(half));
    return double(bitsAsFloat(uint32_t(half) << 16));
  default:
    throw std::runtime_error("an element type without a tolerance");
  }
}

Expected readOutput(Reader &reader, const fusec_tensor_desc &tensor) {
  Expected expected;
  expected.isExact = reader.take<uint32_t>();
  const uint64_t count = reader.take<uint64_t>(),
                 bytes = count * fusec_dtype_bytes(tensor.dtype);
  expected.places = reader.takeAll<uint64_t>(count);
  if (expected.isExact) {
    expected.elements = reader.takeBytes(bytes);
    for (uint64_t left = reader.take<uint64_t>(); left > 0; --left) {
      const auto number = reader.take<uint64_t>();
      expected.others.emplace_back(number, reader.take<char>());
    }
  } else {
    expected.values = reader.takeAll<double>(count);
    expected.allowed = reader.takeAll<double>(count);
  }
  if (reader.take<uint32_t>())
    expected.simulated = reader.takeBytes(bytes);
  for (uint64_t place : expected.places)
    if (place >= countElements(tensor))
      reader.fail("names an element that the output has not");
  return expected;
}

} // namespace

uint64_t countElements(const fusec_tensor_desc &tensor) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < tensor.rank; ++i)
    count *= uint64_t(tensor.dims[i]);
  return count;
}

Data readData(const std::string &file, const fusec_model_desc &model) {
  Reader reader(file);
  Data data;
  if (reader.take<uint32_t>() != model.num_inputs)
    reader.fail("is of another model");
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const fusec_tensor_desc &tensor = model.inputs[i];
    if (!reader.take<uint32_t>()) {
      data.inputs.push_back(reader.takeBytes(reader.take<uint64_t>()));
      continue;
    }
    const auto seed = reader.take<uint64_t>();
    const auto low = reader.take<double>(), high = reader.take<double>();
    const auto make = tensor.dtype == FUSEC_F32   ? makeInput<float>
                      : tensor.dtype == FUSEC_F64 ? makeInput<double>
                      : tensor.dtype == FUSEC_I32 ? makeInput<int32_t>
                                                  : makeInput<int64_t>;
    data.inputs.push_back(make(countElements(tensor), seed, low, high));
  }
  if (reader.take<uint32_t>() != model.num_outputs)
    reader.fail("is of another model");
  for (uint32_t i = 0; i < model.num_outputs; ++i)
    data.outputs.push_back(readOutput(reader, model.outputs[i]));
  return data;
}

Difference compare(const fusec_tensor_desc &tensor, const char *result,
                   const Expected &expected) {
  const uint64_t size = fusec_dtype_bytes(tensor.dtype);
  Difference difference;
  double worst = 0;
  for (size_t i = 0; i < expected.places.size(); ++i) {
    const char *element = result + expected.places[i] * size;
    if (!expected.simulated.empty()) {
      ++difference.compared;
      difference.same +=
          !memcmp(element, expected.simulated.data() + i * size, size);
    }
    if (expected.isExact) {
      const std::pair<uint64_t, char> other(i, *element);
      if (difference.text.empty() &&
          memcmp(element, expected.elements.data() + i * size, size) != 0 &&
          std::find(expected.others.begin(), expected.others.end(), other) ==
              expected.others.end())
        difference.text =
            "element " + std::to_string(expected.places[i]) + " is another one";
      continue;
    }
    const double got = readFloat(tensor.dtype, element),
                 want = expected.values[i];
    if (got == want || (std::isnan(got) && std::isnan(want)))
      continue;
    const double error = std::isfinite(want) && std::isfinite(got)
                             ? std::fabs(got - want)
                             : INFINITY;
    if (error <= expected.allowed[i] || error < worst)
      continue;
    worst = error;
    char text[96];
    snprintf(text, sizeof(text), "element %llu is %.9g, expected %.9g",
             static_cast<unsigned long long>(expected.places[i]), got, want);
    difference.text = text;
  }
  return difference;
}
