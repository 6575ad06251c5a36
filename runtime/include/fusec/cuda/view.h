// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views whose places have 32 bits, for kernels of which that is known to be
// enough: a GPU multiplies numbers of 64 bits in several instructions.
#ifndef FUSEC_CUDA_VIEW_H
#define FUSEC_CUDA_VIEW_H

#include "fusec/kernel/view.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

/// The index of a loop under FUSEC_UNROLL, as Unrolled is. What is added is
/// of the rest, literals too: all copies of the loop's body share it.
struct Unrolled32 {
  int32_t constant, rest;

  FUSEC_INLINE Unrolled32(int32_t number, int32_t variable = 0)
      : constant(number), rest(variable) {}
  FUSEC_INLINE operator int32_t() const { return rest + constant; }
  FUSEC_INLINE void operator++() { ++constant; }
  FUSEC_INLINE void operator+=(int32_t step) { constant += step; }
};

FUSEC_INLINE Unrolled32 operator+(Unrolled32 a, Unrolled32 b) {
  return {a.constant + b.constant, a.rest + b.rest};
}
FUSEC_INLINE Unrolled32 operator-(Unrolled32 a, Unrolled32 b) {
  return {a.constant - b.constant, a.rest - b.rest};
}
FUSEC_INLINE Unrolled32 operator+(Unrolled32 a, int32_t b) {
  return {a.constant, a.rest + b};
}
FUSEC_INLINE Unrolled32 operator+(int32_t a, Unrolled32 b) { return b + a; }
FUSEC_INLINE Unrolled32 operator-(Unrolled32 a, int32_t b) {
  return {a.constant, a.rest - b};
}
FUSEC_INLINE Unrolled32 operator-(int32_t a, Unrolled32 b) {
  return {-b.constant, a - b.rest};
}
FUSEC_INLINE Unrolled32 operator*(Unrolled32 a, int32_t b) {
  return {a.constant * b, a.rest * b};
}

namespace detail {

struct Subscript32 {
  typedef int32_t type;
  int32_t constant, rest;

  FUSEC_INLINE Subscript32(int32_t at) : constant(0), rest(at) {}
  /// Of data: inside of its dimension it fits.
  FUSEC_INLINE Subscript32(int64_t at)
      : Subscript32(static_cast<int32_t>(at)) {}
  FUSEC_INLINE Subscript32(Unrolled32 index)
      : constant(index.constant), rest(index.rest) {}
};

} // namespace detail

/// A View of fewer than 2^31 elements, with subscripts of 32 bits.
template <class T, int64_t... Extents>
using View32 = detail::view<detail::Subscript32, T, Extents...>;

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
