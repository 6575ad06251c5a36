// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The native vectors of the instruction set, and bodies of functions on them
// for any compiler. They are templates: what a file of isa/ has besides is no
// template, and is taken where the types are its own.
#ifndef FUSEC_KERNEL_ISA_NATIVE_H
#define FUSEC_KERNEL_ISA_NATIVE_H

#ifndef FUSEC_LANES
#error "a file of fusec/kernel/isa includes this; include fusec/kernel/config.h"
#endif

// FUSEC_PARTS(i, statements): the statements once per native vector of a
// 16-lane value of 32-bit lanes, with i constant; FUSEC_HALVES(i, statements):
// the same for 64-bit lanes. Written out instead of looped, because a compiler
// splits an array into registers only after every loop over it is gone.
#define FUSEC_DO_(i, n, ...)                                                   \
  {                                                                            \
    constexpr int i = n;                                                       \
    __VA_ARGS__                                                                \
  }
#define FUSEC_DO_2_(i, ...)                                                    \
  FUSEC_DO_(i, 0, __VA_ARGS__) FUSEC_DO_(i, 1, __VA_ARGS__)
#define FUSEC_DO_4_(i, ...)                                                    \
  FUSEC_DO_2_(i, __VA_ARGS__)                                                  \
  FUSEC_DO_(i, 2, __VA_ARGS__) FUSEC_DO_(i, 3, __VA_ARGS__)
#define FUSEC_DO_8_(i, ...)                                                    \
  FUSEC_DO_4_(i, __VA_ARGS__)                                                  \
  FUSEC_DO_(i, 4, __VA_ARGS__)                                                 \
  FUSEC_DO_(i, 5, __VA_ARGS__)                                                 \
  FUSEC_DO_(i, 6, __VA_ARGS__) FUSEC_DO_(i, 7, __VA_ARGS__)
#if FUSEC_LANES == 16
#define FUSEC_PARTS(i, ...) FUSEC_DO_(i, 0, __VA_ARGS__)
#define FUSEC_HALVES(i, ...) FUSEC_DO_2_(i, __VA_ARGS__)
#elif FUSEC_LANES == 8
#define FUSEC_PARTS(i, ...) FUSEC_DO_2_(i, __VA_ARGS__)
#define FUSEC_HALVES(i, ...) FUSEC_DO_4_(i, __VA_ARGS__)
#else
#define FUSEC_PARTS(i, ...) FUSEC_DO_4_(i, __VA_ARGS__)
#define FUSEC_HALVES(i, ...) FUSEC_DO_8_(i, __VA_ARGS__)
#endif

namespace fusec {
inline namespace FUSEC_ISA_NS {
namespace detail {

constexpr int lanes = FUSEC_LANES; // 32-bit lanes of a native vector
constexpr int parts = 16 / lanes;  // native vectors of a 16-lane value
constexpr int halves = 2 * parts;  // the same for 64-bit lanes

typedef float f32v __attribute__((vector_size(4 * FUSEC_LANES)));
typedef int32_t i32v __attribute__((vector_size(4 * FUSEC_LANES)));
typedef uint32_t u32v __attribute__((vector_size(4 * FUSEC_LANES)));
typedef int64_t i64v __attribute__((vector_size(4 * FUSEC_LANES)));
typedef uint64_t u64v __attribute__((vector_size(4 * FUSEC_LANES)));
typedef double f64v __attribute__((vector_size(4 * FUSEC_LANES)));
// As many 32-bit lanes as a native vector has 64-bit ones.
typedef int32_t i32h __attribute__((vector_size(2 * FUSEC_LANES)));
typedef float f32h __attribute__((vector_size(2 * FUSEC_LANES)));
// As many narrow lanes as a native vector has 32-bit ones.
typedef int8_t i8v __attribute__((vector_size(FUSEC_LANES)));
typedef uint8_t u8v __attribute__((vector_size(FUSEC_LANES)));
typedef int16_t i16v __attribute__((vector_size(2 * FUSEC_LANES)));
typedef uint16_t u16v __attribute__((vector_size(2 * FUSEC_LANES)));

} // namespace detail

/// 16 lanes of bool: a bit each where the instruction set has such masks, else
/// 32 bits each, all alike.
struct mask16 {
#ifdef FUSEC_BIT_MASKS
  uint16_t bits;
#else
  detail::i32v part[detail::parts];
#endif
};

namespace detail {

FUSEC_INLINE void copy(void *to, const void *from, int bytes) {
  __builtin_memcpy(to, from, static_cast<unsigned long>(bytes));
}

/// As many elements as a vector has lanes.
template <class P> FUSEC_INLINE f32v load_whole(const P *p) {
  f32v v;
  copy(&v, p, sizeof(v));
  return v;
}
template <class P> FUSEC_INLINE void store_whole(P *p, f32v v) {
  copy(p, &v, sizeof(v));
}

/// a * b + c, rounded once where the instruction set has it.
template <class V> FUSEC_INLINE V multiply_add(V a, V b, V c) {
  return a * b + c;
}

/// a / b; in two products where the instruction set has sums of them that round
/// once.
template <class V> FUSEC_INLINE V near_quotient(V a, float b) { return a / b; }

/// p > q ? p : q and p < q ? p : q, as the x86 instructions have it: q if
/// either is NaN.
template <class V> FUSEC_INLINE V greater_or_second(V p, V q) {
  return p > q ? p : q;
}
template <class V> FUSEC_INLINE V less_or_second(V p, V q) {
  return p < q ? p : q;
}

/// q where that is NaN, else p.
template <class V> FUSEC_INLINE V nan_or(V q, V p) { return q != q ? q : p; }

// Lane by lane into where the result is to be: g++ copies the lanes of a local.

/// root = sqrt(a), correctly rounded.
template <class V> FUSEC_INLINE void square_root(V &root, const V &a) {
  for (int l = 0; l < lanes; ++l)
    root[l] = __builtin_sqrtf(a[l]);
}

/// v = table[index mod 16].
template <class V>
FUSEC_INLINE void lookup_part(V &v, const float (&table)[16],
                              const i32v &index) {
  for (int l = 0; l < lanes; ++l)
    v[l] = table[index[l] & 15];
}

/// v = table[code mod 256].
template <class P, class V>
FUSEC_INLINE void look_up_part(V &v, const P *table, const V &codes) {
  for (int l = 0; l < lanes; ++l)
    v[l] = table[codes[l] & 255];
}

// g++ converts vectors in steps of twice the size, or lane by lane.
template <class Narrow> struct widened {
  typedef i32v type;
};
template <> struct widened<i8v> {
  typedef i16v type;
};
template <> struct widened<u8v> {
  typedef u16v type;
};

/// The integers at p, extended to 32 bits with the sign that Narrow has.
template <class Narrow> FUSEC_INLINE i32v extended(const void *p) {
  Narrow n;
  copy(&n, p, sizeof(n));
  return __builtin_convertvector(
      __builtin_convertvector(n, typename widened<Narrow>::type), i32v);
}

/// The low bits of 32.
template <class Narrow> FUSEC_INLINE Narrow narrowed(i32v v) {
  return __builtin_convertvector(
      __builtin_convertvector(v, typename widened<Narrow>::type), Narrow);
}

} // namespace detail
} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
