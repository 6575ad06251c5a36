// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of 4 bits, two to a byte: weights, as fusec packs them.
#ifndef FUSEC_KERNEL_NIBBLES_H
#define FUSEC_KERNEL_NIBBLES_H

#include "fusec/kernel/dot.h"
#include "fusec/kernel/view.h"

#if FUSEC_LANES
#include "fusec/kernel/lanes.h"
#endif

namespace fusec {

inline namespace FUSEC_ISA_NS {

/// Element `at` of those at p.
template <class P> struct nibble_place {
  const P *p;
  int64_t at;
};
template <class P> FUSEC_INLINE nibble_place<P> nibble(const P *p, int64_t at) {
  return {p, at};
}

namespace detail {

/// A view of them gives places, which loads take as they are. Whole groups that
/// are known while compiling are part of an address.
template <class P> struct nibble_element {
  typedef nibble_place<P> type;
  static FUSEC_INLINE type at(const P *p, int64_t rest, int64_t constant) {
    return {p + constant / 16 * 8, rest + constant % 16};
  }
};
template <> struct element<const u4x2> : nibble_element<u4x2> {};
template <> struct element<const i4x2> : nibble_element<i4x2> {};

/// The byte that element x.at, which begins one, is in. Numbers are not
/// negative.
template <class P> FUSEC_INLINE const P *begin_of(nibble_place<P> x) {
  return x.p + static_cast<uint64_t>(x.at) / 2;
}

template <class P> FUSEC_INLINE int32_t half_byte(nibble_place<P> x) {
  const int64_t lane = x.at % 16;
  const int32_t byte = x.p[x.at / 16 * 8 + lane % 2 * 4 + lane / 4].bits;
  return lane % 4 < 2 ? byte & 15 : byte >> 4;
}

FUSEC_INLINE int32_t with_sign(int32_t v, const u4x2 *) { return v; }
FUSEC_INLINE int32_t with_sign(int32_t v, const i4x2 *) { return (v ^ 8) - 8; }

} // namespace detail

template <class P> FUSEC_INLINE int32_t load(nibble_place<P> x) {
  return detail::with_sign(detail::half_byte(x), x.p);
}

#if FUSEC_LANES
namespace detail {

FUSEC_INLINE i32x16 with_sign(i32x16 v, const u4x2 *) { return v; }
FUSEC_INLINE i32x16 with_sign(i32x16 v, const i4x2 *) {
  return (v ^ i32x16(8)) - i32x16(8);
}

/// The 16 elements from one that begins a group.
template <class P> FUSEC_INLINE i32x16 load16(nibble_place<P> x) {
  const P *p = begin_of(x);
  i32x16 v;
#if FUSEC_LANES == 16
  v.part[0] = extended_nibbles(p);
#else
  int32_t even, odd;
  copy(&even, p, sizeof(even));
  copy(&odd, p + sizeof(even), sizeof(odd));
#if FUSEC_LANES == 8
  const i32v words = {even, odd, even, odd, even, odd, even, odd};
  const i32v by = {0, 0, 4, 4, 8, 8, 12, 12};
  FUSEC_PARTS(i, v.part[i] = words >> (by + i * 16) & 15;)
#else
  // One number for all lanes: not every instruction set shifts each by its own.
  const i32v words = {even, odd, even, odd};
  const i32v first = {15, 15, 0, 0}, second = {0, 0, 15, 15};
  FUSEC_PARTS(i, v.part[i] = (words >> (i * 8) & first) |
                             (words >> (i * 8 + 4) & second);)
#endif
#endif
  return with_sign(v, p);
}

FUSEC_INLINE i32x16 with_signs(i32x16 v, const u4x2 *) { return v; }
/// The sign of the low half of each byte, whose high half is 0, in all of it.
FUSEC_INLINE i32x16 with_signs(i32x16 v, const i4x2 *) {
  const i32x16 sign = v & i32x16(0x08080808);
  return v | sign << i32x16(1) | sign << i32x16(2) | sign << i32x16(3) |
         sign << i32x16(4);
}

#if FUSEC_LANES != 16
/// The bytes 0 to 3 of words, each of which four lanes have in turn: 4, 5, 6
/// and 7 have those of the second one.
FUSEC_INLINE i32v bytes_of(const int32_t *words) {
  i32v bytes;
  for (int l = 0; l < FUSEC_LANES; ++l)
    bytes[l] = words[l / 4 * 2] >> l % 4 * 8 & 255;
  return bytes;
}
#endif

/// The quads of 16 lanes, of 64 elements from one that begins a group.
template <class P> FUSEC_INLINE i32x16 quads16(nibble_place<P> x) {
  const P *p = begin_of(x);
  i32x16 v;
#if FUSEC_LANES == 16
  v.part[0] = nibble_quads(p);
#else
  int32_t words[8]; // Of each group those of the even ones, then of the odd.
  copy(words, p, sizeof(words));
  FUSEC_PARTS(i, const i32v even = bytes_of(words + i * (FUSEC_LANES / 2));
              const i32v odd = bytes_of(words + i * (FUSEC_LANES / 2) + 1);
              v.part[i] = (even & 15) | (odd & 15) << 8 | (even & 240) << 12 |
                          (odd & 240) << 20;)
#endif
  return with_signs(v, p);
}

/// The same as V.
template <class V> struct nibbles_as {
  template <class P> static FUSEC_INLINE V load(nibble_place<P> x) {
    return to<V>(load16(x));
  }
};
#if FUSEC_LANES == 16
// Looked up: that takes fewer instructions than to mask, extend and convert.
template <> struct nibbles_as<f32x16> {
  static FUSEC_INLINE f32v numbers(const u4x2 *) {
    return f32v{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  }
  static FUSEC_INLINE f32v numbers(const i4x2 *) {
    return f32v{0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1};
  }
  template <class P> static FUSEC_INLINE f32x16 load(nibble_place<P> x) {
    f32x16 v;
    v.part[0] = looked_up_nibbles(begin_of(x), numbers(x.p));
    return v;
  }
};
#endif

} // namespace detail

/// The quads of 16 lanes, one after the other, of which the first element
/// begins a group.
template <class V, class P> FUSEC_INLINE V quads(nibble_place<P> x) {
  return detail::quads16(x);
}
/// 16 elements, of which the first one begins a group; groups are whole.
template <class V, class P> FUSEC_INLINE V load(nibble_place<P> x) {
  return detail::nibbles_as<V>::load(x);
}
/// Lanes outside of m give 0 or `fill`, a scalar or a V.
template <class V, class P>
FUSEC_INLINE V load(nibble_place<P> x, mask16 m) {
  return select(m, load<V>(x), V{});
}
template <class V, class P, class F>
FUSEC_INLINE V load(nibble_place<P> x, mask16 m, F fill) {
  return select(m, load<V>(x), detail::as_vector<V>(fill));
}
/// Lane l: element x.at + idx[l]. Lanes outside of m read nothing and give 0 or
/// `fill`.
template <class V, class P, class I>
FUSEC_INLINE V gather(nibble_place<P> x, I idx, mask16 m) {
  int32_t buffer[16] = {};
  const uint32_t bits = detail::mask_bits(m);
  for (int l = 0; l < 16; ++l)
    if (bits >> l & 1u)
      buffer[l] = load(nibble(x.p, x.at + get(idx, l)));
  return load<V>(static_cast<const int32_t *>(buffer));
}
template <class V, class P, class I>
FUSEC_INLINE V gather(nibble_place<P> x, I idx) {
  return gather<V>(x, idx, broadcast(true));
}
template <class V, class P, class I, class F>
FUSEC_INLINE V gather(nibble_place<P> x, I idx, mask16 m, F fill) {
  return select(m, gather<V>(x, idx, m), detail::as_vector<V>(fill));
}
template <class P> FUSEC_INLINE void prefetch(nibble_place<P> x) {
  prefetch(detail::begin_of(x));
}
#endif // FUSEC_LANES

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
