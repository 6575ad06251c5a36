// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on vectors that is exact or rounds once; scalar.h has the scalars.
#ifndef FUSEC_KERNEL_ARITH_H
#define FUSEC_KERNEL_ARITH_H

#include "fusec/kernel/mask.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

// --- float

#define FUSEC_OPERATOR(op, name)                                               \
  FUSEC_INLINE f32x16 operator op(f32x16 a, f32x16 b) {                        \
    FUSEC_PARTS(i, a.part[i] = a.part[i] op b.part[i];)                        \
    return a;                                                                  \
  }                                                                            \
  FUSEC_INLINE f32x16 name(f32x16 a, f32x16 b) { return a op b; }              \
  FUSEC_INLINE f64x16 operator op(f64x16 a, f64x16 b) {                        \
    FUSEC_HALVES(i, a.part[i] = a.part[i] op b.part[i];)                       \
    return a;                                                                  \
  }                                                                            \
  FUSEC_INLINE f64x16 name(f64x16 a, f64x16 b) { return a op b; }
FUSEC_OPERATOR(+, add)
FUSEC_OPERATOR(-, sub)
FUSEC_OPERATOR(*, mul)
FUSEC_OPERATOR(/, div)
#undef FUSEC_OPERATOR

FUSEC_INLINE f32x16 operator-(f32x16 a) {
  FUSEC_PARTS(i, a.part[i] = -a.part[i];)
  return a;
}
FUSEC_INLINE f32x16 neg(f32x16 a) { return -a; }

/// a * b + c; one rounding where the instruction set has it.
FUSEC_INLINE f32x16 fma(f32x16 a, f32x16 b, f32x16 c) {
  FUSEC_PARTS(i, c.part[i] =
                     detail::multiply_add(a.part[i], b.part[i], c.part[i]);)
  return c;
}

/// a / b, of which the last digit may be another: for what is rounded next.
FUSEC_INLINE f32x16 near_quotient(f32x16 a, float b) {
  FUSEC_PARTS(i, a.part[i] = detail::near_quotient(a.part[i], b);)
  return a;
}

FUSEC_INLINE f32x16 mul_rounded(f32x16 a, f32x16 b) {
  FUSEC_PARTS(i, a.part[i] = detail::opaque(a.part[i] * b.part[i]);)
  return a;
}
FUSEC_INLINE f64x16 mul_rounded(f64x16 a, f64x16 b) {
  FUSEC_HALVES(i, a.part[i] = detail::opaque(a.part[i] * b.part[i]);)
  return a;
}

/// NaN if either operand is. With the operands swapped, a NaN in a comes
/// through by itself, and one in b needs care, but where b is a constant.
FUSEC_INLINE f32x16 max(f32x16 a, f32x16 b) {
  FUSEC_PARTS(i, const detail::f32v m =
                     detail::greater_or_second(b.part[i], a.part[i]);
              a.part[i] = detail::nan_or(b.part[i], m);)
  return a;
}
FUSEC_INLINE f32x16 min(f32x16 a, f32x16 b) {
  FUSEC_PARTS(i, const detail::f32v m =
                     detail::less_or_second(b.part[i], a.part[i]);
              a.part[i] = detail::nan_or(b.part[i], m);)
  return a;
}
FUSEC_INLINE f32x16 max(f32x16 a, float b) {
  const detail::f32v all = f32x16(b).part[0];
  FUSEC_PARTS(i, a.part[i] = detail::greater_or_second(all, a.part[i]);)
  return b != b ? f32x16(b) : a;
}
FUSEC_INLINE f32x16 min(f32x16 a, float b) {
  const detail::f32v all = f32x16(b).part[0];
  FUSEC_PARTS(i, a.part[i] = detail::less_or_second(all, a.part[i]);)
  return b != b ? f32x16(b) : a;
}

/// The number if one operand is NaN.
FUSEC_INLINE f32x16 maxnum(f32x16 a, f32x16 b) {
  FUSEC_PARTS(i, const detail::f32v m =
                     detail::greater_or_second(a.part[i], b.part[i]);
              a.part[i] = b.part[i] != b.part[i] ? a.part[i] : m;)
  return a;
}
FUSEC_INLINE f32x16 minnum(f32x16 a, f32x16 b) {
  FUSEC_PARTS(i, const detail::f32v m =
                     detail::less_or_second(a.part[i], b.part[i]);
              a.part[i] = b.part[i] != b.part[i] ? a.part[i] : m;)
  return a;
}

FUSEC_INLINE i32x16 bits_of(f32x16 x) {
  i32x16 bits;
  FUSEC_PARTS(i, bits.part[i] = reinterpret_cast<detail::i32v>(x.part[i]);)
  return bits;
}
FUSEC_INLINE f32x16 f32_from_bits(i32x16 bits) {
  f32x16 x;
  FUSEC_PARTS(i, x.part[i] = reinterpret_cast<detail::f32v>(bits.part[i]);)
  return x;
}

