// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores, which convert between the stored and the computed type.
#ifndef FUSEC_KERNEL_MEMORY_H
#define FUSEC_KERNEL_MEMORY_H

#include "fusec/kernel/float16.h"

#if FUSEC_LANES
#include "fusec/kernel/narrow.h"
#endif

namespace fusec {
inline namespace FUSEC_ISA_NS {

// --- one element

FUSEC_INLINE float load(const float *p) { return *p; }
FUSEC_INLINE double load(const double *p) { return *p; }
FUSEC_INLINE int32_t load(const int32_t *p) { return *p; }
FUSEC_INLINE int64_t load(const int64_t *p) { return *p; }
FUSEC_INLINE int32_t load(const int8_t *p) { return *p; }
FUSEC_INLINE int32_t load(const uint8_t *p) { return *p; }
FUSEC_INLINE int32_t load(const int16_t *p) { return *p; }
FUSEC_INLINE int32_t load(const uint16_t *p) { return *p; }
FUSEC_INLINE int64_t load(const uint32_t *p) { return *p; }
FUSEC_INLINE int64_t load(const uint64_t *p) {
  return static_cast<int64_t>(*p);
}
FUSEC_INLINE bool load(const bool *p) { return *p; }
FUSEC_INLINE float load(const f16 *p) { return detail::f32_of(*p); }
FUSEC_INLINE float load(const bf16 *p) { return detail::f32_of(*p); }

FUSEC_INLINE void store(float *p, float v) { *p = v; }
FUSEC_INLINE void store(double *p, double v) { *p = v; }
FUSEC_INLINE void store(int32_t *p, int32_t v) { *p = v; }
FUSEC_INLINE void store(int64_t *p, int64_t v) { *p = v; }
FUSEC_INLINE void store(int8_t *p, int32_t v) { *p = static_cast<int8_t>(v); }
FUSEC_INLINE void store(uint8_t *p, int32_t v) { *p = static_cast<uint8_t>(v); }
FUSEC_INLINE void store(int16_t *p, int32_t v) { *p = static_cast<int16_t>(v); }
FUSEC_INLINE void store(uint16_t *p, int32_t v) {
  *p = static_cast<uint16_t>(v);
}
FUSEC_INLINE void store(uint32_t *p, int64_t v) {
  *p = static_cast<uint32_t>(v);
}
FUSEC_INLINE void store(uint64_t *p, int64_t v) {
  *p = static_cast<uint64_t>(v);
}
FUSEC_INLINE void store(bool *p, bool v) { *p = v; }
FUSEC_INLINE void store(f16 *p, float v) { *p = detail::f16_of(v); }
FUSEC_INLINE void store(bf16 *p, float v) { *p = detail::bf16_of(v); }

#if FUSEC_LANES
namespace detail {

/// A scalar, or a V already, as a V.
template <class V, class S> FUSEC_INLINE V as_vector(S x) { return x; }
template <> FUSEC_INLINE mask16 as_vector<mask16>(bool x) {
  return broadcast(x);
}

/// The vector that 16 elements of P become.
template <class P> struct loaded;
template <> struct loaded<float> : lanewise<float> {};
template <> struct loaded<f16> : lanewise<float> {};
template <> struct loaded<bf16> : lanewise<float> {};
template <> struct loaded<int32_t> : lanewise<int32_t> {};
template <> struct loaded<int8_t> : lanewise<int32_t> {};
template <> struct loaded<uint8_t> : lanewise<int32_t> {};
template <> struct loaded<int64_t> : lanewise<int64_t> {};
template <> struct loaded<double> : lanewise<double> {};
template <> struct loaded<int16_t> : lanewise<int32_t> {};
template <> struct loaded<uint16_t> : lanewise<int32_t> {};
template <> struct loaded<uint32_t> : lanewise<int64_t> {};
template <> struct loaded<uint64_t> : lanewise<int64_t> {};
template <> struct loaded<bool> : lanewise<bool> {};

// --- sixteen elements in a row

FUSEC_INLINE f32x16 load16(const float *p) {
  f32x16 v;
  FUSEC_PARTS(i, v.part[i] = load_whole(p + i * lanes);)
  return v;
}

FUSEC_INLINE i32x16 load16(const int32_t *p) {
  i32x16 v;
  FUSEC_PARTS(i, copy(&v.part[i], p + i * lanes, sizeof(v.part[i]));)
  return v;
}

FUSEC_INLINE i64x16 load16(const int64_t *p) {
  i64x16 v;
  FUSEC_HALVES(i, copy(&v.part[i], p + i * (lanes / 2), sizeof(v.part[i]));)
  return v;
}

FUSEC_INLINE i64x16 load16(const uint64_t *p) {
  i64x16 v;
  FUSEC_HALVES(i, copy(&v.part[i], p + i * (lanes / 2), sizeof(v.part[i]));)
  return v;
}

FUSEC_INLINE f64x16 load16(const double *p) {
  f64x16 v;
  FUSEC_HALVES(i, copy(&v.part[i], p + i * (lanes / 2), sizeof(v.part[i]));)
  return v;
}

FUSEC_INLINE i64x16 load16(const uint32_t *p) {
  i32x16 v;
  FUSEC_PARTS(i, copy(&v.part[i], p + i * lanes, sizeof(v.part[i]));)
  return to<i64x16>(v) & i64x16(int64_t{0xffffffff});
}

FUSEC_INLINE f32x16 load16(const f16 *p) {
#ifdef FUSEC_CONVERTS_HALVES
  f32x16 v;
  FUSEC_PARTS(i, v.part[i] = load_halves(p + i * lanes);)
  return v;
#else
  return f32_from_f16_bits<f32x16>(load_extended<u16v>(p));
#endif
}
FUSEC_INLINE f32x16 load16(const bf16 *p) {
  return f32_from_bits(shl(load_extended<u16v>(p), i32x16(16)));
}
FUSEC_INLINE mask16 load16(const bool *p) { return load_extended<u8v>(p) != 0; }

FUSEC_INLINE void store16(float *p, f32x16 v) {
  FUSEC_PARTS(i, store_whole(p + i * lanes, v.part[i]);)
}

FUSEC_INLINE void store16(int32_t *p, i32x16 v) {
  FUSEC_PARTS(i, copy(p + i * lanes, &v.part[i], sizeof(v.part[i]));)
}

FUSEC_INLINE void store16(int64_t *p, i64x16 v) {
  FUSEC_HALVES(i, copy(p + i * (lanes / 2), &v.part[i], sizeof(v.part[i]));)
}

FUSEC_INLINE void store16(uint64_t *p, i64x16 v) {
  FUSEC_HALVES(i, copy(p + i * (lanes / 2), &v.part[i], sizeof(v.part[i]));)
}

FUSEC_INLINE void store16(double *p, f64x16 v) {
  FUSEC_HALVES(i, copy(p + i * (lanes / 2), &v.part[i], sizeof(v.part[i]));)
}

FUSEC_INLINE void store16(uint32_t *p, i64x16 v) {
  const i32x16 low = to<i32x16>(v);
  FUSEC_PARTS(i, copy(p + i * lanes, &low.part[i], sizeof(low.part[i]));)
}

FUSEC_INLINE void store16(f16 *p, f32x16 v) {
#ifdef FUSEC_CONVERTS_HALVES
  FUSEC_PARTS(i, store_halves(p + i * lanes, v.part[i]);)
#else
  store_narrowed<u16v>(p, f16_bits_from_f32<f32x16>(v));
#endif
}
FUSEC_INLINE void store16(bf16 *p, f32x16 v) {
  store_narrowed<u16v>(p, bf16_bits_from_f32<f32x16>(v));
}
FUSEC_INLINE void store16(bool *p, mask16 v) {
  store_narrowed<u8v>(p, select(v, i32x16(1), i32x16(0)));
}

// --- under a mask: through a buffer, unless the machine has an instruction

/// Where bit l is set: to[l * to_stride] = from[l * from_stride].
template <class P>
FUSEC_OUT_OF_LINE void copy_lanes(P *to, int64_t to_stride, const P *from,
                                  int64_t from_stride, uint32_t bits) {
  for (; bits != 0; bits &= bits - 1) {
    const int l = __builtin_ctz(bits);
    to[l * to_stride] = from[l * from_stride];
  }
}

/// The same. Bits that are known while compiling leave a few copies; tests of
/// 16 that are not would take compilers longer than all the text around them.
template <class P>
FUSEC_INLINE void copy_some(P *to, int64_t to_stride, const P *from,
                            int64_t from_stride, uint32_t bits) {
  if (!__builtin_constant_p(bits))
    return copy_lanes(to, to_stride, from, from_stride, bits);
  for (int l = 0; l < 16; ++l)
    if (bits >> l & 1u)
      to[l * to_stride] = from[l * from_stride];
}

template <class P>
FUSEC_INLINE typename loaded<P>::vector load16(const P *p, mask16 m) {
  const uint32_t bits = mask_bits(m);
  if (bits == 0xffffu)
    return load16(p);
  P buffer[16] = {};
  copy_some(buffer, 1, p, 1, bits);
  return load16(static_cast<const P *>(buffer));
}

template <class P>
FUSEC_INLINE void store16(P *p, typename loaded<P>::vector v, mask16 m) {
  const uint32_t bits = mask_bits(m);
  if (bits == 0xffffu)
    return store16(p, v);
  P buffer[16];
  store16(buffer, v);
  copy_some<P>(p, 1, buffer, 1, bits);
}

#define FUSEC_LOAD_PARTS(P, V, FOR, n, mask_of)                                \
  FUSEC_INLINE V load16(const P *p, mask16 m) {                                \
    V v;                                                                       \
    FOR(i, v.part[i] = load_part(p + i * (n), mask_of<i>(m));)                 \
    return v;                                                                  \
  }
#define FUSEC_STORE_PARTS(P, V, FOR, n, mask_of)                               \
  FUSEC_INLINE void store16(P *p, V v, mask16 m) {                             \
    FOR(i, store_part(p + i * (n), v.part[i], mask_of<i>(m));)                 \
  }
#ifdef FUSEC_MASKED_ACCESS
FUSEC_LOAD_PARTS(float, f32x16, FUSEC_PARTS, lanes, part_of)
FUSEC_LOAD_PARTS(int32_t, i32x16, FUSEC_PARTS, lanes, part_of)
FUSEC_STORE_PARTS(float, f32x16, FUSEC_PARTS, lanes, part_of)
FUSEC_STORE_PARTS(int32_t, i32x16, FUSEC_PARTS, lanes, part_of)
#else
FUSEC_INLINE f32x16 load16(const float *p, mask16 m) {
  const uint32_t bits = mask_bits(m);
  if (!__builtin_constant_p(bits))
    return load16<float>(p, m);
  f32x16 v;
  FUSEC_PARTS(i,
              v.part[i] = load_part(p + i * lanes, bits >> (i * lanes) & 15u);)
  return v;
}
#endif
// Elements of any size, where there are masks of them.
#ifdef FUSEC_BIT_MASKS
FUSEC_LOAD_PARTS(f16, f32x16, FUSEC_PARTS, lanes, part_of)
FUSEC_LOAD_PARTS(int8_t, i32x16, FUSEC_PARTS, lanes, part_of)
FUSEC_LOAD_PARTS(uint8_t, i32x16, FUSEC_PARTS, lanes, part_of)
FUSEC_LOAD_PARTS(int16_t, i32x16, FUSEC_PARTS, lanes, part_of)
FUSEC_LOAD_PARTS(uint16_t, i32x16, FUSEC_PARTS, lanes, part_of)
FUSEC_LOAD_PARTS(int64_t, i64x16, FUSEC_HALVES, lanes / 2, half_of)
FUSEC_INLINE f32x16 load16(const bf16 *p, mask16 m) {
  const auto bits = load16(reinterpret_cast<const uint16_t *>(p), m);
  return f32_from_bits(shl(bits, i32x16(16)));
}
FUSEC_STORE_PARTS(f16, f32x16, FUSEC_PARTS, lanes, part_of)
FUSEC_STORE_PARTS(int8_t, i32x16, FUSEC_PARTS, lanes, part_of)
FUSEC_STORE_PARTS(int16_t, i32x16, FUSEC_PARTS, lanes, part_of)
FUSEC_STORE_PARTS(int64_t, i64x16, FUSEC_HALVES, lanes / 2, half_of)
FUSEC_INLINE void store16(uint8_t *p, i32x16 v, mask16 m) {
  store16(reinterpret_cast<int8_t *>(p), v, m);
}
FUSEC_INLINE void store16(uint16_t *p, i32x16 v, mask16 m) {
  store16(reinterpret_cast<int16_t *>(p), v, m);
}
#endif
#undef FUSEC_LOAD_PARTS
#undef FUSEC_STORE_PARTS

} // namespace detail

/// 16 elements from p on. V is the vector that they become, or another that
/// they are then converted to.
template <class V, class P> FUSEC_INLINE V load(const P *p) {
  return to<V>(detail::load16(p));
}

/// Lanes outside of m are not read; they give 0.
template <class V, class P> FUSEC_INLINE V load(const P *p, mask16 m) {
  return to<V>(detail::load16(p, m));
}

/// Lanes outside of m are not read; they give `fill`, a scalar or a V.
template <class V, class P, class F>
FUSEC_INLINE V load(const P *p, mask16 m, F fill) {
  return select(m, to<V>(detail::load16(p, m)), detail::as_vector<V>(fill));
}

#define FUSEC_STORE(P, V)                                                      \
  FUSEC_INLINE void store(P *p, V v) { detail::store16(p, v); }                \
  FUSEC_INLINE void store(P *p, V v, mask16 m) { detail::store16(p, v, m); }
FUSEC_STORE(float, f32x16)
FUSEC_STORE(f16, f32x16)
FUSEC_STORE(bf16, f32x16)
FUSEC_STORE(int32_t, i32x16)
FUSEC_STORE(int8_t, i32x16)
FUSEC_STORE(uint8_t, i32x16)
FUSEC_STORE(int64_t, i64x16)
FUSEC_STORE(double, f64x16)
FUSEC_STORE(int16_t, i32x16)
FUSEC_STORE(uint16_t, i32x16)
FUSEC_STORE(uint32_t, i64x16)
FUSEC_STORE(uint64_t, i64x16)
FUSEC_STORE(bool, mask16)
#undef FUSEC_STORE
#endif // FUSEC_LANES

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
