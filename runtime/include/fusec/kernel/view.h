// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors whose extents stand in their types, so that kernels use the tensors'
// own subscripts.
#ifndef FUSEC_KERNEL_VIEW_H
#define FUSEC_KERNEL_VIEW_H

#include "fusec/kernel/config.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

/// The index of a loop under FUSEC_UNROLL, and sums with it: i, i_tile * 4 + i.
/// It is an int64_t, but what is constant once the loop is unrolled stays apart
/// from the rest. Both are multiplied by the strides of a tensor, and compilers
/// do not multiply out (g++ never does): the constant part becomes an offset in
/// the instruction, and needs no register.
struct Unrolled {
  int64_t constant, rest;

  FUSEC_INLINE Unrolled(int64_t number, int64_t variable = 0)
      : constant(number), rest(variable) {}
  FUSEC_INLINE operator int64_t() const { return rest + constant; }
  FUSEC_INLINE void operator++() { ++constant; }
  FUSEC_INLINE void operator+=(int64_t step) { constant += step; }
};

FUSEC_INLINE Unrolled operator+(Unrolled a, Unrolled b) {
  return {a.constant + b.constant, a.rest + b.rest};
}
FUSEC_INLINE Unrolled operator-(Unrolled a, Unrolled b) {
  return {a.constant - b.constant, a.rest - b.rest};
}
// Literals are ints, all else is of 64 bits.
FUSEC_INLINE Unrolled operator+(Unrolled a, int b) {
  return {a.constant + b, a.rest};
}
FUSEC_INLINE Unrolled operator+(int a, Unrolled b) { return b + a; }
FUSEC_INLINE Unrolled operator-(Unrolled a, int b) {
  return {a.constant - b, a.rest};
}
FUSEC_INLINE Unrolled operator-(int a, Unrolled b) {
  return {a - b.constant, -b.rest};
}
FUSEC_INLINE Unrolled operator*(Unrolled a, int b) {
  return {a.constant * b, a.rest * b};
}
FUSEC_INLINE int64_t operator*(Unrolled a, int64_t b) {
  return (a.constant + a.rest) * b;
}
FUSEC_INLINE Unrolled operator+(Unrolled a, int64_t b) {
  return {a.constant, a.rest + b};
}
FUSEC_INLINE Unrolled operator+(int64_t a, Unrolled b) { return b + a; }
FUSEC_INLINE Unrolled operator-(Unrolled a, int64_t b) {
  return {a.constant, a.rest - b};
}
FUSEC_INLINE Unrolled operator-(int64_t a, Unrolled b) {
  return {-b.constant, a - b.rest};
}

namespace detail {

/// What a view gives: the element itself, unless it has no address.
template <class T> struct element {
  typedef T &type;
  static FUSEC_INLINE T &at(T *p, int64_t rest, int64_t constant) {
    return (p + rest)[constant];
  }
};

struct Subscript {
  typedef int64_t type;
  int64_t constant, rest;

  FUSEC_INLINE Subscript(int literal) : constant(literal), rest(0) {}
  FUSEC_INLINE Subscript(int64_t variable) : constant(0), rest(variable) {}
  FUSEC_INLINE Subscript(Unrolled index)
      : constant(index.constant), rest(index.rest) {}
};

/// One for each extent.
template <class Subscript, int64_t Extent> struct subscript {
  typedef Subscript type;
};

/// A view whose places are computed in the type of its subscripts.
template <class Subscript, class T, int64_t... Extents> struct view {
  T *data;

  typedef typename detail::element<T>::type element;
  typedef typename Subscript::type index;

  FUSEC_INLINE element
  operator()(typename subscript<Subscript, Extents>::type... at) const {
    index constant = 0, rest = 0;
    ((constant = constant * static_cast<index>(Extents) + at.constant), ...);
    ((rest = rest * static_cast<index>(Extents) + at.rest), ...);
    return detail::element<T>::at(data, rest, constant);
  }

  /// The element that lies `place` elements after the first one, in whichever
  /// row that is.
  FUSEC_INLINE element operator[](Subscript place) const {
    return detail::element<T>::at(data, place.rest, place.constant);
  }

  /// How far apart the elements are whose subscripts number `dim` differ by
  /// one.
  static constexpr int64_t stride(int dim) {
    int64_t result = 1;
    ((dim-- < 0 ? result *= Extents : result), ...);
    return result;
  }
};

} // namespace detail

/// The tensor at `data`, row after row: x(i, j) is an element, and vectors go
/// to and from &x(i, j). Nothing checks subscripts: those of a vector whose
/// first lanes are masked may well be negative.
template <class T, int64_t... Extents>
using View = detail::view<detail::Subscript, T, Extents...>;

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
