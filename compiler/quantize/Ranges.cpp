// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/quantize/Ranges.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace fusec::quantize {

static constexpr double kMostCode = 255;

Coding codeRange(const Range &range) {
  Coding coding;
  // A scale that is no normal number would be 0 for who flushes those.
  coding.scale = std::max(float((range.high - range.low) / kMostCode),
                          std::numeric_limits<float>::min());
  if (range.high == range.low)
    coding.scale = 1;
  coding.zero = uint8_t(std::clamp(
      std::nearbyint(-range.low / double(coding.scale)), 0.0, kMostCode));
  return coding;
}

float roundTrip(float value, const Coding &coding) {
  const float code =
      std::clamp(std::nearbyint(value / coding.scale) + float(coding.zero),
                 0.0f, float(kMostCode));
  return (code - float(coding.zero)) * coding.scale;
}

/// The values that the codes of `coding` stand for.
static Range rangeOf(const Coding &coding) {
  return {-double(coding.zero) * coding.scale,
          (kMostCode - coding.zero) * coding.scale};
}

namespace {
/// Sums over the bins of a histogram, for one range.
struct Errors {
  double clipped = 0; ///< how many values are
  double noise = 0;   ///< the sum of squared errors
};
} // namespace

/// Numbers between two codes are off by scale^2 / 12 on average, as if they
/// were spread evenly; those that are exactly 0 are not.
static Errors sumErrors(const Histogram &histogram, const Coding &coding) {
  const Range range = rangeOf(coding);
  const double inside = double(coding.scale) * coding.scale / 12;
  Errors errors;
  for (auto [index, count] : llvm::enumerate(histogram.bins())) {
    if (!count)
      continue;
    const double middle = histogram.middle(index);
    const double over = std::max(middle - range.high, range.low - middle);
    // A bin that the end of the range cuts is taken to be inside.
    if (over > std::max(coding.scale / 2.0, histogram.width() / 2)) {
      errors.clipped += double(count);
      errors.noise += double(count) * over * over;
    } else {
      errors.noise += double(count) * inside;
    }
  }
  errors.noise -= double(histogram.zeros()) * inside;
  return errors;
}

CodingLoss estimateLoss(const Histogram &histogram, const Coding &coding) {
  const Errors errors = sumErrors(histogram, coding);
  double signal = 0;
  for (auto [index, count] : llvm::enumerate(histogram.bins()))
    signal += double(count) * histogram.middle(index) * histogram.middle(index);
  return {errors.clipped / double(std::max<uint64_t>(histogram.count(), 1)),
          errors.noise > 0 ? 10 * std::log10(signal / errors.noise)
                           : std::numeric_limits<double>::infinity()};
}

/// The divergence of the distribution that is left of the histogram's from it:
/// of P, whose outer bins have what lies outside of the range, from Q, which
/// spreads the values of each code evenly over its bins that have some. Where
/// values are few, bins differ by chance alone, and codes that are fine enough
/// to keep such differences would win: what chance adds is expected to be
/// 1 / (2 values) for each bin that is spread (as of entropies: G. Miller,
/// "Note on the bias of information estimates", 1955), and is taken off. Values
/// that are exactly 0 keep that in any range, and are left out.
static double divergence(const Histogram &histogram, const Range &range) {
  const Coding coding = codeRange(range);
  const double all = double(histogram.count() - histogram.zeros());
  if (all == 0)
    return 0;
  std::vector<double> bins(histogram.bins().begin(), histogram.bins().end());
  if (histogram.zeros())
    bins[size_t(-histogram.first())] -= double(histogram.zeros());
  // Those in the range.
  size_t begin = 0, end = bins.size();
  while (begin + 1 < end && histogram.middle(begin) < range.low)
    ++begin;
  while (end > begin + 1 && histogram.middle(end - 1) > range.high)
    --end;
  std::vector<double> before(bins.begin() + begin, bins.begin() + end);
  std::vector<double> after(before.size(), 0);
  double numSpread = 0;
  for (size_t i = 0; i < before.size();) {
    auto codeOf = [&](size_t bin) {
      return std::nearbyint(histogram.middle(begin + bin) / coding.scale);
    };
    size_t next = i;
    double sum = 0, filled = 0;
    for (; next < before.size() && codeOf(next) == codeOf(i); ++next) {
      sum += before[next];
      filled += before[next] > 0;
    }
    numSpread += std::max(filled - 1, 0.0);
    for (; i < next; ++i)
      after[i] = before[i] > 0 ? sum / filled : 0;
  }
  double inside = 0;
  for (double count : before)
    inside += count;
  for (size_t i = 0; i < begin; ++i)
    before.front() += bins[i];
  for (size_t i = end; i < bins.size(); ++i)
    before.back() += bins[i];
  if (inside == 0)
    return std::numeric_limits<double>::infinity();
  constexpr double kNone = 1e-12; // of Q, where P has something
  double sum = 0;
  for (auto [p, q] : llvm::zip(before, after))
    if (p > 0)
      sum += p / all * std::log(p / all / std::max(q / inside, kNone));
  return sum - numSpread / (2 * all);
}

/// The range that costs least, among those whose ends are parts of the least
/// and the greatest value, one end after the other.
template <typename Cost>
static Range searchRange(const Range &all, const Cost &cost) {
  constexpr int kSteps = 128, kRounds = 2;
  Range best = all;
  double least = cost(best);
  auto tryEnd = [&](double Range::*end) {
    for (int step = 1; step < kSteps; ++step) {
      Range next = best;
      next.*end = all.*end * step / kSteps;
      if (double own = cost(next); own < least) {
        least = own;
        best = next;
      }
    }
  };
  for (int round = 0; round < kRounds; ++round) {
    tryEnd(&Range::high);
    tryEnd(&Range::low);
  }
  return best;
}

/// All but `cut` of the values, from each end.
static Range cutTails(const Histogram &histogram, const Range &all,
                      double cut) {
  const auto bins = histogram.bins();
  const double most = cut * double(histogram.count());
  Range range = all;
  double sum = 0;
  for (size_t i = 0; i < bins.size() && sum + double(bins[i]) <= most; ++i) {
    sum += double(bins[i]);
    range.low = double(histogram.first() + int64_t(i) + 1) * histogram.width();
  }
  sum = 0;
  for (size_t i = bins.size(); i > 0 && sum + double(bins[i - 1]) <= most;
       --i) {
    sum += double(bins[i - 1]);
    range.high = double(histogram.first() + int64_t(i) - 1) * histogram.width();
  }
  return {std::min(range.low, 0.0), std::max(range.high, 0.0)};
}

Range chooseRange(const Histogram &histogram, Method method,
                  double percentile) {
  if (histogram.empty())
    return {};
  // 0 has a code: it is what padding reads.
  const Range all{std::min<double>(histogram.min(), 0),
                  std::max<double>(histogram.max(), 0)};
  switch (method) {
  case Method::MinMax:
    return all;
  case Method::Percentile:
    return cutTails(histogram, all, (100 - percentile) / 200);
  case Method::Entropy:
    return searchRange(
        all, [&](const Range &range) { return divergence(histogram, range); });
  case Method::Mse:
    return searchRange(all, [&](const Range &range) {
      return sumErrors(histogram, codeRange(range)).noise;
    });
  }
  return all;
}

} // namespace fusec::quantize
