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
#if FUSEC_AVX512
  static FUSEC_INLINE V all(const float *p, i32x16 idx) {
    return some(p, idx, broadcast(true));
  }
  static FUSEC_INLINE V some(const float *p, i32x16 idx, mask16 m) {
    f32x16 v;
    v.part[0] =
        _mm512_mask_i32gather_ps(_mm512_setzero_ps(), m.bits,
                                 reinterpret_cast<__m512i>(idx.part[0]), p, 4);
    return to<V>(v);
  }
  static FUSEC_INLINE V all(const int32_t *p, i32x16 idx) {
    return some(p, idx, broadcast(true));
  }
  static FUSEC_INLINE V some(const int32_t *p, i32x16 idx, mask16 m) {
    i32x16 v;
    v.part[0] = reinterpret_cast<i32v>(_mm512_mask_i32gather_epi32(
        _mm512_setzero_si512(), m.bits, reinterpret_cast<__m512i>(idx.part[0]),
        p, 4));
    return to<V>(v);
  }
#elif FUSEC_AVX2
  // Without a mask, loads lane by lane are as fast (Intel) or twice as fast
  // (AMD).
  static FUSEC_INLINE V some(const float *p, i32x16 idx, mask16 m) {
    f32x16 v;
    FUSEC_PARTS(i, v.part[i] = _mm256_mask_i32gather_ps(
                       _mm256_setzero_ps(), p,
                       reinterpret_cast<__m256i>(idx.part[i]),
                       reinterpret_cast<__m256>(m.part[i]), 4);)
    return to<V>(v);
  }
  static FUSEC_INLINE V some(const int32_t *p, i32x16 idx, mask16 m) {
    i32x16 v;
    FUSEC_PARTS(
        i,
        v.part[i] = reinterpret_cast<i32v>(_mm256_mask_i32gather_epi32(
            _mm256_setzero_si256(), p, reinterpret_cast<__m256i>(idx.part[i]),
            reinterpret_cast<__m256i>(m.part[i]), 4));)
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
#if FUSEC_AVX512
FUSEC_INLINE f32x16 load_even(const float *p, mask16 m) {
  const uint32_t places = _pdep_u32(m.bits, 0x55555555u);
  const __m512 low = _mm512_maskz_loadu_ps(static_cast<__mmask16>(places), p);
  const __m512 high =
      _mm512_maskz_loadu_ps(static_cast<__mmask16>(places >> 16), p + 16);
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12,
                                        10, 8, 6, 4, 2, 0);
  f32x16 v;
  v.part[0] = _mm512_permutex2var_ps(low, even, high);
  return v;
}
#elif FUSEC_AVX2
FUSEC_INLINE f32v load_even(const float *p, i32v m) {
  if (is_known_full(m))
    return __builtin_shufflevector(_mm256_loadu_ps(p), _mm256_loadu_ps(p + 7),
                                   0, 2, 4, 6, 9, 11, 13, 15);
  const i64v even = splat(int64_t{0xffffffff});
  const f32v low = load_part(p, reinterpret_cast<i32v>(widen<0>(m) & even));
  const f32v high =
      load_part(p + 8, reinterpret_cast<i32v>(widen<1>(m) & even));
  return __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
}
FUSEC_INLINE f32x16 load_even(const float *p, mask16 m) {
  f32x16 v;
  FUSEC_PARTS(i, v.part[i] = load_even(p + 2 * i * lanes, m.part[i]);)
  return v;
}
#else
FUSEC_INLINE f32v load_even(const float *p, uint32_t bits) {
  if (bits == 15u) {
    f32v low, high;
    copy(&low, p, sizeof(low));
    copy(&high, p + 3, sizeof(high));
    return __builtin_shufflevector(low, high, 0, 2, 5, 7);
  }
  return f32v{bits & 1u ? p[0] : 0.0f, bits & 2u ? p[2] : 0.0f,
              bits & 4u ? p[4] : 0.0f, bits & 8u ? p[6] : 0.0f};
}
FUSEC_INLINE f32x16 load_even(const float *p, mask16 m) {
  const uint32_t bits = mask_bits(m);
  if (!__builtin_constant_p(bits))
    return load_strided<f32x16, float>(p, 2, m);
  f32x16 v;
  FUSEC_PARTS(i, v.part[i] =
                     load_even(p + 2 * i * lanes, bits >> (i * lanes) & 15u);)
  return v;
}
#endif
#if FUSEC_AVX2
/// Lane l: lane(l), which meet in a register. Of a buffer compilers make narrow
/// stores, and a load of eight lanes that waits until they are in the cache.
template <class Lane> FUSEC_INLINE f32x16 from_lanes(Lane lane) {
  f32x16 v;
  FUSEC_PARTS(i, const int n = i * lanes;
              v.part[i] =
                  (f32v{lane(n), lane(n + 1), lane(n + 2), lane(n + 3),
                        lane(n + 4), lane(n + 5), lane(n + 6), lane(n + 7)});)
  return v;
}
#endif
} // namespace detail

template <class V> FUSEC_INLINE V load_strided(const float *p, int64_t stride) {
  if (__builtin_constant_p(stride) && stride == 2)
    return to<V>(detail::load_even(p, broadcast(true)));
  return load_strided<V, float>(p, stride);
}
template <class V>
FUSEC_INLINE V load_strided(const float *p, int64_t stride, mask16 m) {
  if (__builtin_constant_p(stride) && stride == 2)
    return to<V>(detail::load_even(p, m));
#if FUSEC_AVX2
  const uint32_t bits = detail::mask_bits(m);
  if (__builtin_constant_p(bits))
    return to<V>(detail::from_lanes(
        [=](int l) { return bits >> l & 1u ? p[l * stride] : 0.0f; }));
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
#if FUSEC_LANES == 16
template <int N> FUSEC_INLINE f32v swap_lanes(f32v v) {
  return __builtin_shufflevector(v, v, 0 ^ N, 1 ^ N, 2 ^ N, 3 ^ N, 4 ^ N, 5 ^ N,
                                 6 ^ N, 7 ^ N, 8 ^ N, 9 ^ N, 10 ^ N, 11 ^ N,
                                 12 ^ N, 13 ^ N, 14 ^ N, 15 ^ N);
}
#elif FUSEC_LANES == 8
template <int N> FUSEC_INLINE f32v swap_lanes(f32v v) {
  return __builtin_shufflevector(v, v, 0 ^ N, 1 ^ N, 2 ^ N, 3 ^ N, 4 ^ N, 5 ^ N,
                                 6 ^ N, 7 ^ N);
}
#else
template <int N> FUSEC_INLINE f32v swap_lanes(f32v v) {
  return __builtin_shufflevector(v, v, 0 ^ N, 1 ^ N, 2 ^ N, 3 ^ N);
}
#endif

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
template <class S, class V, class Op>
FUSEC_INLINE S reduce_wide(V v, Op op) {
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
