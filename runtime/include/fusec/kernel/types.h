// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 16-lane values. Each is a struct of native vectors (one on AVX-512, two
// on AVX2, four elsewhere): wider GCC vectors than the machine has would live
// in memory, and would change the calling convention (-Wpsabi).
#ifndef FUSEC_KERNEL_TYPES_H
#define FUSEC_KERNEL_TYPES_H

#include "fusec/kernel/scalar.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

// Lets exactly the listed scalars convert to a vector: float must not become
// i32x16 by way of int.
template <class S, class Want> struct only {};
template <class S> struct only<S, S> {
  typedef int type;
};

} // namespace detail

// g++ copies an array member through memory, 16 bytes at a time; not so what is
// assigned part by part.
#define FUSEC_COPIED_(type, each_part)                                         \
  FUSEC_INLINE type(const type &other) {                                       \
    each_part(i, part[i] = other.part[i];)                                     \
  }                                                                            \
  FUSEC_INLINE type &operator=(const type &other) {                            \
    each_part(i, part[i] = other.part[i];) return *this;                       \
  }

/// 16 lanes of float.
struct f32x16 {
  detail::f32v part[detail::parts];

  f32x16() = default;
  FUSEC_COPIED_(f32x16, FUSEC_PARTS)
  template <class S, typename detail::only<S, float>::type = 0>
  FUSEC_INLINE f32x16(S x) {
    FUSEC_PARTS(i, part[i] = detail::splat(x);)
  }
};

/// 16 lanes of int32_t.
struct i32x16 {
  detail::i32v part[detail::parts];

  i32x16() = default;
  FUSEC_COPIED_(i32x16, FUSEC_PARTS)
  template <class S, typename detail::only<S, int32_t>::type = 0>
  FUSEC_INLINE i32x16(S x) {
    FUSEC_PARTS(i, part[i] = detail::splat(x);)
  }
};

/// 16 lanes of int64_t.
struct i64x16 {
  detail::i64v part[detail::halves];

  i64x16() = default;
  FUSEC_COPIED_(i64x16, FUSEC_HALVES)
  template <class S, typename detail::only<S, int64_t>::type = 0>
  FUSEC_INLINE i64x16(S x) {
    FUSEC_HALVES(i, part[i] = detail::splat(x);)
  }
  template <class S, typename detail::only<S, int32_t>::type = 0, int = 0>
  FUSEC_INLINE i64x16(S x) {
    FUSEC_HALVES(i, part[i] = detail::splat(int64_t{x});)
  }
};

/// 16 lanes of double.
struct f64x16 {
  detail::f64v part[detail::halves];

  f64x16() = default;
  FUSEC_COPIED_(f64x16, FUSEC_HALVES)
  template <class S, typename detail::only<S, double>::type = 0>
  FUSEC_INLINE f64x16(S x) {
    FUSEC_HALVES(i, part[i] = detail::splat(x);)
  }
};

#undef FUSEC_COPIED_

namespace detail {

/// The vector of a scalar and the other way round.
template <class S> struct lanewise;
template <> struct lanewise<float> {
  typedef f32x16 vector;
};
template <> struct lanewise<int32_t> {
  typedef i32x16 vector;
};
template <> struct lanewise<int64_t> {
  typedef i64x16 vector;
};
template <> struct lanewise<double> {
  typedef f64x16 vector;
};
template <> struct lanewise<bool> {
  typedef mask16 vector;
};

template <> struct integer_of<f32x16> {
  typedef i32x16 type;
};
template <> struct integer_of<f64x16> {
  typedef i64x16 type;
};

} // namespace detail

/// x in all lanes.
FUSEC_INLINE f32x16 broadcast(float x) { return f32x16(x); }
FUSEC_INLINE i32x16 broadcast(int32_t x) { return i32x16(x); }
FUSEC_INLINE i64x16 broadcast(int64_t x) { return i64x16(x); }
FUSEC_INLINE f64x16 broadcast(double x) { return f64x16(x); }
FUSEC_INLINE mask16 broadcast(bool x) {
  mask16 m;
#ifdef FUSEC_BIT_MASKS
  m.bits = x ? 0xffff : 0;
#else
  FUSEC_PARTS(i, m.part[i] = detail::splat(-static_cast<int32_t>(x));)
#endif
  return m;
}

namespace detail {
template <> struct zero_of<f32x16> {
  static FUSEC_INLINE f32x16 get() { return f32x16(0.0f); }
};
template <> struct zero_of<f64x16> {
  static FUSEC_INLINE f64x16 get() { return f64x16(0.0); }
};
template <> struct zero_of<mask16> {
  static FUSEC_INLINE mask16 get() { return broadcast(false); }
};
} // namespace detail

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
