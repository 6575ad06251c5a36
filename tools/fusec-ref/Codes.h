// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes of 8 bits that follow from the range of what they stand for.
#ifndef FUSEC_TOOLS_FUSEC_REF_CODES_H
#define FUSEC_TOOLS_FUSEC_REF_CODES_H

#include <algorithm>
#include <cmath>
#include <vector>

namespace fusec::ref {

/// The scale and the zero point of codes without a sign for all `values`, which
/// are numbers of f32, and 0.
struct RangeCodes {
  explicit RangeCodes(const std::vector<double> &values) {
    float low = 0, high = 0;
    for (double value : values) {
      low = std::min(low, float(value));
      high = std::max(high, float(value));
    }
    scale = high == low ? 1.0f : (high - low) / 255.0f;
    zero = saturate(std::nearbyint(-low / scale));
  }
  double encode(double value) const {
    return saturate(std::nearbyint(float(value) / scale) + zero);
  }
  static double saturate(double code) {
    return std::min(std::max(code, 0.0), 255.0);
  }

  float scale;
  double zero;
};

/// `values` as what their codes stand for.
inline void quantizeByRange(std::vector<double> &values) {
  RangeCodes codes(values);
  for (double &value : values)
    value = (codes.encode(value) - codes.zero) * codes.scale;
}

} // namespace fusec::ref

#endif // FUSEC_TOOLS_FUSEC_REF_CODES_H