/// Correctly rounded.
FUSEC_INLINE f32x16 sqrt(f32x16 a) {
  FUSEC_PARTS(i, detail::square_root(a.part[i], a.part[i]);)
  return a;
}

// --- integers: overflow wraps, so the lanes are unsigned while they are added

#define FUSEC_WRAPPING(V, S, U, FOR, name, op)                                 \
  FUSEC_INLINE V name(V a, V b) {                                              \
    FOR(i, a.part[i] = reinterpret_cast<S>(reinterpret_cast<U>(                \
               a.part[i]) op reinterpret_cast<U>(b.part[i]));)                 \
    return a;                                                                  \
  }
// Division has no vector instruction; lane by lane, without traps.
#define FUSEC_BY_LANE(V, FOR, name)                                            \
  FUSEC_INLINE V name(V a, V b) {                                              \
    constexpr int n =                                                          \
        static_cast<int>(sizeof(a.part[0]) / sizeof(a.part[0][0]));            \
    FOR(i, for (int l = 0; l < n; ++l) a.part[i][l] =                          \
               name(a.part[i][l], b.part[i][l]);)                              \
    return a;                                                                  \
  }
#define FUSEC_INTEGER(V, S, U, FOR)                                            \
  FUSEC_WRAPPING(V, S, U, FOR, add, +)                                         \
  FUSEC_WRAPPING(V, S, U, FOR, sub, -)                                         \
  FUSEC_WRAPPING(V, S, U, FOR, mul, *)                                         \
  FUSEC_WRAPPING(V, S, U, FOR, bit_and, &)                                     \
  FUSEC_WRAPPING(V, S, U, FOR, bit_or, |)                                      \
  FUSEC_WRAPPING(V, S, U, FOR, bit_xor, ^)                                     \
  FUSEC_WRAPPING(V, S, U, FOR, shl, <<)                                        \
  FUSEC_WRAPPING(V, S, U, FOR, shr_logic, >>)                                  \
  FUSEC_BY_LANE(V, FOR, div)                                                   \
  FUSEC_BY_LANE(V, FOR, fmod)                                                  \
  FUSEC_BY_LANE(V, FOR, mod)                                                   \
  FUSEC_BY_LANE(V, FOR, div_floor)                                             \
  FUSEC_BY_LANE(V, FOR, div_unsigned)                                          \
  FUSEC_BY_LANE(V, FOR, fmod_unsigned)                                         \
  FUSEC_INLINE V shr_arith(V a, V b) {                                         \
    FOR(i, a.part[i] = a.part[i] >> b.part[i];)                                \
    return a;                                                                  \
  }                                                                            \
  FUSEC_INLINE V bit_not(V a) {                                                \
    FOR(i, a.part[i] = ~a.part[i];)                                            \
    return a;                                                                  \
  }                                                                            \
  FUSEC_INLINE V operator+(V a, V b) { return add(a, b); }                     \
  FUSEC_INLINE V operator-(V a, V b) { return sub(a, b); }                     \
  FUSEC_INLINE V operator*(V a, V b) { return mul(a, b); }                     \
  FUSEC_INLINE V operator/(V a, V b) { return div(a, b); }                     \
  FUSEC_INLINE V operator%(V a, V b) { return fmod(a, b); }                    \
  FUSEC_INLINE V operator&(V a, V b) { return bit_and(a, b); }                 \
  FUSEC_INLINE V operator|(V a, V b) { return bit_or(a, b); }                  \
  FUSEC_INLINE V operator^(V a, V b) { return bit_xor(a, b); }                 \
  FUSEC_INLINE V operator<<(V a, V b) { return shl(a, b); }                    \
  FUSEC_INLINE V operator>>(V a, V b) { return shr_arith(a, b); }              \
  FUSEC_INLINE V operator~(V a) { return bit_not(a); }                         \
  FUSEC_INLINE V operator-(V a) { return sub(V(0), a); }                       \
  FUSEC_INLINE V neg(V a) { return sub(V(0), a); }                             \
  FUSEC_INLINE V max(V a, V b) { return select(gt(a, b), a, b); }              \
  FUSEC_INLINE V min(V a, V b) { return select(lt(a, b), a, b); }              \
  FUSEC_INLINE V abs(V a) { return select(lt(a, V(0)), -a, a); }               \
  FUSEC_INLINE V sign(V a) {                                                   \
    return select(gt(a, V(0)), V(1), select(lt(a, V(0)), V(-1), V(0)));        \
  }
