// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the elements of a tensor are distributed over all samples of a
// calibration, in memory that does not grow with the samples.
#ifndef FUSEC_COMPILER_QUANTIZE_HISTOGRAM_H
#define FUSEC_COMPILER_QUANTIZE_HISTOGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace fusec::quantize {

/// A histogram of at most 2,048 bins whose width is a power of two: bin number
/// i has the values in [i width, (i + 1) width). The width is the least for
/// which all values have room; where a new value has none, neighbouring bins
/// are joined two by two, which is exact. So the result depends on the values
/// alone, not on their order.
class Histogram {
public:
  static constexpr int64_t kMostBins = 2048;

  /// Counts `values`. Returns the index of the first one that is an infinity or
  /// NaN, and then counts none.
  std::optional<size_t> add(llvm::ArrayRef<float> values);

  bool empty() const { return numValues == 0; }
  uint64_t count() const { return numValues; }
  /// How many values are exactly 0, which are in a bin, too.
  uint64_t zeros() const { return numZeros; }
  /// The least and the greatest value; not of an empty histogram.
  float min() const { return least; }
  float max() const { return greatest; }

  /// The width of a bin.
  double width() const;
  /// The number of the first bin, the one of min().
  int64_t first() const { return firstBin; }
  /// The bins from the first to that of max().
  llvm::ArrayRef<uint64_t> bins() const { return counts; }
  /// The middle of the bin at `index` of bins().
  double middle(size_t index) const {
    return (double(firstBin) + double(index) + 0.5) * width();
  }

  /// What a histogram consists of, to be kept in a file.
  struct Parts {
    float min = 0, max = 0;
    uint64_t zeros = 0;
    std::vector<uint64_t> counts;
  };
  Parts parts() const { return {least, greatest, numZeros, counts}; }
  /// Nothing where the parts are of no histogram.
  static std::optional<Histogram> make(const Parts &parts);

private:
  void cover(float from, float to);

  float least = 0, greatest = 0;
  uint64_t numValues = 0, numZeros = 0;
  int exponent = 0; ///< of the width
  int64_t firstBin = 0;
  std::vector<uint64_t> counts;
};

} // namespace fusec::quantize

#endif // FUSEC_COMPILER_QUANTIZE_HISTOGRAM_H
