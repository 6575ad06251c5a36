// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/quantize/Histogram.h"

#include <algorithm>
#include <cmath>

namespace fusec::quantize {

static int64_t binOf(double value, int exponent) {
  return int64_t(std::floor(std::ldexp(value, -exponent)));
}

/// The exponent of the least width with which [from, to] has room. Numbers of
/// bins stay below 2^40, however far from 0 the values are.
static int findExponent(double from, double to) {
  constexpr int kOfZeros = -160, kMostBits = 40;
  const double largest = std::max(std::abs(from), std::abs(to));
  if (largest == 0)
    return kOfZeros;
  int exponent = std::ilogb(largest) - kMostBits;
  if (to > from)
    exponent = std::max(exponent,
                        std::ilogb((to - from) / double(Histogram::kMostBins)));
  while (binOf(to, exponent) - binOf(from, exponent) >= Histogram::kMostBins)
    ++exponent;
  return exponent;
}

double Histogram::width() const { return std::ldexp(1.0, exponent); }

/// Makes room for values from `from` to `to`.
void Histogram::cover(float from, float to) {
  if (!empty()) {
    from = std::min(from, least);
    to = std::max(to, greatest);
  }
  const int wanted = findExponent(from, to);
  const int64_t first = binOf(from, wanted);
  std::vector<uint64_t> room(binOf(to, wanted) - first + 1, 0);
  for (auto [index, count] : llvm::enumerate(counts))
    room[((firstBin + int64_t(index)) >> (wanted - exponent)) - first] += count;
  least = from;
  greatest = to;
  exponent = wanted;
  firstBin = first;
  counts = std::move(room);
}

std::optional<size_t> Histogram::add(llvm::ArrayRef<float> values) {
  if (values.empty())
    return std::nullopt;
  float from = values[0], to = values[0];
  for (auto [index, value] : llvm::enumerate(values)) {
    if (!std::isfinite(value))
      return index;
    from = std::min(from, value);
    to = std::max(to, value);
  }
  if (empty() || from < least || to > greatest)
    cover(from, to);
  const double scale = std::ldexp(1.0, -exponent);
  for (float value : values) {
    ++counts[size_t(int64_t(std::floor(value * scale)) - firstBin)];
    numZeros += value == 0;
  }
  numValues += values.size();
  return std::nullopt;
}

std::optional<Histogram> Histogram::make(const Parts &parts) {
  Histogram made;
  if (parts.counts.empty())
    return made;
  if (!std::isfinite(parts.min) || !(parts.min <= parts.max) ||
      !std::isfinite(parts.max))
    return std::nullopt;
  made.cover(parts.min, parts.max);
  if (made.counts.size() != parts.counts.size())
    return std::nullopt;
  made.counts = parts.counts;
  made.numZeros = parts.zeros;
  for (uint64_t count : parts.counts)
    made.numValues += count;
  return made;
}

} // namespace fusec::quantize
