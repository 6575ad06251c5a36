// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of tensors as numbers, where they lie, and what updates make of
// them: what routines on a CPU and on a GPU have in common.
#ifndef FUSEC_LIBRARY_ELEMENTS_H
#define FUSEC_LIBRARY_ELEMENTS_H

#include "fusec/element.h"

#if !defined(__CUDACC_RTC__)
#include <string.h>
#endif

#if defined(__CUDACC__)
#define FUSEC_ROUTINE __device__ inline
#else
#define FUSEC_ROUTINE inline
#endif

namespace fusec {
namespace library {

//===- Elements -----------------------------------------------------------===//

/// An element as a number that one computes with, and back; 16-bit floats are
/// computed as float and rounded to nearest, ties to even.
template <class T> FUSEC_ROUTINE T number(T element) { return element; }
template <class T> struct Element {
  static FUSEC_ROUTINE T from(T value) { return value; }
};

FUSEC_ROUTINE float float_from(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}
FUSEC_ROUTINE uint32_t bits_from(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

FUSEC_ROUTINE float number(bf16 element) {
  return float_from(uint32_t(element.bits) << 16);
}
FUSEC_ROUTINE float number(f16 element) {
  // Read as a float, the exponent is 112 too small; infinity and NaN keep an
  // exponent of all ones.
  const uint32_t magnitude = (element.bits & 0x7fffu) << 13;
  const uint32_t sign = (element.bits & 0x8000u) << 16;
  const uint32_t bits = magnitude >= 0x0f800000u
                            ? magnitude | 0x7f800000u
                            : bits_from(float_from(magnitude) * 0x1p112f);
  return float_from(bits | sign);
}

template <> struct Element<bf16> {
  static FUSEC_ROUTINE bf16 from(float value) {
    const uint32_t bits = bits_from(value);
    if (value != value)
      return {uint16_t(bits >> 16 | 0x40)};
    return {uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
  }
};
template <> struct Element<f16> {
  static FUSEC_ROUTINE f16 from(float value) {
    const uint32_t bits = bits_from(value), magnitude = bits & 0x7fffffffu;
    uint32_t half;
    if (magnitude > 0x7f800000u) // NaN
      half = 0x7e00u | (magnitude >> 13 & 0x3ffu);
    else if (magnitude >= 0x47800000u)
      half = 0x7c00u;
    else if (magnitude >= 0x38800000u)
      half = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    else // The last place of 0.5 is that of a subnormal.
      half = bits_from(float_from(magnitude) + 0.5f) - 0x3f000000u;
    return {uint16_t(half | (bits >> 16 & 0x8000u))};
  }
};

//===- Indices ------------------------------------------------------------===//

/// `index` counted from the front, or -1 where it lies outside of `extent`.
FUSEC_ROUTINE int64_t wrap_index(int64_t index, int64_t extent) {
  index += index < 0 ? extent : 0;
  return uint64_t(index) < uint64_t(extent) ? index : -1;
}

/// The distances of neighbours along each dimension of a row-major tensor.
template <int N> struct Strides {
  int64_t of[N];
  explicit FUSEC_ROUTINE Strides(const int64_t (&extents)[N]) {
    int64_t next = 1;
    for (int d = N; d-- > 0; next *= extents[d])
      of[d] = next;
  }
};

//===- Updates ------------------------------------------------------------===//

/// How an update combines with what is there; `none` replaces it.
enum class Reduction { none, add, mul, max, min };

namespace detail {

template <class N> constexpr bool is_integer = N(1) / N(2) == N(0);

/// Integers wrap.
template <class N> FUSEC_ROUTINE N sum(N a, N b) {
  if constexpr (is_integer<N>)
    return N(uint64_t(a) + uint64_t(b));
  else
    return a + b;
}
template <class N> FUSEC_ROUTINE N product(N a, N b) {
  if constexpr (is_integer<N>)
    return N(uint64_t(a) * uint64_t(b));
  else
    return N(a * b); // booleans are no integers here
}

/// NaN where either is NaN.
template <class N> FUSEC_ROUTINE N maximum(N a, N b) {
  return a > b || a != a ? a : b;
}
template <class N> FUSEC_ROUTINE N minimum(N a, N b) {
  return a < b || a != a ? a : b;
}

template <Reduction R, class T> FUSEC_ROUTINE void update(T &place, T element) {
  if constexpr (R == Reduction::none)
    place = element;
  else if constexpr (R == Reduction::add)
    place = Element<T>::from(sum(number(place), number(element)));
  else if constexpr (R == Reduction::mul)
    place = Element<T>::from(product(number(place), number(element)));
  else if constexpr (R == Reduction::max)
    place = Element<T>::from(maximum(number(place), number(element)));
  else
    place = Element<T>::from(minimum(number(place), number(element)));
}

template <Reduction R> struct Constant {
  static constexpr Reduction value = R;
};

/// Calls body with the reduction as a constant.
template <class Body>
FUSEC_ROUTINE void with(Reduction reduction, const Body &body) {
  using R = Reduction;
  switch (reduction) {
  case R::none:
    return body(Constant<R::none>());
  case R::add:
    return body(Constant<R::add>());
  case R::mul:
    return body(Constant<R::mul>());
  case R::max:
    return body(Constant<R::max>());
  case R::min:
    return body(Constant<R::min>());
  }
}

} // namespace detail
} // namespace library
} // namespace fusec

#endif
