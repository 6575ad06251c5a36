// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices of floats and of 8-bit integers, by units that the
// threads of a warp use together. GPUs have them from sm_80 on.
#ifndef FUSEC_CUDA_MATRICES_H
#define FUSEC_CUDA_MATRICES_H

#include "fusec/cuda/memory.h"
#include "fusec/cuda/threads.h"

#if !defined(__HIP__)

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

/// What a thread has of four matrices, whose elements are of type T: of f32,
/// which no unit multiplies, `words` and `rests` are numbers of tf32 whose sum
/// an element is, but for its last two bits.
template <class T> struct Fragment {
  uint32_t words[4];
};
template <> struct Fragment<float> {
  uint32_t words[4], rests[4];
};

/// A number of f32 that is rounded to the 11 bits that tf32 has.
FUSEC_INLINE uint32_t to_tf32(float x) {
  uint32_t rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
  return rounded;
}

/// Divides the elements that have been loaded into `words`, where they are f32.
template <class T> FUSEC_INLINE void split(Fragment<T> &) {}
FUSEC_INLINE void split(Fragment<float> &of) {
  FUSEC_UNROLL for (int i = 0; i < 4; ++i) {
    const float x = __uint_as_float(of.words[i]);
    of.words[i] = to_tf32(x);
    of.rests[i] = to_tf32(x - __uint_as_float(of.words[i]));
  }
}

/// Four matrices of 8 rows of 16 bytes from shared memory, of which thread
/// `8 * m + r` says where row r of matrix m begins. Thread t gets bytes
/// 4 * (t % 4) and the next three of row t / 4 of each.
FUSEC_INLINE void load_matrices(uint32_t (&to)[4], const void *row) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, "
               "[%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(at)
               : "memory");
}
/// The same of columns of 2 bytes: thread t gets rows 2 * (t % 4) and the next
/// one of column t / 4.
FUSEC_INLINE void load_transposed(uint32_t (&to)[4], const void *row) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, "
               "%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(at)
               : "memory");
}

/// 16x8 sums and 16 products for each: a is 16x16, and b 16x8; of integers 32
/// products. The pointers say of what elements.
FUSEC_INLINE void multiply_matrices(const f16 *, const f16 *, float (&sums)[4],
                                    const uint32_t (&a)[4], uint32_t b0,
                                    uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
FUSEC_INLINE void multiply_matrices(const bf16 *, const bf16 *,
                                    float (&sums)[4], const uint32_t (&a)[4],
                                    uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

#define FUSEC_MULTIPLY_BYTES(A, B, a_type, b_type)                             \
  FUSEC_INLINE void multiply_matrices(                                         \
      const A *, const B *, int32_t (&sums)[4], const uint32_t (&a)[4],        \
      uint32_t b0, uint32_t b1) {                                              \
    asm("mma.sync.aligned.m16n8k32.row.col.s32." a_type "." b_type             \
        ".s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "                  \
        "{%0, %1, %2, %3};"                                                    \
        : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])           \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));       \
  }
FUSEC_MULTIPLY_BYTES(int8_t, int8_t, "s8", "s8")
FUSEC_MULTIPLY_BYTES(int8_t, uint8_t, "s8", "u8")
FUSEC_MULTIPLY_BYTES(uint8_t, int8_t, "u8", "s8")
FUSEC_MULTIPLY_BYTES(uint8_t, uint8_t, "u8", "u8")
#undef FUSEC_MULTIPLY_BYTES
/// Of tf32 a is 16x8, and b 8x8.
FUSEC_INLINE void multiply_matrices(const float *, const float *,
                                    float (&sums)[4], const uint32_t (&a)[4],
                                    uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Adds the products of `a` and of matrices `m` and `m + 1` of `b`.
template <class T, class U, class V>
FUSEC_INLINE void add_products(V (&sums)[4], const Fragment<T> &a,
                               const Fragment<U> &b, int m) {
  multiply_matrices(static_cast<const T *>(nullptr),
                    static_cast<const U *>(nullptr), sums, a.words, b.words[m],
                    b.words[m + 1]);
}
/// Of the four products of two sums the smallest is left out, and the largest
/// is added last. This is the scheme of Markidis et al., "NVIDIA Tensor Core
/// Programmability, Performance & Precision" (2018), in tf32.
FUSEC_INLINE void add_products(float (&sums)[4], const Fragment<float> &a,
                               const Fragment<float> &b, int m) {
  const float *type = nullptr;
  multiply_matrices(type, type, sums, a.rests, b.words[m], b.words[m + 1]);
  multiply_matrices(type, type, sums, a.words, b.rests[m], b.rests[m + 1]);
  multiply_matrices(type, type, sums, a.words, b.words[m], b.words[m + 1]);
}

} // namespace detail

