// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of narrow integers side by side: several terms of a sum in one step.
#ifndef FUSEC_KERNEL_DOT_H
#define FUSEC_KERNEL_DOT_H

#include "fusec/kernel/scalar.h"

#if FUSEC_LANES
#include "fusec/kernel/arith.h"
#endif

namespace fusec {
inline namespace FUSEC_ISA_NS {

/// Two terms as one: the low halves of a (16 bits, with their sign) and of b.
FUSEC_INLINE int32_t pairs(int32_t a, int32_t b) {
  return static_cast<int32_t>((static_cast<uint32_t>(a) & 0xffff) |
                              (static_cast<uint32_t>(b) << 16));
}

/// The pair of p[0] and p[1], as it lies in the memory of a little-endian
/// machine.
FUSEC_INLINE int32_t pairs(const int16_t *p) {
  int32_t both;
  FUSEC_LIBM(memcpy)(&both, p, sizeof(both));
  return both;
}

/// Four terms as one: the low bytes of a, b, c and d, in this order from the
/// lowest bits.
FUSEC_INLINE int32_t quads(int32_t a, int32_t b, int32_t c, int32_t d) {
  const auto byte = [](int32_t term, int at) {
    return (static_cast<uint32_t>(term) & 0xff) << at;
  };
  return static_cast<int32_t>(byte(a, 0) | byte(b, 8) | byte(c, 16) |
                              byte(d, 24));
}

/// The quad of p[0] to p[3], as it lies in the memory of a little-endian
/// machine; T has one byte.
template <class T> FUSEC_INLINE int32_t quads(const T *p) {
  static_assert(sizeof(T) == 1, "a term of four has 8 bits");
  int32_t all;
  FUSEC_LIBM(memcpy)(&all, p, sizeof(all));
  return all;
}

/// a0 * b0 + a1 * b1 + c for the terms of the pairs a and b; wraps.
FUSEC_INLINE int32_t dot_pairs(int32_t a, int32_t b, int32_t c) {
  const int32_t first = static_cast<int16_t>(a) * static_cast<int16_t>(b);
  const int32_t second = (a >> 16) * (b >> 16);
  return add(add(first, second), c);
}

/// a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3 + c for the terms of the quads a,
/// which have no sign, and b, which have one; wraps.
FUSEC_INLINE int32_t dot_quads(int32_t a, int32_t b, int32_t c) {
  int32_t sum = 0;
  for (int at = 0; at < 32; at += 8)
    sum += static_cast<uint8_t>(a >> at) * static_cast<int8_t>(b >> at);
  return add(sum, c);
}

#if FUSEC_LANES
FUSEC_INLINE i32x16 pairs(i32x16 a, i32x16 b) {
  b = b << i32x16(16);
#ifdef FUSEC_MULTIPLIES_PAIRS
  FUSEC_PARTS(i, a.part[i] = detail::join_pairs(a.part[i], b.part[i]);)
  return a;
#else
  return (a & i32x16(0xffff)) | b;
#endif
}

FUSEC_INLINE i32x16 quads(i32x16 a, i32x16 b, i32x16 c, i32x16 d) {
  const i32x16 byte(0xff);
  return (a & byte) | ((b & byte) << i32x16(8)) | ((c & byte) << i32x16(16)) |
         (d << i32x16(24));
}

namespace detail {
/// What lies at p, as the lanes of V.
template <class V> FUSEC_INLINE V copy_lanes(const void *p) {
  V all;
  constexpr auto bytes = sizeof(all.part[0]);
  FUSEC_PARTS(i, FUSEC_LIBM(memcpy)(&all.part[i],
                                    static_cast<const char *>(p) + i * bytes,
                                    bytes);)
  return all;
}
} // namespace detail

/// The pairs of 16 lanes, one after the other from p[0] on.
template <class V> FUSEC_INLINE V pairs(const int16_t *p) {
  return detail::copy_lanes<V>(p);
}

/// The quads of 16 lanes, one after the other from p[0] on; T has one byte.
template <class V, class T> FUSEC_INLINE V quads(const T *p) {
  static_assert(sizeof(T) == 1, "a term of four has 8 bits");
  return detail::copy_lanes<V>(p);
}

FUSEC_INLINE i32x16 dot_pairs(i32x16 a, i32x16 b, i32x16 c) {
#ifdef FUSEC_MULTIPLIES_PAIRS
  FUSEC_PARTS(i,
              c.part[i] = detail::dot_pairs(a.part[i], b.part[i], c.part[i]);)
  return c;
#else
  const i32x16 half(16);
  return ((a << half) >> half) * ((b << half) >> half) +
         (a >> half) * (b >> half) + c;
#endif
}

FUSEC_INLINE i32x16 dot_quads(i32x16 a, i32x16 b, i32x16 c) {
#ifdef FUSEC_MULTIPLIES_PAIRS
  FUSEC_PARTS(i,
              c.part[i] = detail::dot_quads(a.part[i], b.part[i], c.part[i]);)
  return c;
#else
  const i32x16 byte(0xff);
  for (int at = 0; at < 32; at += 8)
    c = c + ((a >> i32x16(at)) & byte) * ((b << i32x16(24 - at)) >> i32x16(24));
  return c;
#endif
}
#endif // FUSEC_LANES

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
