// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers: widths, conversions, what wraps around, divisions and shifts.
#include "test/runtime/shapes/Support.h"

namespace fusec {
namespace shapes {

/// Loaded from one width, computed in 32 or 64 bits, stored in another.
template <class P, class Q, int64_t A, int64_t B>
KERNEL converted(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT w,
                 Q *FUSEC_RESTRICT y) {
  for (int64_t i = 0; i < A; ++i)
    for (int64_t j = 0; j < B; ++j)
      store(y + i * B + j,
            to<Value<Q>>(load(x + i * B + B - 1 - j) * load(w + j) * 1000));
}

/// Far beyond what the type holds.
template <class T, int64_t A, int64_t B>
KERNEL wrapped(const T *FUSEC_RESTRICT x, const T *FUSEC_RESTRICT w,
               T *FUSEC_RESTRICT y) {
  T s = 1;
  for (int64_t i = 0; i < A; ++i)
    for (int64_t j = 0; j < B; ++j) {
      s = add(mul(s, sub(load(x + i * B + j), T(40503))), load(w + B - 1 - j));
      store(y + i * B + j, bit_xor(s, shr_logic(s, T(7))));
    }
}

template <class T, int64_t A>
KERNEL divided(const T *FUSEC_RESTRICT x, const T *FUSEC_RESTRICT w,
               T *FUSEC_RESTRICT y) {
  for (int64_t i = 0; i < A; ++i) {
    const T a = load(x + i) * 1001, b = load(w + A - 1 - i) - 1;
    store(y + 8 * i, div(a, b));
    store(y + 8 * i + 1, fmod(a, b));
    store(y + 8 * i + 2, mod(a, b));
    store(y + 8 * i + 3, div_floor(a, b));
    store(y + 8 * i + 4, div_unsigned(a, b));
    store(y + 8 * i + 5, a / 3 + a % 7);
    store(y + 8 * i + 6, shr_arith(a, T(i % 31)));
    store(y + 8 * i + 7, shl(a, T(i % 31)));
  }
}

/// Products of bytes, summed in 32 bits, as quantised models do.
template <class P, int64_t A, int64_t B>
KERNEL quantised(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT w,
                 int32_t *FUSEC_RESTRICT y) {
  for (int64_t i = 0; i < A; ++i) {
    int32_t s = 0;
    for (int64_t j = 0; j < B; ++j)
      s = s + (load(x + i * B + B - 1 - j) - 3) * load(w + j);
    store(y + i, s);
    store(y + A + i, sat_i8(s));
  }
}

template <class P, int64_t A, int64_t B>
KERNEL quantised_lanes(const P *FUSEC_RESTRICT x, const P *FUSEC_RESTRICT w,
                       int32_t *FUSEC_RESTRICT y) {
  i32x16 s = zero<i32x16>();
  for (int64_t i = 0; i < A; ++i)
    s = dot_pairs(pairs(load<i32x16>(x + i * B), load<i32x16>(x + i * B + 16)),
                  pairs(load<i32x16>(w + i), load<i32x16>(w + 1 + i)), s);
  store(y, s);
  for (int lane = 0; lane < 16; ++lane)
    store(y + 16 + lane, get(s, 15 - lane));
}

static void runAll() {
  RUN(converted<int8_t, int16_t, 7, 5>);
  RUN(converted<int8_t, uint8_t, 6, 8>);
  RUN(converted<uint8_t, float, 6, 8>);
  RUN(converted<int16_t, int64_t, 3, 17>);
  RUN(converted<uint16_t, int8_t, 3, 17>);
  RUN(converted<int32_t, f16, 7, 5>);
  RUN(converted<uint32_t, int32_t, 6, 8>);
  RUN(converted<int64_t, uint16_t, 6, 8>);
  RUN(converted<uint64_t, int8_t, 7, 5>);
  RUN(converted<float, int32_t, 6, 8>);
  RUN(converted<float, uint8_t, 3, 17>);
  RUN(converted<double, int64_t, 6, 8>);
  RUN(wrapped<int32_t, 7, 5>);
  RUN(wrapped<int32_t, 6, 8>);
  RUN(wrapped<int64_t, 7, 5>);
  RUN(divided<int32_t, 31>);
  RUN(divided<int64_t, 31>);
  RUN(quantised<int8_t, 7, 5>);
  RUN(quantised<uint8_t, 6, 8>);
  RUN(quantised<int16_t, 3, 33>);
  RUN(quantised_lanes<int8_t, 9, 8>);
  RUN(quantised_lanes<uint8_t, 7, 16>);
  RUN(quantised_lanes<int16_t, 9, 8>);
}

} // namespace shapes
} // namespace fusec

int main() { fusec::shapes::runAll(); }
