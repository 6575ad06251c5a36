// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any processor: vectors of 16 bytes, by the vector extensions of compilers.
#ifndef FUSEC_KERNEL_ISA_PORTABLE_H
#define FUSEC_KERNEL_ISA_PORTABLE_H

#define FUSEC_LANES 4
#ifndef FUSEC_ISA
#ifdef FUSEC_PORTABLE
#define FUSEC_ISA portable
#else
#define FUSEC_ISA baseline
#endif
#endif
#if defined(__SSE2__)
#define FUSEC_REGISTER "x"
#elif defined(__aarch64__)
#define FUSEC_REGISTER "w"
#else
#define FUSEC_REGISTER "m"
#endif

#include "fusec/kernel/isa/native.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {
namespace detail {

FUSEC_INLINE f32v splat(float x) { return f32v{x, x, x, x}; }
FUSEC_INLINE i32v splat(int32_t x) { return i32v{x, x, x, x}; }
FUSEC_INLINE i64v splat(int64_t x) { return i64v{x, x}; }
FUSEC_INLINE f64v splat(double x) { return f64v{x, x}; }

FUSEC_INLINE i32v narrow(i64v low, i64v high) {
  const i32h a = __builtin_convertvector(low, i32h);
  const i32h b = __builtin_convertvector(high, i32h);
  return __builtin_shufflevector(a, b, 0, 1, 2, 3);
}

template <int Half> FUSEC_INLINE i64v widen(i32v v) {
  constexpr int s = Half * (lanes / 2);
  const i32h h = __builtin_shufflevector(v, v, s, s + 1);
  return __builtin_convertvector(h, i64v);
}

FUSEC_INLINE i32v lane_numbers(int part) {
  return i32v{0, 1, 2, 3} + splat(part * lanes);
}

FUSEC_INLINE uint32_t mask_bits(mask16 m) {
  i32v all = splat(int32_t{0});
  FUSEC_PARTS(i, all |= m.part[i] & (i32v{1, 2, 4, 8} << splat(i * lanes));)
  return static_cast<uint32_t>(all[0] | all[1] | all[2] | all[3]);
}

// A mask that is known while compiling, part by part: what narrow stores put
// into a buffer, a load of a whole part would wait for.
FUSEC_INLINE f32v load_part(const float *p, uint32_t bits) {
  if (bits == 15u) {
    f32v v;
    copy(&v, p, sizeof(v));
    return v;
  }
  return f32v{bits & 1u ? p[0] : 0.0f, bits & 2u ? p[1] : 0.0f,
              bits & 4u ? p[2] : 0.0f, bits & 8u ? p[3] : 0.0f};
}
FUSEC_INLINE f32v load_even(const float *p, uint32_t bits) {
  if (bits == 15u) {
    f32v low, high;
    copy(&low, p, sizeof(low));
    copy(&high, p + 3, sizeof(high));
    return __builtin_shufflevector(low, high, 0, 2, 5, 7);
  }
  return f32v{bits & 1u ? p[0] : 0.0f, bits & 2u ? p[2] : 0.0f,
              bits & 4u ? p[4] : 0.0f, bits & 8u ? p[6] : 0.0f};
}

template <int N> FUSEC_INLINE f32v swap_lanes(f32v v) {
  return __builtin_shufflevector(v, v, 0 ^ N, 1 ^ N, 2 ^ N, 3 ^ N);
}

FUSEC_INLINE f32v zip_low(f32v a, f32v b) {
  return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}
FUSEC_INLINE f32v zip_high(f32v a, f32v b) {
  return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}
FUSEC_INLINE f32v join_low(f32v a, f32v b) {
  return __builtin_shufflevector(a, b, 0, 1, 4, 5);
}
FUSEC_INLINE f32v join_high(f32v a, f32v b) {
  return __builtin_shufflevector(a, b, 2, 3, 6, 7);
}
FUSEC_INLINE void join_fours(const f32v (&fours)[4], f32v (&columns)[4],
                             int c) {
  columns[c] = fours[c];
}

template <int N> FUSEC_INLINE void store_first(float *p, f32v v) {
  copy(p, &v, N * static_cast<int>(sizeof(float)));
}

} // namespace detail
} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