FUSEC_INTEGER(i32x16, detail::i32v, detail::u32v, FUSEC_PARTS)
FUSEC_INTEGER(i64x16, detail::i64v, detail::u64v, FUSEC_HALVES)
#undef FUSEC_INTEGER
#undef FUSEC_BY_LANE
#undef FUSEC_WRAPPING

// --- floats by their bits

FUSEC_INLINE f32x16 abs(f32x16 a) {
  return f32_from_bits(bits_of(a) & i32x16(0x7fffffff));
}
FUSEC_INLINE f32x16 copysign(f32x16 a, f32x16 s) {
  const i32x16 sign_bit(static_cast<int32_t>(0x80000000u));
  return f32_from_bits((bits_of(a) & ~sign_bit) | (bits_of(s) & sign_bit));
}
FUSEC_INLINE f32x16 sign(f32x16 a) {
  return select(a > 0.0f, 1.0f, select(a < 0.0f, f32x16(-1.0f), a));
}
FUSEC_INLINE mask16 isnan(f32x16 a) { return a != a; }
FUSEC_INLINE mask16 isinf(f32x16 a) { return abs(a) == FUSEC_INF; }
FUSEC_INLINE mask16 isfinite(f32x16 a) { return abs(a) < FUSEC_INF; }

// --- double

FUSEC_INLINE f64x16 operator-(f64x16 a) {
  FUSEC_HALVES(i, a.part[i] = -a.part[i];)
  return a;
}
FUSEC_INLINE f64x16 neg(f64x16 a) { return -a; }

FUSEC_INLINE f64x16 fma(f64x16 a, f64x16 b, f64x16 c) {
  FUSEC_HALVES(i, c.part[i] =
                      detail::multiply_add(a.part[i], b.part[i], c.part[i]);)
  return c;
}

FUSEC_INLINE f64x16 max(f64x16 a, f64x16 b) {
  FUSEC_HALVES(i, const detail::f64v m =
                      b.part[i] > a.part[i] ? b.part[i] : a.part[i];
               a.part[i] = b.part[i] != b.part[i] ? b.part[i] : m;)
  return a;
}
FUSEC_INLINE f64x16 min(f64x16 a, f64x16 b) {
  FUSEC_HALVES(i, const detail::f64v m =
                      b.part[i] < a.part[i] ? b.part[i] : a.part[i];
               a.part[i] = b.part[i] != b.part[i] ? b.part[i] : m;)
  return a;
}
FUSEC_INLINE f64x16 maxnum(f64x16 a, f64x16 b) {
  return select(a > b, a, select(b != b, a, b));
}
FUSEC_INLINE f64x16 minnum(f64x16 a, f64x16 b) {
  return select(a < b, a, select(b != b, a, b));
}

FUSEC_INLINE i64x16 bits_of(f64x16 x) {
  i64x16 bits;
  FUSEC_HALVES(i, bits.part[i] = reinterpret_cast<detail::i64v>(x.part[i]);)
  return bits;
}
FUSEC_INLINE f64x16 f64_from_bits(i64x16 bits) {
  f64x16 x;
  FUSEC_HALVES(i, x.part[i] = reinterpret_cast<detail::f64v>(bits.part[i]);)
  return x;
}
FUSEC_INLINE f64x16 abs(f64x16 a) {
  return f64_from_bits(bits_of(a) & i64x16(int64_t{0x7fffffffffffffff}));
}
FUSEC_INLINE f64x16 copysign(f64x16 a, f64x16 s) {
  const i64x16 rest(int64_t{0x7fffffffffffffff});
  return f64_from_bits((bits_of(a) & rest) | (bits_of(s) & ~rest));
}
FUSEC_INLINE f64x16 sign(f64x16 a) {
  return select(a > 0.0, 1.0, select(a < 0.0, f64x16(-1.0), a));
}
FUSEC_INLINE mask16 isnan(f64x16 a) { return a != a; }
FUSEC_INLINE mask16 isinf(f64x16 a) { return abs(a) == __builtin_inf(); }
FUSEC_INLINE mask16 isfinite(f64x16 a) { return abs(a) < __builtin_inf(); }

// --- floats of both widths: a scalar bound converts

FUSEC_INLINE f64x16 clamp(f64x16 x, f64x16 lo, f64x16 hi) {
  return min(max(x, lo), hi);
}
FUSEC_INLINE f32x16 clamp(f32x16 x, f32x16 lo, f32x16 hi) {
  return min(max(x, lo), hi);
}
FUSEC_INLINE f32x16 clamp(f32x16 x, float lo, float hi) {
  return min(max(x, lo), hi);
}

FUSEC_INLINE f32x16 rcp(f32x16 x) { return 1.0f / x; }
FUSEC_INLINE f64x16 rcp(f64x16 x) { return 1.0 / x; }
FUSEC_INLINE f32x16 rsqrt(f32x16 x) { return 1.0f / sqrt(x); }

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
