// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices of 16-bit floats and of 8-bit integers, by units that
// the threads of a warp use together. GPUs have them from sm_80 on.
#ifndef FUSEC_CUDA_MATRICES_H
#define FUSEC_CUDA_MATRICES_H

#include "fusec/cuda/memory.h"
#include "fusec/cuda/threads.h"

#if !defined(__HIP__)

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

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

} // namespace detail

/// How a thread has its sums: `sums[row][column]`, or the other way round.
enum class Sums { rows_first, columns_first };

/// Adds products to each sum of a warp, 16 of floats or 32 of integers:
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
  static_assert(Term == 1 || sizeof(U) == 2, "bytes cannot be turned");
  constexpr int half = 16 / sizeof(T); // of the terms
  const int matrix = lane() / 8, at = lane() % 8;
  // Pairs of rows of one thread are neighbours in its registers, so that rows
  // go in the order 0, 4, 1, 5, ...
  const T *row =
      rows + (matrix / 2 * 8 + at % 2 * 4 + at / 2) * Row + matrix % 2 * half;
  const U *column =
      Term == 1 ? columns + (matrix % 2 * 8 + at) * Column + matrix / 2 * half
                : columns + (matrix / 2 * 8 + at) * Term + matrix % 2 * 8;
  uint32_t right[row_count / 4][4];
  FUSEC_UNROLL for (int r = 0; r < row_count / 4; ++r)
      detail::load_matrices(right[r], row + r * 16 * Row);
  FUSEC_UNROLL for (int c = 0; c < column_count / 2; ++c) {
    uint32_t left[4];
    if constexpr (Term == 1)
      detail::load_matrices(left, column + c * 16 * Column);
    else
      detail::load_transposed(left, column + c * 16 * Column);
    FUSEC_UNROLL for (int r = 0; r < row_count / 2; ++r) {
      auto sum = [&](int i, int j) -> V & {
        return by_rows ? sums[2 * r + i][2 * c + j]
                       : sums[2 * c + j][2 * r + i];
      };
      V own[4] = {sum(0, 0), sum(1, 0), sum(0, 1), sum(1, 1)};
      detail::multiply_matrices(columns, rows, own, left,
                                right[r / 2][r % 2 * 2],
                                right[r / 2][r % 2 * 2 + 1]);
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
