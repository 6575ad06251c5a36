// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Across lanes: numbering, single lanes, gathers, horizontal reductions.
#ifndef FUSEC_KERNEL_LANES_H
#define FUSEC_KERNEL_LANES_H

#include "fusec/kernel/memory.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {
template <class V> struct iota_of;
template <> struct iota_of<i32x16> {
  static FUSEC_INLINE i32x16 get() {
    const int32_t numbers[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                 8, 9, 10, 11, 12, 13, 14, 15};
    return load16(numbers);
  }
};
template <> struct iota_of<i64x16> {
  static FUSEC_INLINE i64x16 get() {
    return to<i64x16>(iota_of<i32x16>::get());
  }
};
template <> struct iota_of<f32x16> {
  static FUSEC_INLINE f32x16 get() {
    return to<f32x16>(iota_of<i32x16>::get());
  }
};
template <> struct iota_of<f64x16> {
  static FUSEC_INLINE f64x16 get() {
    return to<f64x16>(iota_of<i32x16>::get());
  }
};
} // namespace detail

/// 0, 1, 2, ... and base, base + 1, ...
template <class V> FUSEC_INLINE V iota() { return detail::iota_of<V>::get(); }
template <class V, class S> FUSEC_INLINE V iota(S base) {
  return detail::iota_of<V>::get() + V(base);
}

/// One lane as a scalar.
FUSEC_INLINE float get(f32x16 v, int lane) {
  return v.part[lane / detail::lanes][lane % detail::lanes];
}
FUSEC_INLINE int32_t get(i32x16 v, int lane) {
  return v.part[lane / detail::lanes][lane % detail::lanes];
}
FUSEC_INLINE int64_t get(i64x16 v, int lane) {
  constexpr int n = detail::lanes / 2;
  return v.part[lane / n][lane % n];
}
FUSEC_INLINE double get(f64x16 v, int lane) {
  constexpr int n = detail::lanes / 2;
  return v.part[lane / n][lane % n];
}
FUSEC_INLINE bool get(mask16 m, int lane) {
  return (detail::mask_bits(m) >> lane & 1u) != 0;
}

FUSEC_INLINE void prefetch(const void *p) { __builtin_prefetch(p); }
FUSEC_INLINE void prefetch_write(const void *p) { __builtin_prefetch(p, 1); }

// --- gathers and scatters

namespace detail {

template <class V, class P, class I>
FUSEC_INLINE V gather_by_lane(const P *p, I idx) {
  P buffer[16];
  for (int l = 0; l < 16; ++l)
    buffer[l] = p[get(idx, l)];
  return fusec::load<V>(static_cast<const P *>(buffer));
}
template <class V, class P, class I>
FUSEC_INLINE V gather_by_lane(const P *p, I idx, mask16 m) {
  P buffer[16] = {};
  const uint32_t bits = mask_bits(m);
  for (int l = 0; l < 16; ++l)
    if (bits >> l & 1u)
      buffer[l] = p[get(idx, l)];
  return fusec::load<V>(static_cast<const P *>(buffer));
}

template <class V> struct gather_words {
  template <class P, class I> static FUSEC_INLINE V all(const P *p, I idx) {
    return gather_by_lane<V>(p, idx);
  }
  template <class P, class I>
  static FUSEC_INLINE V some(const P *p, I idx, mask16 m) {
    return gather_by_lane<V>(p, idx, m);
  }
#ifdef FUSEC_GATHERS
  static FUSEC_INLINE V all(const float *p, i32x16 idx) {
    return some(p, idx, broadcast(true));
  }
  static FUSEC_INLINE V all(const int32_t *p, i32x16 idx) {
    return some(p, idx, broadcast(true));
  }
#endif
#ifdef FUSEC_MASKED_ACCESS
  static FUSEC_INLINE V some(const float *p, i32x16 idx, mask16 m) {
    f32x16 v;
    FUSEC_PARTS(i, v.part[i] = gather_part(p, idx.part[i], part_of<i>(m));)
    return to<V>(v);
  }
  static FUSEC_INLINE V some(const int32_t *p, i32x16 idx, mask16 m) {
    i32x16 v;
    FUSEC_PARTS(i, v.part[i] = gather_part(p, idx.part[i], part_of<i>(m));)
    return to<V>(v);
  }
#endif
};

} // namespace detail

