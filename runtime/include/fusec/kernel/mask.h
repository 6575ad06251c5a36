// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks: comparisons, logic, tails, select.
#ifndef FUSEC_KERNEL_MASK_H
#define FUSEC_KERNEL_MASK_H

#include "fusec/kernel/types.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

/// Bit l is lane l.
FUSEC_INLINE uint32_t mask_bits(mask16 m) {
#if FUSEC_AVX512
  return m.bits;
#elif FUSEC_AVX2
  // g++ does not compute the instruction while compiling.
  const i32v a = m.part[0] & i32v{1, 2, 4, 8, 16, 32, 64, 128};
  const i32v b = m.part[1] & i32v{1, 2, 4, 8, 16, 32, 64, 128};
  const i32v both = a | b << splat(static_cast<int32_t>(8));
  const int32_t known = both[0] | both[1] | both[2] | both[3] | both[4] |
                        both[5] | both[6] | both[7];
  if (__builtin_constant_p(known))
    return static_cast<uint32_t>(known);
  const auto low = _mm256_movemask_ps(reinterpret_cast<__m256>(m.part[0]));
  const auto high = _mm256_movemask_ps(reinterpret_cast<__m256>(m.part[1]));
  return static_cast<uint32_t>(low) | static_cast<uint32_t>(high) << 8;
#else
  i32v all = splat(int32_t{0});
  FUSEC_PARTS(i, all |= m.part[i] & (i32v{1, 2, 4, 8} << splat(i * lanes));)
  return static_cast<uint32_t>(all[0] | all[1] | all[2] | all[3]);
#endif
}

#if !FUSEC_AVX512
FUSEC_INLINE i32v lane_numbers(int part) {
#if FUSEC_LANES == 8
  return i32v{0, 1, 2, 3, 4, 5, 6, 7} + splat(part * lanes);
#else
  return i32v{0, 1, 2, 3} + splat(part * lanes);
#endif
}
#endif

FUSEC_INLINE mask16 mask_from_bits(uint32_t bits) {
  mask16 m;
#if FUSEC_AVX512
  m.bits = static_cast<uint16_t>(bits);
#else
  FUSEC_PARTS(i, const i32v bit = splat(static_cast<int32_t>(1))
                                  << lane_numbers(i);
              m.part[i] = (splat(static_cast<int32_t>(bits)) & bit) == bit;)
#endif
  return m;
}

} // namespace detail

// Comparisons, as of scalars.
#if FUSEC_AVX512
#define FUSEC_COMPARE(name, op, float_predicate, int_predicate)                \
  FUSEC_INLINE mask16 name(f32x16 a, f32x16 b) {                               \
    return {_mm512_cmp_ps_mask(a.part[0], b.part[0], float_predicate)};        \
  }                                                                            \
  FUSEC_INLINE mask16 name(i32x16 a, i32x16 b) {                               \
    return {_mm512_cmp_epi32_mask(reinterpret_cast<__m512i>(a.part[0]),        \
                                  reinterpret_cast<__m512i>(b.part[0]),        \
                                  int_predicate)};                             \
  }                                                                            \
  FUSEC_INLINE mask16 name(i64x16 a, i64x16 b) {                               \
    uint32_t bits = 0;                                                         \
    FUSEC_HALVES(i, bits |=                                                    \
                    static_cast<uint32_t>(_mm512_cmp_epi64_mask(               \
                        reinterpret_cast<__m512i>(a.part[i]),                  \
                        reinterpret_cast<__m512i>(b.part[i]), int_predicate))  \
                    << (8 * i);)                                               \
    return {static_cast<uint16_t>(bits)};                                      \
  }                                                                            \
  FUSEC_INLINE mask16 name(f64x16 a, f64x16 b) {                               \
    uint32_t bits = 0;                                                         \
    FUSEC_HALVES(i, bits |= static_cast<uint32_t>(_mm512_cmp_pd_mask(          \
                                a.part[i], b.part[i], float_predicate))        \
                            << (8 * i);)                                       \
    return {static_cast<uint16_t>(bits)};                                      \
  }                                                                            \
  FUSEC_COMPARE_COMMON(name, op)
