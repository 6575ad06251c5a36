// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions: one loop in another, forwards and backwards, and what stands
// between them.
#include "test/runtime/shapes/Support.h"

namespace fusec {
namespace shapes {

template <class P, int64_t A, int64_t B, bool I, bool J>
KERNEL sum(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT,
           P *FUSEC_RESTRICT y) {
  Value<P> s = zero<Value<P>>();
  for (int64_t i = 0; i < A; ++i)
    for (int64_t j = 0; j < B; ++j)
      s = s + load(x + at<A, B, I, J>(i, j));
  store(y, s);
}

/// Of each of the channels c, as a normalisation sums.
template <class P, int64_t A, int64_t B, bool I, bool J>
KERNEL channel_moments(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT w,
                       P *FUSEC_RESTRICT y) {
  for (int64_t c = 0; c < 3; ++c) {
    Value<P> s = zero<Value<P>>();
    for (int64_t i = 0; i < A; ++i)
      for (int64_t j = 0; j < B; ++j)
        s = s + load(x + c * A * B + at<A, B, I, J>(i, j));
    Value<P> q = zero<Value<P>>();
    for (int64_t i = 0; i < A; ++i)
      for (int64_t j = 0; j < B; ++j) {
        const auto d = load(x + c * A * B + at<A, B, I, J>(i, j)) + s;
        q = fma(d, d, q);
      }
    store(y + 2 * c, s * load(w + c));
    store(y + 2 * c + 1, q);
  }
}

template <class P, int64_t A, int64_t B, bool I, bool J>
KERNEL dot(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT w,
           P *FUSEC_RESTRICT y) {
  Value<P> s = zero<Value<P>>();
  for (int64_t i = 0; i < A; ++i)
    for (int64_t j = 0; j < B; ++j)
      s = s + load(x + at<A, B, I, J>(i, j)) * load(w + i * B + j);
  store(y, s);
}

template <class P, int64_t A, int64_t B, bool I, bool J>
KERNEL largest(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT w,
               P *FUSEC_RESTRICT y) {
  auto most = load(x);
  auto least = load(x);
  for (int64_t i = 0; i < A; ++i)
    for (int64_t j = 0; j < B; ++j) {
      const auto value = load(x + at<A, B, I, J>(i, j)) + load(w + j);
      most = max(most, value);
      least = min(least, value);
    }
  store(y, most);
  store(y + 1, least);
}

template <class P, int64_t A, int64_t B, bool I, bool J>
KERNEL rows(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT,
            P *FUSEC_RESTRICT y) {
  for (int64_t i = 0; i < A; ++i) {
    Value<P> s = zero<Value<P>>();
    for (int64_t j = 0; j < B; ++j)
      s = s + load(x + at<A, B, I, J>(i, j));
    store(y + i, s);
  }
}

template <class P, int64_t A, int64_t B, bool I, bool J>
KERNEL columns(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT,
               P *FUSEC_RESTRICT y) {
  for (int64_t j = 0; j < B; ++j) {
    Value<P> s = zero<Value<P>>();
    for (int64_t i = 0; i < A; ++i)
      s = s + load(x + at<A, B, I, J>(i, j));
    store(y + j, s);
  }
}

template <class P, int64_t A, int64_t B, bool I, bool J>
KERNEL running(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT,
               P *FUSEC_RESTRICT y) {
  Value<P> s = zero<Value<P>>();
  for (int64_t i = 0; i < A; ++i)
    for (int64_t j = 0; j < B; ++j) {
      s = s + load(x + at<A, B, I, J>(i, j));
      store(y + at<A, B, I, J>(i, j), s);
    }
}

template <class P, int64_t A, int64_t B, bool I, bool J>
KERNEL where_positive(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT w,
                      P *FUSEC_RESTRICT y) {
  Value<P> s = zero<Value<P>>();
  for (int64_t i = 0; i < A; ++i)
    for (int64_t j = 0; j < B; ++j) {
      const auto value = load(x + at<A, B, I, J>(i, j));
      s = s + select(gt(load(w + i * B + j), s), value, value + value);
    }
  store(y, s);
}

template <class P, int64_t A, int64_t B, bool I, bool J>
KERNEL triangle(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT,
                P *FUSEC_RESTRICT y) {
  Value<P> s = zero<Value<P>>();
  for (int64_t i = 0; i < A; ++i)
    for (int64_t j = 0; j < min(i + 1, B); ++j)
      s = s + load(x + at<A, B, I, J>(i, j));
  store(y, s);
}

/// The terms of one iteration in an order of their own.
template <class P, int64_t A, int64_t B, int64_t Step>
KERNEL shuffled(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT,
                P *FUSEC_RESTRICT y) {
  Value<P> s = zero<Value<P>>();
  for (int64_t i = 0; i < A; ++i) {
    FUSEC_UNROLL for (int64_t j = 0; j < B; ++j) s =
        s + load(x + i * B + j * Step % B);
  }
  store(y, s);
}

/// Several sums at a time, in an array that is to live in registers.
template <class P, int64_t A, int64_t B, int64_t Step>
KERNEL several(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT w,
               P *FUSEC_RESTRICT y) {
  Value<P> s[B];
  FUSEC_UNROLL for (int64_t j = 0; j < B; ++j) s[j] = load(w + j);
  for (int64_t i = 0; i < A; ++i) {
    FUSEC_UNROLL for (int64_t j = 0; j < B; ++j) s[j] =
        s[j] + load(x + i * B + (B - 1 - j) * Step % B);
  }
  FUSEC_UNROLL for (int64_t j = 0; j < B; ++j) store(y + B - 1 - j, s[j]);
}

template <class P, int64_t A, int64_t B, int64_t Step>
KERNEL strided(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT,
               P *FUSEC_RESTRICT y) {
  Value<P> s = zero<Value<P>>();
  for (int64_t i = 0; i < A; ++i)
    for (int64_t j = 0; j < B; ++j)
      s = s + load(x + i * 5 * B + (Step < 0 ? 1 - B : 0) * Step + j * Step);
  store(y, s);
}

static void runAll() {
  EXTENTS(sum, float);
  EXTENTS(sum, double);
  EXTENTS(sum, int32_t);
  DIRECTIONS(sum, int8_t, 6, 8);
  DIRECTIONS(sum, int64_t, 7, 5);
  DIRECTIONS(sum, f16, 7, 5);
  DIRECTIONS(sum, bf16, 6, 8);
  EXTENTS(channel_moments, float);
  DIRECTIONS(channel_moments, double, 7, 5);
  DIRECTIONS(dot, float, 7, 5);
  DIRECTIONS(dot, float, 3, 17);
  DIRECTIONS(dot, int16_t, 6, 8);
  DIRECTIONS(largest, float, 3, 17);
  DIRECTIONS(largest, uint8_t, 6, 8);
  DIRECTIONS(rows, float, 7, 5);
  DIRECTIONS(rows, double, 3, 17);
  DIRECTIONS(rows, int16_t, 6, 8);
  DIRECTIONS(columns, float, 7, 5);
  DIRECTIONS(columns, int32_t, 6, 8);
  DIRECTIONS(running, float, 7, 5);
  DIRECTIONS(running, int64_t, 6, 8);
  DIRECTIONS(where_positive, float, 7, 5);
  DIRECTIONS(where_positive, int32_t, 6, 8);
  DIRECTIONS(triangle, float, 7, 5);
  DIRECTIONS(triangle, double, 6, 8);
  RUN(shuffled<float, 8, 3, 2>);
  RUN(shuffled<float, 9, 5, 3>);
  RUN(shuffled<float, 5, 4, 3>);
  RUN(shuffled<double, 8, 3, 2>);
  RUN(shuffled<int32_t, 8, 3, 2>);
  RUN(several<float, 9, 4, 1>);
  RUN(several<float, 9, 4, 3>);
  RUN(several<double, 6, 3, 2>);
  RUN(several<int32_t, 6, 8, 5>);
  RUN(strided<float, 7, 5, 2>);
  RUN(strided<float, 7, 5, -2>);
  RUN(strided<float, 6, 8, -3>);
  RUN(strided<double, 6, 8, 3>);
  RUN(strided<int8_t, 6, 8, -2>);
}

} // namespace shapes
} // namespace fusec

int main() { fusec::shapes::runAll(); }