/// Lane l: p[idx[l]]. Lanes outside of m read nothing and give 0 or `fill`.
template <class V, class P, class I> FUSEC_INLINE V gather(const P *p, I idx) {
  return detail::gather_words<V>::all(p, idx);
}
template <class V, class P, class I>
FUSEC_INLINE V gather(const P *p, I idx, mask16 m) {
  return detail::gather_words<V>::some(p, idx, m);
}
template <class V, class P, class I, class F>
FUSEC_INLINE V gather(const P *p, I idx, mask16 m, F fill) {
  return select(m, detail::gather_words<V>::some(p, idx, m),
                detail::as_vector<V>(fill));
}
template <class P> FUSEC_INLINE auto gather(const P *p, int64_t idx) {
  return load(p + idx);
}

/// Lane l: p[l * stride].
template <class V, class P>
FUSEC_INLINE V load_strided(const P *p, int64_t stride) {
  P buffer[16];
  for (int l = 0; l < 16; ++l)
    buffer[l] = p[l * stride];
  return load<V>(static_cast<const P *>(buffer));
}
template <class V, class P>
FUSEC_INLINE V load_strided(const P *p, int64_t stride, mask16 m) {
  P buffer[16] = {};
  detail::copy_some(buffer, 1, p, stride, detail::mask_bits(m));
  return load<V>(static_cast<const P *>(buffer));
}

namespace detail {
/// Lane l: p[2 * l] where m is set, which is all that is read, else 0.
FUSEC_INLINE f32x16 load_even(const float *p, mask16 m) {
#ifdef FUSEC_MASKED_ACCESS
  f32x16 v;
  FUSEC_PARTS(i, v.part[i] = load_even(p + 2 * i * lanes, part_of<i>(m));)
  return v;
#else
  const uint32_t bits = mask_bits(m);
  if (!__builtin_constant_p(bits))
    return load_strided<f32x16, float>(p, 2, m);
  f32x16 v;
  FUSEC_PARTS(i, v.part[i] =
                     load_even(p + 2 * i * lanes, bits >> (i * lanes) & 15u);)
  return v;
#endif
}

#ifdef FUSEC_MASKED_ACCESS
/// The same, of words, which are extended by zeros.
FUSEC_INLINE i32x16 load_even(const uint16_t *p, mask16 m) {
#ifdef FUSEC_BIT_MASKS
  i32x16 v;
  FUSEC_PARTS(i, v.part[i] = load_even(p + 2 * i * lanes, part_of<i>(m));)
  return v;
#else
  // With the word behind it, but for the last one, behind which may be nothing.
  const uint32_t bits = mask_bits(m);
  const int last = bits == 0 ? 0 : 31 - __builtin_clz(bits);
  const mask16 before = mask_lt(0, last);
  const i32x16 v = load16(reinterpret_cast<const int32_t *>(p), m & before);
  const i32x16 end(bits == 0 ? 0 : p[2 * last]);
  return select(before, v & i32x16(0xffff),
                select(mask_lt(0, last + 1), end, i32x16(0)));
#endif
}
FUSEC_INLINE f32x16 load_even(const f16 *p, mask16 m) {
  const i32x16 words = load_even(reinterpret_cast<const uint16_t *>(p), m);
  f32x16 v;
  FUSEC_PARTS(i, v.part[i] = halves_in(words.part[i]);)
  return v;
}
FUSEC_INLINE f32x16 load_even(const bf16 *p, mask16 m) {
  const i32x16 words = load_even(reinterpret_cast<const uint16_t *>(p), m);
  return f32_from_bits(shl(words, i32x16(16)));
}
#endif
} // namespace detail

#ifdef FUSEC_MASKED_ACCESS
#define FUSEC_LOAD_STRIDED(P)                                                  \
  template <class V> FUSEC_INLINE V load_strided(const P *p, int64_t stride) { \
    if (__builtin_constant_p(stride) && stride == 2)                           \
      return to<V>(detail::load_even(p, broadcast(true)));                     \
    return load_strided<V, P>(p, stride);                                      \
  }                                                                            \
  template <class V>                                                           \
  FUSEC_INLINE V load_strided(const P *p, int64_t stride, mask16 m) {          \
    if (__builtin_constant_p(stride) && stride == 2)                           \
      return to<V>(detail::load_even(p, m));                                   \
    return load_strided<V, P>(p, stride, m);                                   \
  }
FUSEC_LOAD_STRIDED(f16)
FUSEC_LOAD_STRIDED(bf16)
#undef FUSEC_LOAD_STRIDED
#endif