#else
#define FUSEC_COMPARE(name, op, float_predicate, int_predicate)                \
  FUSEC_INLINE mask16 name(f32x16 a, f32x16 b) {                               \
    mask16 m;                                                                  \
    FUSEC_PARTS(i, m.part[i] = a.part[i] op b.part[i];)                        \
    return m;                                                                  \
  }                                                                            \
  FUSEC_INLINE mask16 name(i32x16 a, i32x16 b) {                               \
    mask16 m;                                                                  \
    FUSEC_PARTS(i, m.part[i] = a.part[i] op b.part[i];)                        \
    return m;                                                                  \
  }                                                                            \
  FUSEC_INLINE mask16 name(i64x16 a, i64x16 b) {                               \
    mask16 m;                                                                  \
    FUSEC_PARTS(i, m.part[i] = detail::narrow(                                 \
                       a.part[2 * i] op b.part[2 * i],                         \
                       a.part[2 * i + 1] op b.part[2 * i + 1]);)               \
    return m;                                                                  \
  }                                                                            \
  FUSEC_INLINE mask16 name(f64x16 a, f64x16 b) {                               \
    mask16 m;                                                                  \
    FUSEC_PARTS(                                                               \
        i, m.part[i] = detail::narrow(                                         \
               reinterpret_cast<detail::i64v>(a.part[2 * i] op b.part[2 * i]), \
               reinterpret_cast<detail::i64v>(                                 \
                   a.part[2 * i + 1] op b.part[2 * i + 1]));)                  \
    return m;                                                                  \
  }                                                                            \
  FUSEC_COMPARE_COMMON(name, op)
#endif
#define FUSEC_COMPARE_COMMON(name, op)                                         \
  FUSEC_INLINE mask16 operator op(f32x16 a, f32x16 b) { return name(a, b); }   \
  FUSEC_INLINE mask16 operator op(i32x16 a, i32x16 b) { return name(a, b); }   \
  FUSEC_INLINE mask16 operator op(i64x16 a, i64x16 b) { return name(a, b); }   \
  FUSEC_INLINE mask16 operator op(f64x16 a, f64x16 b) { return name(a, b); }

FUSEC_COMPARE(eq, ==, _CMP_EQ_OQ, _MM_CMPINT_EQ)
FUSEC_COMPARE(ne, !=, _CMP_NEQ_UQ, _MM_CMPINT_NE)
FUSEC_COMPARE(lt, <, _CMP_LT_OQ, _MM_CMPINT_LT)
FUSEC_COMPARE(le, <=, _CMP_LE_OQ, _MM_CMPINT_LE)
FUSEC_COMPARE(gt, >, _CMP_GT_OQ, _MM_CMPINT_NLE)
FUSEC_COMPARE(ge, >=, _CMP_GE_OQ, _MM_CMPINT_NLT)
#undef FUSEC_COMPARE
#undef FUSEC_COMPARE_COMMON

// Logic on masks.
#if FUSEC_AVX512
#define FUSEC_MASK_LOGIC(op)                                                   \
  FUSEC_INLINE mask16 operator op(mask16 a, mask16 b) {                        \
    return {static_cast<uint16_t>(a.bits op b.bits)};                          \
  }
#else
#define FUSEC_MASK_LOGIC(op)                                                   \
  FUSEC_INLINE mask16 operator op(mask16 a, mask16 b) {                        \
    FUSEC_PARTS(i, a.part[i] = a.part[i] op b.part[i];)                        \
    return a;                                                                  \
  }
#endif
FUSEC_MASK_LOGIC(&)
FUSEC_MASK_LOGIC(|)
FUSEC_MASK_LOGIC(^)
#undef FUSEC_MASK_LOGIC

FUSEC_INLINE mask16 operator~(mask16 a) { return a ^ broadcast(true); }
FUSEC_INLINE mask16 operator!=(mask16 a, mask16 b) { return a ^ b; }
FUSEC_INLINE mask16 operator==(mask16 a, mask16 b) { return ~(a ^ b); }
FUSEC_INLINE mask16 eq(mask16 a, mask16 b) { return a == b; }
FUSEC_INLINE mask16 ne(mask16 a, mask16 b) { return a != b; }
FUSEC_INLINE mask16 logical_and(mask16 a, mask16 b) { return a & b; }
FUSEC_INLINE mask16 logical_or(mask16 a, mask16 b) { return a | b; }
FUSEC_INLINE mask16 logical_xor(mask16 a, mask16 b) { return a ^ b; }
FUSEC_INLINE mask16 logical_not(mask16 a) { return ~a; }

