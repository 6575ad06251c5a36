// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks: comparisons, logic, tails, select.
#ifndef FUSEC_KERNEL_MASK_H
#define FUSEC_KERNEL_MASK_H

#include "fusec/kernel/types.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

/// The mask of part, or half, number I of a value.
#ifdef FUSEC_BIT_MASKS
template <int I> FUSEC_INLINE uint16_t part_of(mask16 m) {
  return static_cast<uint16_t>(m.bits >> (lanes * I));
}
template <int I> FUSEC_INLINE uint8_t half_of(mask16 m) {
  return static_cast<uint8_t>(m.bits >> (lanes / 2 * I));
}
#else
template <int I> FUSEC_INLINE i32v part_of(mask16 m) { return m.part[I]; }
template <int I> FUSEC_INLINE i64v half_of(mask16 m) {
  return widen<I % 2>(m.part[I / 2]);
}
FUSEC_INLINE f32v blend(i32v m, f32v a, f32v b) { return m ? a : b; }
FUSEC_INLINE i32v blend(i32v m, i32v a, i32v b) { return m ? a : b; }
FUSEC_INLINE i64v blend(i64v m, i64v a, i64v b) { return (m & a) | (~m & b); }
FUSEC_INLINE f64v blend(i64v m, f64v a, f64v b) { return m ? a : b; }
#endif

FUSEC_INLINE mask16 mask_from_bits(uint32_t bits) {
  mask16 m;
#ifdef FUSEC_BIT_MASKS
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
#ifdef FUSEC_BIT_MASKS
#define FUSEC_COMPARE(name, op)                                                \
  FUSEC_COMPARE_BITS(name, f32x16, FUSEC_PARTS, detail::lanes)                 \
  FUSEC_COMPARE_BITS(name, i32x16, FUSEC_PARTS, detail::lanes)                 \
  FUSEC_COMPARE_BITS(name, i64x16, FUSEC_HALVES, detail::lanes / 2)            \
  FUSEC_COMPARE_BITS(name, f64x16, FUSEC_HALVES, detail::lanes / 2)            \
  FUSEC_COMPARE_COMMON(name, op)
#define FUSEC_COMPARE_BITS(name, V, FOR, n)                                    \
  FUSEC_INLINE mask16 name(V a, V b) {                                         \
    uint32_t bits = 0;                                                         \
    FOR(i, bits |=                                                             \
           static_cast<uint32_t>(detail::name##_bits(a.part[i], b.part[i]))    \
           << ((n) * i);)                                                      \
    return {static_cast<uint16_t>(bits)};                                      \
  }
#else
#define FUSEC_COMPARE(name, op)                                                \
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

FUSEC_COMPARE(eq, ==)
FUSEC_COMPARE(ne, !=)
FUSEC_COMPARE(lt, <)
FUSEC_COMPARE(le, <=)
FUSEC_COMPARE(gt, >)
FUSEC_COMPARE(ge, >=)
#undef FUSEC_COMPARE
#undef FUSEC_COMPARE_BITS
#undef FUSEC_COMPARE_COMMON

// Logic on masks.
#ifdef FUSEC_BIT_MASKS
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
#ifdef FUSEC_BIT_MASKS
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
#define FUSEC_SELECT(V, FOR, mask_of)                                          \
  FUSEC_INLINE V select(mask16 m, V a, V b) {                                  \
    FOR(i, a.part[i] =                                                         \
               detail::blend(detail::mask_of<i>(m), a.part[i], b.part[i]);)    \
    return a;                                                                  \
  }
FUSEC_SELECT(f32x16, FUSEC_PARTS, part_of)
FUSEC_SELECT(i32x16, FUSEC_PARTS, part_of)
FUSEC_SELECT(i64x16, FUSEC_HALVES, half_of)
FUSEC_SELECT(f64x16, FUSEC_HALVES, half_of)
#undef FUSEC_SELECT

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