template <class V> FUSEC_INLINE V load_strided(const float *p, int64_t stride) {
  if (__builtin_constant_p(stride) && stride == 2)
    return to<V>(detail::load_even(p, broadcast(true)));
  return load_strided<V, float>(p, stride);
}
template <class V>
FUSEC_INLINE V load_strided(const float *p, int64_t stride, mask16 m) {
  if (__builtin_constant_p(stride) && stride == 2)
    return to<V>(detail::load_even(p, m));
#ifdef FUSEC_BUILDS_FROM_LANES
  const uint32_t bits = detail::mask_bits(m);
  if (__builtin_constant_p(bits)) {
    f32x16 v;
    FUSEC_PARTS(
        i, v.part[i] = detail::from_lanes(
               [=](int l) { return bits >> l & 1u ? p[l * stride] : 0.0f; },
               i * detail::lanes);)
    return to<V>(v);
  }
#endif
  return load_strided<V, float>(p, stride, m);
}
template <class V, class P, class F>
FUSEC_INLINE V load_strided(const P *p, int64_t stride, mask16 m, F fill) {
  return select(m, load_strided<V>(p, stride, m), detail::as_vector<V>(fill));
}

/// Lane l is written to p[l * stride], or to p[idx[l]]; where two lanes meet,
/// the higher one wins.
template <class P>
FUSEC_INLINE void store_strided(P *p, int64_t stride,
                                typename detail::loaded<P>::vector v) {
  P buffer[16];
  store(buffer, v);
  for (int l = 0; l < 16; ++l)
    p[l * stride] = buffer[l];
}
template <class P>
FUSEC_INLINE void store_strided(P *p, int64_t stride,
                                typename detail::loaded<P>::vector v,
                                mask16 m) {
  P buffer[16];
  store(buffer, v);
  detail::copy_some<P>(p, stride, buffer, 1, detail::mask_bits(m));
}
template <class P, class I>
FUSEC_INLINE void scatter(P *p, I idx, typename detail::loaded<P>::vector v) {
  P buffer[16];
  store(buffer, v);
  for (int l = 0; l < 16; ++l)
    p[get(idx, l)] = buffer[l];
}
template <class P, class I>
FUSEC_INLINE void scatter(P *p, I idx, typename detail::loaded<P>::vector v,
                          mask16 m) {
  P buffer[16];
  store(buffer, v);
  const uint32_t bits = detail::mask_bits(m);
  for (int l = 0; l < 16; ++l)
    if (bits >> l & 1u)
      p[get(idx, l)] = buffer[l];
}

// --- horizontal reductions, in the order of a binary tree: lane l with lane
// l + 8, then l + 4, l + 2, l + 1, whatever the width of the machine

namespace detail {

// Each step works on whole 16-lane values, of which only the low lanes count;
// the compiler drops the parts that no later step reads.
/// Lane l ^ N in lane l, for 32-bit lanes.
template <int N> FUSEC_INLINE f32x16 swapped(f32x16 v) {
  f32x16 r;
  if (N >= lanes) {
    FUSEC_PARTS(i, r.part[i] = v.part[i ^ (N / lanes)];)
  } else {
    constexpr int n = N < lanes ? N : 0;
    FUSEC_PARTS(i, r.part[i] = swap_lanes<n>(v.part[i]);)
  }
  return r;
}
template <int N> FUSEC_INLINE i32x16 swapped(i32x16 v) {
  return bits_of(swapped<N>(f32_from_bits(v)));
}

template <class V, class Op> FUSEC_INLINE auto reduce(V v, Op op) {
  v = op(v, swapped<8>(v));
  v = op(v, swapped<4>(v));
  v = op(v, swapped<2>(v));
  v = op(v, swapped<1>(v));
  return get(v, 0);
}
template <class S, class V, class Op> FUSEC_INLINE S reduce_wide(V v, Op op) {
  S lane[16];
  store16(lane, v);
  for (int n = 8; n >= 1; n /= 2)
    for (int l = 0; l < n; ++l)
      lane[l] = op(lane[l], lane[l + n]);
  return lane[0];
}
template <class Op> FUSEC_INLINE int64_t reduce(i64x16 v, Op op) {
  return reduce_wide<int64_t>(v, op);
}
template <class Op> FUSEC_INLINE double reduce(f64x16 v, Op op) {
  return reduce_wide<double>(v, op);
}

} // namespace detail

#define FUSEC_REDUCE(name, op)                                                 \
  FUSEC_INLINE float name(f32x16 v) { return detail::reduce(v, op()); }        \
  FUSEC_INLINE int32_t name(i32x16 v) { return detail::reduce(v, op()); }      \
  FUSEC_INLINE int64_t name(i64x16 v) { return detail::reduce(v, op()); }      \
  FUSEC_INLINE double name(f64x16 v) { return detail::reduce(v, op()); }
FUSEC_REDUCE(reduce_add, detail::op_add)
FUSEC_REDUCE(reduce_mul, detail::op_mul)
FUSEC_REDUCE(reduce_max, detail::op_max)
FUSEC_REDUCE(reduce_min, detail::op_min)
#undef FUSEC_REDUCE

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
