// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_LIBRARY_REGIONS_H
#define FUSEC_LIBRARY_REGIONS_H

#include "fusec/library/common.h"

#include <cmath>
#include <limits>

namespace fusec {
namespace library {

namespace detail {

/// The whole number `value` in [0, last]; NaN is 0.
template <class N> inline int64_t whole_within(N value, int64_t last) {
  if (!(value > 0))
    return 0;
  return value < N(last) ? int64_t(value) : last;
}

/// NaN where either is NaN.
template <class N> inline N larger(N a, N b) { return a > b || a != a ? a : b; }

/// A part of a dimension: the indices of [begin, end).
struct Range {
  int64_t begin, end;
};

/// The points of a region along one dimension, at equal distances, in the type
/// of its corners: how many points there are, and whether one on the border
/// belongs to the image, hangs on rounding.
template <class C> struct Points {
  C start, bin, count; // `count` points in each bin, which is `bin` long
  int64_t extent;

  /// A region whose size is no finite number, or with so many points that none
  /// could be told from the next, has none.
  Points(C low, C high, int64_t bins, int64_t image_extent, bool half_pixel)
      : extent(image_extent) {
    const C shift = half_pixel ? C(0.5) : C(0);
    start = low - shift;
    C size = high - shift - start;
    const bool is_finite = std::abs(size) <= std::numeric_limits<C>::max();
    if (!half_pixel && size < 1)
      size = 1;
    bin = size / C(bins);
    count = std::ceil(bin);
    if (!is_finite || !(count > 0 && count <= C(2147483648.0)))
      count = 0;
  }

  C at(int64_t b, int64_t point) const {
    return start + C(b) * bin + (C(point) + C(0.5)) * bin / count;
  }
  /// Of bin `b`, the points on the image, perhaps with one or two beside it. A
  /// step is longer than 1/2 if there are two points: at most some 2 extent.
  Range on_image(int64_t b) const {
    if (count == 0)
      return {0, 0};
    const double origin = double(start) + double(b) * double(bin);
    const double step = double(bin) / double(count);
    const double first = std::floor((-1 - origin) / step - 0.5);
    const double last = std::ceil((double(extent) - origin) / step + 0.5);
    return {whole_within(first, int64_t(count)),
            whole_within(last, int64_t(count))};
  }
};

/// The elements on both sides of a point, and their weights; one beyond the
/// image has none.
template <class N> struct Share {
  int64_t low, high;
  N low_weight, high_weight;

  Share(double at, int64_t extent) {
    if (!(at >= -1 && at <= double(extent))) {
      low = high = -1;
      low_weight = high_weight = 0;
      return;
    }
    low = whole_within(at, extent - 1);
    high = low + 1 < extent ? low + 1 : low;
    const double fraction = at - double(low);
    high_weight = N(fraction <= 0 || low == high ? 0 : fraction);
    low_weight = N(1) - high_weight;
  }
  bool is_outside() const { return low < 0; }
};

/// The mean or the maximum of the points of one bin.
template <bool Maximum, class T, class C>
inline auto align_bin(const T *image, const Points<C> &ys, const Points<C> &xs,
                      int64_t bin_y, int64_t bin_x) {
  using N = decltype(number(T()));
  const Range rows = ys.on_image(bin_y), columns = xs.on_image(bin_x);
  const double count = double(ys.count) * double(xs.count);
  // Points that are not visited count as 0.
  const double visited =
      double(rows.end - rows.begin) * double(columns.end - columns.begin);
  N sum = 0,
    most = visited < count ? N(0) : -std::numeric_limits<N>::infinity();
  for (int64_t i = rows.begin; i < rows.end; ++i) {
    const Share<N> y(double(ys.at(bin_y, i)), ys.extent);
    for (int64_t j = columns.begin; j < columns.end; ++j) {
      const Share<N> x(double(xs.at(bin_x, j)), xs.extent);
      if (y.is_outside() || x.is_outside()) {
        most = larger(most, N(0));
        continue;
      }
      const T *upper = image + y.low * xs.extent;
      const T *lower = image + y.high * xs.extent;
      const N parts[] = {y.low_weight * x.low_weight * number(upper[x.low]),
                         y.low_weight * x.high_weight * number(upper[x.high]),
                         y.high_weight * x.low_weight * number(lower[x.low]),
                         y.high_weight * x.high_weight * number(lower[x.high])};
      for (const N part : parts) {
        if (Maximum)
          most = larger(most, part);
        else
          sum += part;
      }
    }
  }
  if (count == 0)
    return N(0);
  return Maximum ? most : N(double(sum) / count);
}

/// The elements of bin `b` along one dimension: the region's corners are
/// rounded, both belong to it, and its bins reach over to whole elements. None
/// if its size is no finite number.
template <class C>
inline Range pool_range(C low, C high, int64_t b, int64_t bins,
                        int64_t extent) {
  const double first = double(std::round(low));
  const double size = double(std::round(high)) - first + 1;
  if (!(std::abs(size) <= double(std::numeric_limits<C>::max())))
    return {0, 0};
  const C bin = C(size < 1 ? 1 : size) / C(bins);
  return {whole_within(first + double(std::floor(C(b) * bin)), extent),
          whole_within(first + double(std::ceil(C(b + 1) * bin)), extent)};
}

/// The largest element of a bin; 0 if it has none.
template <class T>
inline auto pool_bin(const T *image, Range rows, Range columns, int64_t width) {
  using N = decltype(number(T()));
  if (rows.begin >= rows.end || columns.begin >= columns.end)
    return N(0);
  N most = -std::numeric_limits<N>::infinity();
  for (int64_t y = rows.begin; y < rows.end; ++y)
    for (int64_t x = columns.begin; x < columns.end; ++x)
      most = larger(most, number(image[y * width + x]));
  return most;
}

} // namespace detail

/// Of each region (x, y of two corners), channel and bin the mean, or the
/// `maximum` of the weighted elements, of points between the elements: along
/// each dimension as many as the bin is large, rounded up. A point beyond the
/// image counts as 0, and so does a bin without points. An image's number that
/// is out of range means the nearest one.
template <class T, class C>
inline void roi_align(const fusec_kernel_ctx *ctx, const T *x, const C *corners,
                      const int64_t *numbers, T *y, int64_t images,
                      int64_t channels, int64_t height, int64_t width,
                      int64_t regions, int64_t bins_y, int64_t bins_x,
                      bool half_pixel, bool maximum) {
  const int64_t bins = bins_y * bins_x;
  // How large the regions are is not known; large images have larger ones.
  parallel(ctx, regions * channels, grain_of(40 * bins + height * width / 8),
           [=](int64_t begin, int64_t end) {
             for (int64_t i = begin; i < end; ++i) {
               const int64_t region = i / channels;
               const C *corner = corners + region * 4;
               const detail::Points<C> xs(corner[0], corner[2], bins_x, width,
                                          half_pixel);
               const detail::Points<C> ys(corner[1], corner[3], bins_y, height,
                                          half_pixel);
               const int64_t number = numbers[region] < 0 ? 0
                                      : numbers[region] >= images
                                          ? images - 1
                                          : numbers[region];
               const T *image =
                   x + (number * channels + i % channels) * height * width;
               for (int64_t b = 0; b < bins; ++b)
                 y[i * bins + b] = Element<T>::from(
                     maximum ? detail::align_bin<true>(image, ys, xs,
                                                       b / bins_x, b % bins_x)
                             : detail::align_bin<false>(
                                   image, ys, xs, b / bins_x, b % bins_x));
             }
           });
}

/// The largest element of each bin of each region (image; x, y of two corners)
/// and channel, NaN if one is; 0 for a bin that has no element of the image. An
/// image's number that is out of range means the nearest one, NaN the first.
template <class T, class C>
inline void max_roi_pool(const fusec_kernel_ctx *ctx, const T *x,
                         const C *corners, T *y, int64_t images,
                         int64_t channels, int64_t height, int64_t width,
                         int64_t regions, int64_t bins_y, int64_t bins_x) {
  const int64_t bins = bins_y * bins_x;
  parallel(ctx, regions * channels, grain_of(40 * bins + height * width / 8),
           [=](int64_t begin, int64_t end) {
             for (int64_t i = begin; i < end; ++i) {
               const C *region = corners + i / channels * 5;
               const int64_t number =
                   detail::whole_within(region[0], images - 1);
               const T *image =
                   x + (number * channels + i % channels) * height * width;
               for (int64_t b = 0; b < bins; ++b) {
                 const detail::Range rows = detail::pool_range(
                     region[2], region[4], b / bins_x, bins_y, height);
                 const detail::Range columns = detail::pool_range(
                     region[1], region[3], b % bins_x, bins_x, width);
                 y[i * bins + b] = Element<T>::from(
                     detail::pool_bin(image, rows, columns, width));
               }
             }
           });
}

} // namespace library
} // namespace fusec

#endif
