// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which range of a tensor's values its codes stand for.
#ifndef FUSEC_COMPILER_QUANTIZE_RANGES_H
#define FUSEC_COMPILER_QUANTIZE_RANGES_H

#include "compiler/quantize/Histogram.h"

namespace fusec::quantize {

/// How a range is chosen. Values outside of it become its nearest end.
enum class Method {
  MinMax,     ///< all values
  Percentile, ///< all but a share of the values, half of it at each end
  Entropy,    ///< the least divergence of the distributions before and after
  Mse,        ///< the least mean of squared errors
};

/// How many of a hundred values Method::Percentile keeps by default.
constexpr double kUsualPercentile = 99.999;

/// Values from `low`, which is 0 or less, to `high`, which is 0 or more.
struct Range {
  double low = 0, high = 0;
};

/// The range for the values of `histogram`. Entropy is the Kullback-Leibler
/// divergence of S. Migacz, "8-bit Inference with TensorRT" (GTC 2017), for
/// ranges whose ends are chosen one after the other.
Range chooseRange(const Histogram &histogram, Method method,
                  double percentile = kUsualPercentile);

/// The codes 0 to 255 of a tensor: code q stands for (q - zero) scale.
struct Coding {
  float scale = 1;
  uint8_t zero = 0;
};

/// The coding whose codes stand for `range`, and for 0 exactly.
Coding codeRange(const Range &range);

/// The number that `value` becomes.
float roundTrip(float value, const Coding &coding);

/// What share of the values, from 0 to 1, lies outside of what `coding` stands
/// for, and the signal to noise in dB that the histogram lets expect.
struct CodingLoss {
  double clipped = 0, signalToNoise = 0;
};
CodingLoss estimateLoss(const Histogram &histogram, const Coding &coding);

} // namespace fusec::quantize

#endif // FUSEC_COMPILER_QUANTIZE_RANGES_H