/// Lane l: base + l < bound.
FUSEC_INLINE mask16 mask_lt(int64_t base, int64_t bound) {
  const int64_t left = bound - base;
  const int32_t n = static_cast<int32_t>(left < 0 ? 0 : left > 16 ? 16 : left);
#if FUSEC_AVX512
  return {static_cast<uint16_t>((1u << n) - 1u)};
#else
  mask16 m;
  FUSEC_PARTS(i, m.part[i] = detail::lane_numbers(i) < detail::splat(n);)
  return m;
#endif
}

/// Lane l: base + l >= bound.
FUSEC_INLINE mask16 mask_ge(int64_t base, int64_t bound) {
  return ~mask_lt(base, bound);
}

/// Lane l: low <= base + l < high.
FUSEC_INLINE mask16 mask_range(int64_t base, int64_t low, int64_t high) {
  return mask_ge(base, low) & mask_lt(base, high);
}

/// Lane-wise `m ? a : b`.
FUSEC_INLINE f32x16 select(mask16 m, f32x16 a, f32x16 b) {
#if FUSEC_AVX512
  a.part[0] = _mm512_mask_blend_ps(m.bits, b.part[0], a.part[0]);
#else
  FUSEC_PARTS(i, a.part[i] = m.part[i] ? a.part[i] : b.part[i];)
#endif
  return a;
}

FUSEC_INLINE i32x16 select(mask16 m, i32x16 a, i32x16 b) {
#if FUSEC_AVX512
  a.part[0] = reinterpret_cast<detail::i32v>(
      _mm512_mask_blend_epi32(m.bits, reinterpret_cast<__m512i>(b.part[0]),
                              reinterpret_cast<__m512i>(a.part[0])));
#else
  FUSEC_PARTS(i, a.part[i] = m.part[i] ? a.part[i] : b.part[i];)
#endif
  return a;
}

FUSEC_INLINE i64x16 select(mask16 m, i64x16 a, i64x16 b) {
#if FUSEC_AVX512
  FUSEC_HALVES(
      i, a.part[i] = reinterpret_cast<detail::i64v>(
             _mm512_mask_blend_epi64(static_cast<uint8_t>(m.bits >> (8 * i)),
                                     reinterpret_cast<__m512i>(b.part[i]),
                                     reinterpret_cast<__m512i>(a.part[i])));)
#else
  FUSEC_HALVES(i, const detail::i64v lane = detail::widen<i % 2>(m.part[i / 2]);
               a.part[i] = (lane & a.part[i]) | (~lane & b.part[i]);)
#endif
  return a;
}

FUSEC_INLINE f64x16 select(mask16 m, f64x16 a, f64x16 b) {
#if FUSEC_AVX512
  FUSEC_HALVES(
      i, a.part[i] = _mm512_mask_blend_pd(
             static_cast<uint8_t>(m.bits >> (8 * i)), b.part[i], a.part[i]);)
#else
  FUSEC_HALVES(i, const detail::i64v lane = detail::widen<i % 2>(m.part[i / 2]);
               a.part[i] = lane ? a.part[i] : b.part[i];)
#endif
  return a;
}

FUSEC_INLINE mask16 select(mask16 m, mask16 a, mask16 b) {
  return (m & a) | (~m & b);
}

FUSEC_INLINE f32x16 select(bool m, f32x16 a, f32x16 b) { return m ? a : b; }
FUSEC_INLINE i32x16 select(bool m, i32x16 a, i32x16 b) { return m ? a : b; }
FUSEC_INLINE i64x16 select(bool m, i64x16 a, i64x16 b) { return m ? a : b; }
FUSEC_INLINE f64x16 select(bool m, f64x16 a, f64x16 b) { return m ? a : b; }
FUSEC_INLINE mask16 select(bool m, mask16 a, mask16 b) { return m ? a : b; }

/// All lanes set; any lane set.
FUSEC_INLINE bool reduce_and(mask16 m) {
  return detail::mask_bits(m) == 0xffffu;
}
FUSEC_INLINE bool reduce_or(mask16 m) { return detail::mask_bits(m) != 0; }

/// How many lanes are set; the lowest one set, or 16.
FUSEC_INLINE int32_t count(mask16 m) {
  return __builtin_popcount(detail::mask_bits(m));
}
FUSEC_INLINE int32_t first(mask16 m) {
  return __builtin_ctz(detail::mask_bits(m) | 0x10000u);
}

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
