// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that move: copies, windows, masks and lanes.
#include "test/runtime/shapes/Support.h"

namespace fusec {
namespace shapes {

template <class P, int64_t A, int64_t B, bool I, bool J>
KERNEL reversed(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT,
                P *FUSEC_RESTRICT y) {
  for (int64_t i = 0; i < A; ++i)
    for (int64_t j = 0; j < B; ++j)
      store(y + i * B + j, load(x + at<A, B, I, J>(i, j)));
}

template <class P, int64_t A, int64_t B, bool I, bool J>
KERNEL transposed(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT w,
                  P *FUSEC_RESTRICT y) {
  for (int64_t j = 0; j < B; ++j)
    for (int64_t i = 0; i < A; ++i)
      store(y + j * A + i, load(x + at<A, B, I, J>(i, j)) + load(w + j));
}

/// In place, as the runtime lets a kernel write over its own operand.
template <class P, int64_t A, int64_t B>
KERNEL in_place(const P *x, const P *FUSEC_RESTRICT, P *y) {
  for (int64_t i = 0; i < A * B; ++i)
    store(y + i, load(x + i));
  for (int64_t i = 1; i < A; ++i)
    for (int64_t j = 0; j < B; ++j)
      store(y + i * B + j, load(y + (i - 1) * B + j) + load(y + i * B + j));
}

/// Windows of three with a border of zeros.
template <class P, int64_t A, int64_t B, int64_t Step>
KERNEL window(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT w,
              P *FUSEC_RESTRICT y) {
  for (int64_t i = 0; i < A; ++i)
    for (int64_t j = 0; j < B / Step; ++j) {
      Value<P> s = zero<Value<P>>();
      for (int64_t k = 0; k < 3; ++k) {
        const int64_t at = j * Step + k - 1;
        if (at >= 0 && at < B)
          s = fma(load(x + i * B + at), load(w + 2 - k), s);
      }
      store(y + i * B + j, s);
    }
}

/// A copy of a tile with a border, from which sums are taken backwards.
template <class P, int64_t A, int64_t B>
KERNEL local_tile(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT,
                  P *FUSEC_RESTRICT y) {
  for (int64_t i = 0; i < A; ++i) {
    Value<P> tile[B + 2];
    for (int64_t j = 0; j < B + 2; ++j)
      tile[j] = j >= 1 && j <= B ? load(x + i * B + j - 1) : zero<Value<P>>();
    for (int64_t j = 0; j < B; ++j)
      store(y + i * B + B - 1 - j, tile[j] + tile[j + 1] + tile[j + 2]);
  }
}

/// One loop over the elements of two, as parallel loops are printed.
template <class P, int64_t A, int64_t B>
KERNEL collapsed(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT w,
                 P *FUSEC_RESTRICT y) {
  for (int64_t iteration = 0; iteration < A * B; ++iteration) {
    const int64_t i = iteration / B;
    const int64_t j = iteration % B;
    store(y + j * A + i, load(x + iteration) + load(w + A * B - 1 - iteration));
  }
}

template <class V, class P, int64_t A, int64_t B>
KERNEL lanes(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT w,
             P *FUSEC_RESTRICT y) {
  for (int64_t i = 0; i < A; ++i) {
    V s = zero<V>();
    for (int64_t j = 0; j < B; j += 16) {
      const mask16 in_range = mask_lt(j, B);
      const V value = load<V>(x + i * B + j, in_range);
      s = s + select(gt(value, zero<V>()), value, value + value);
      store(y + i * B + j, value * load<V>(w + j, in_range), in_range);
    }
    store(y + 2048 + i, reduce_add(s));
    store(y + 3072 + i, reduce_max(s));
  }
}

/// Lanes that lie apart, and backwards.
template <class V, class P, int64_t A, int64_t B, int64_t Step>
KERNEL strided_lanes(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT,
                     P *FUSEC_RESTRICT y) {
  const int64_t begin = Step < 0 ? -Step * (B - 1) : 0;
  for (int64_t i = 0; i < A; ++i) {
    V s = zero<V>();
    for (int64_t j = 0; j < B; j += 16) {
      const mask16 in_range = mask_lt(j, B);
      s = s + load_strided<V>(x + i * 8 + begin + j * Step, Step, in_range);
    }
    store(y + i, reduce_add(s));
    store_strided(y + 1024 + i * 64 + 3 * 15, -3, s);
  }
}

template <class V, class P, int64_t A>
KERNEL gathered(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT w,
                P *FUSEC_RESTRICT y) {
  V s = zero<V>();
  for (int64_t i = 0; i < A; ++i) {
    const i32x16 index = iota<i32x16>(static_cast<int32_t>(i)) * -3 + 90;
    s = s + gather<V>(x, index) * load(w + i);
    scatter(y + 256 + i * 64, 30 - iota<i32x16>() * 2, s,
            mask_range(0, i % 7, 13));
  }
  store(y, s);
}

template <int64_t A, int64_t B, bool I, bool J>
KERNEL truths(const bool *FUSEC_RESTRICT x, const bool *FUSEC_RESTRICT w,
              bool *FUSEC_RESTRICT y) {
  for (int64_t i = 0; i < A; ++i) {
    bool any = false, all = true;
    for (int64_t j = 0; j < B; ++j) {
      const bool value = load(x + at<A, B, I, J>(i, j));
      any = logical_or(any, logical_and(value, load(w + j)));
      all = logical_and(all, logical_or(value, load(w + i * B + j)));
    }
    store(y + 2 * i, any);
    store(y + 2 * i + 1, all);
  }
}

/// The place of the first largest element, and how many there are.
template <class P, int64_t A, int64_t B, bool I, bool J>
KERNEL place(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT,
             int64_t *FUSEC_RESTRICT y) {
  for (int64_t i = 0; i < A; ++i) {
    Value<P> most = load(x + at<A, B, I, J>(i, 0));
    int64_t where = 0, count = 0;
    for (int64_t j = 0; j < B; ++j) {
      const Value<P> value = load(x + at<A, B, I, J>(i, j));
      const bool better = gt(value, most);
      count = select(better, int64_t(1), count + to<int64_t>(eq(value, most)));
      where = select(better, j, where);
      most = select(better, value, most);
    }
    store(y + 2 * i, where);
    store(y + 2 * i + 1, count);
  }
}

static void runAll() {
  DIRECTIONS(reversed, float, 7, 5);
  DIRECTIONS(reversed, f16, 6, 8);
  DIRECTIONS(reversed, uint8_t, 3, 17);
  DIRECTIONS(reversed, int64_t, 6, 8);
  DIRECTIONS(transposed, float, 7, 5);
  DIRECTIONS(transposed, int16_t, 6, 8);
  RUN(in_place<float, 7, 5>);
  RUN(in_place<int32_t, 6, 8>);
  RUN(window<float, 7, 5, 1>);
  RUN(window<float, 6, 8, 2>);
  RUN(window<double, 3, 17, 3>);
  RUN(local_tile<float, 7, 5>);
  RUN(local_tile<int32_t, 6, 8>);
  RUN(local_tile<uint16_t, 3, 17>);
  RUN(collapsed<float, 7, 5>);
  RUN(collapsed<uint8_t, 6, 8>);
  RUN(lanes<f32x16, float, 7, 5>);
  RUN(lanes<f32x16, float, 3, 33>);
  RUN(lanes<f32x16, f16, 3, 33>);
  RUN(lanes<f64x16, double, 3, 17>);
  RUN(lanes<i32x16, int8_t, 3, 17>);
  RUN(lanes<i32x16, uint16_t, 3, 33>);
  RUN(lanes<i64x16, int64_t, 3, 17>);
  RUN(strided_lanes<f32x16, float, 7, 5, 2>);
  RUN(strided_lanes<f32x16, float, 7, 33, -1>);
  RUN(strided_lanes<f32x16, bf16, 5, 17, -3>);
  RUN(strided_lanes<i32x16, uint8_t, 7, 33, -2>);
  RUN(strided_lanes<i64x16, int64_t, 7, 17, -1>);
  RUN(gathered<f32x16, float, 9>);
  RUN(gathered<i32x16, int32_t, 9>);
  RUN(gathered<i64x16, int64_t, 9>);
  RUN(truths<7, 5, false, false>);
  RUN(truths<7, 5, false, true>);
  RUN(truths<6, 8, true, true>);
  DIRECTIONS(place, float, 7, 5);
  DIRECTIONS(place, int8_t, 6, 8);
}

} // namespace shapes
} // namespace fusec

int main() { fusec::shapes::runAll(); }
