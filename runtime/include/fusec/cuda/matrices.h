// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices of 16-bit floats, by units that the threads of a warp
// use together. GPUs have them from sm_80 on.
#ifndef FUSEC_CUDA_MATRICES_H
#define FUSEC_CUDA_MATRICES_H

#include "fusec/cuda/memory.h"
#include "fusec/cuda/threads.h"

#if !defined(__HIP__)

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

/// Four matrices of 8x8 elements from shared memory, of which thread
/// `8 * m + r` says where row r of matrix m begins. Thread t gets elements
/// 2 * (t % 4) and the next one of row t / 4 of each.
FUSEC_INLINE void load_matrices(uint32_t (&to)[4], const void *row) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, "
               "[%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(at)
               : "memory");
}
/// The same of columns: thread t gets rows 2 * (t % 4) and the next one of
/// column t / 4.
FUSEC_INLINE void load_transposed(uint32_t (&to)[4], const void *row) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, "
               "%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(at)
               : "memory");
}

/// 16x8 sums and 16 products for each: a is 16x16, and b 16x8.
FUSEC_INLINE void multiply_matrices(const f16 *, float (&sums)[4],
                                    const uint32_t (&a)[4], uint32_t b0,
                                    uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
FUSEC_INLINE void multiply_matrices(const bf16 *, float (&sums)[4],
                                    const uint32_t (&a)[4], uint32_t b0,
                                    uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

} // namespace detail

/// How a thread has its sums: `sums[row][column]`, or the other way round.
enum class Sums { rows_first, columns_first };

/// Adds 16 products to each sum of a warp: `sums[r][c]` of its thread
/// `j * 4 + i` is that of row `r * 4 + i` and column `c * 8 + j`. The factors
/// lie in shared memory: the terms of a row side by side, and rows `Row`
/// elements apart; columns `Column` elements apart, and their terms `Term`, one
/// of which is 1. Both begin at multiples of 16 bytes, and so do their rows or
/// columns.
template <int Row, int Column, int Term, Sums Order = Sums::rows_first,
          int First, int Second, class T>
FUSEC_INLINE void add_matrices(float (&sums)[First][Second], const T *rows,
                               const T *columns) {
  constexpr bool by_rows = Order == Sums::rows_first;
  constexpr int row_count = by_rows ? First : Second,
                column_count = by_rows ? Second : First;
  static_assert(row_count % 4 == 0 && column_count % 2 == 0, "whole matrices");
  const int matrix = lane() / 8, at = lane() % 8;
  // Pairs of rows of one thread are neighbours in its registers, so that rows
  // go in the order 0, 4, 1, 5, ...
  const T *row =
      rows + (matrix / 2 * 8 + at % 2 * 4 + at / 2) * Row + matrix % 2 * 8;
  const T *column =
      Term == 1 ? columns + (matrix % 2 * 8 + at) * Column + matrix / 2 * 8
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
      auto sum = [&](int i, int j) -> float & {
        return by_rows ? sums[2 * r + i][2 * c + j]
                       : sums[2 * c + j][2 * r + i];
      };
      float own[4] = {sum(0, 0), sum(1, 0), sum(0, 1), sum(1, 1)};
      detail::multiply_matrices(rows, own, left, right[r / 2][r % 2 * 2],
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
