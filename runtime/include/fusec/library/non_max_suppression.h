// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_LIBRARY_NON_MAX_SUPPRESSION_H
#define FUSEC_LIBRARY_NON_MAX_SUPPRESSION_H

#include "fusec/library/common.h"

#include <algorithm>

namespace fusec {
namespace library {

namespace detail {

/// The corners of a box of two corners in any order, or of centre and size.
struct Corners {
  float low[2], high[2];

  Corners(const float *box, bool center_point_box) {
    for (int d = 0; d < 2; ++d) {
      const float a = center_point_box ? box[d] - box[d + 2] / 2 : box[d];
      const float b = center_point_box ? box[d] + box[d + 2] / 2 : box[d + 2];
      low[d] = a < b ? a : b;
      high[d] = a < b ? b : a;
    }
  }
  float area() const { return (high[0] - low[0]) * (high[1] - low[1]); }
};

/// Whether the boxes share more than `threshold` of the area that they cover;
/// boxes without area share nothing.
inline bool overlap(const Corners &a, const Corners &b, float threshold) {
  float shared = 1;
  for (int d = 0; d < 2; ++d) {
    const float low = a.low[d] > b.low[d] ? a.low[d] : b.low[d];
    const float high = a.high[d] < b.high[d] ? a.high[d] : b.high[d];
    if (!(high > low))
      return false;
    shared *= high - low;
  }
  const float covered = a.area() + b.area() - shared;
  return a.area() > 0 && b.area() > 0 && covered > 0 &&
         shared / covered > threshold;
}

} // namespace detail

/// Of each batch and class, in that order, the boxes whose score is above
/// `score_threshold` and that overlap no better one of them, best first (equal
/// scores: the first box), at most `limit`, as rows of batch, class and box.
/// What is more than `rows` is left out; rows that are left are -1. `workspace`
/// holds `count` numbers. Runs on the calling thread: where a class begins in
/// the result follows from those before it.
inline void non_max_suppression(const fusec_kernel_ctx *, const float *boxes,
                                const float *scores, const int64_t *limit,
                                const float *iou_threshold,
                                const float *score_threshold, int64_t *selected,
                                void *workspace, int64_t batches,
                                int64_t classes, int64_t count, int64_t rows,
                                bool center_point_box) {
  int64_t *order = static_cast<int64_t *>(workspace);
  int64_t row = 0;
  for (int64_t line = 0; line < batches * classes; ++line) {
    const int64_t batch = line / classes, first = row;
    const float *score = scores + line * count;
    const float *places = boxes + batch * count * 4;
    int64_t size = 0;
    for (int64_t i = 0; i < count; ++i)
      if (score[i] > *score_threshold)
        order[size++] = i;
    std::sort(order, order + size, [=](int64_t a, int64_t b) {
      return score[a] > score[b] || (score[a] == score[b] && a < b);
    });
    for (int64_t i = 0; i < size && row < rows && row - first < *limit; ++i) {
      const detail::Corners box(places + order[i] * 4, center_point_box);
      bool is_best = true;
      for (int64_t other = first; is_best && other < row; ++other)
        is_best = !detail::overlap(
            box,
            detail::Corners(places + selected[other * 3 + 2] * 4,
                            center_point_box),
            *iou_threshold);
      if (!is_best)
        continue;
      selected[row * 3] = batch;
      selected[row * 3 + 1] = line % classes;
      selected[row * 3 + 2] = order[i];
      ++row;
    }
  }
  for (; row < rows; ++row)
    for (int64_t i = 0; i < 3; ++i)
      selected[row * 3 + i] = -1;
}

} // namespace library
} // namespace fusec

#endif