/// How a thread has its sums: `sums[row][column]`, or the other way round.
enum class Sums { rows_first, columns_first };

/// Adds products to each sum of a warp, 16 of 16-bit floats, 32 of integers, or
/// 8 of f32, which are nearly exact (see `Fragment`) where they are finite:
/// `sums[r][c]` of its thread `j * 4 + i` is that of row `r * 4 + i` and column
/// `c * 8 + j`. The factors lie in shared memory: the terms of a row side by
/// side, and rows `Row` elements apart; columns `Column` elements apart, and
/// their terms `Term`, one of which is 1, of integers the latter. Both begin at
/// multiples of 16 bytes, and so do their rows or columns.
template <int Row, int Column, int Term, Sums Order = Sums::rows_first, class V,
          int First, int Second, class T, class U>
FUSEC_INLINE void add_matrices(V (&sums)[First][Second], const T *rows,
                               const U *columns) {
  constexpr bool by_rows = Order == Sums::rows_first;
  constexpr int row_count = by_rows ? First : Second,
                column_count = by_rows ? Second : First;
  static_assert(row_count % 4 == 0 && column_count % 2 == 0, "whole matrices");
  static_assert(Term == 1 || sizeof(U) > 1, "bytes cannot be turned");
  constexpr int half = 16 / sizeof(T); // of the terms
  const int matrix = lane() / 8, at = lane() % 8;
  // Pairs of rows of one thread are neighbours in its registers, so that rows
  // go in the order 0, 4, 1, 5, ...
  const T *row =
      rows + (matrix / 2 * 8 + at % 2 * 4 + at / 2) * Row + matrix % 2 * half;
  constexpr bool is_turned = Term != 1 && sizeof(U) == 2;
  const U *column =
      Term == 1   ? columns + (matrix % 2 * 8 + at) * Column + matrix / 2 * half
      : is_turned ? columns + (matrix / 2 * 8 + at) * Term + matrix % 2 * 8
                  : columns + lane() % 4 * Term + lane() / 4;
  detail::Fragment<T> right[row_count / 4];
  FUSEC_UNROLL for (int r = 0; r < row_count / 4; ++r) {
    detail::load_matrices(right[r].words, row + r * 16 * Row);
    detail::split(right[r]);
  }
  FUSEC_UNROLL for (int c = 0; c < column_count / 2; ++c) {
    detail::Fragment<U> left;
    const U *first = column + c * 16 * Column;
    if constexpr (Term == 1)
      detail::load_matrices(left.words, first);
    else if constexpr (is_turned)
      detail::load_transposed(left.words, first);
    else // No instruction turns matrices of 4 bytes.
      FUSEC_UNROLL for (int m = 0; m < 4; ++m) left.words[m] =
          __float_as_uint(first[m / 2 * 4 * Term + m % 2 * 8 * Column]);
    detail::split(left);
    FUSEC_UNROLL for (int r = 0; r < row_count / 2; ++r) {
      auto sum = [&](int i, int j) -> V & {
        return by_rows ? sums[2 * r + i][2 * c + j]
                       : sums[2 * c + j][2 * r + i];
      };
      V own[4] = {sum(0, 0), sum(1, 0), sum(0, 1), sum(1, 1)};
      detail::add_products(own, left, right[r / 2], r % 2 * 2);
      sum(0, 0) = own[0];
      sum(1, 0) = own[1];
      sum(0, 1) = own[2];
      sum(1, 1) = own[3];
    }
  }
}

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
#endif
