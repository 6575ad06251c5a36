// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices of narrow numbers, which AMX multiplies in registers of
// their own. Each instruction set gives the same bits.
#ifndef FUSEC_KERNEL_TILES_H
#define FUSEC_KERNEL_TILES_H

#include "fusec/kernel/dot.h"
#include "fusec/kernel/dot_bf16.h"

#if FUSEC_LANES

namespace fusec {
inline namespace FUSEC_ISA_NS {
namespace detail {

/// Two matrices of T and U. Rows of the one that lanes share lie `row` elements
/// apart. The vectors of the other one that a step multiplies lie `column`
/// elements apart, and those of the next step `step` elements behind them. A
/// step has as many terms as fit into 32 bits, side by side.
template <class T, class U> struct Factors {
  const T *x;
  int64_t row;
  const U *w;
  int64_t column, step;

  /// The terms of row r in step s, and those of vector c.
  FUSEC_INLINE const T *x_at(int64_t r, int64_t s) const {
    return x + r * row + s * static_cast<int64_t>(4 / sizeof(T));
  }
  FUSEC_INLINE const U *w_at(int64_t c, int64_t s) const {
    return w + c * column + s * step;
  }
  FUSEC_INLINE Factors from(int rows, int columns) const {
    return {x_at(rows, 0), row, w_at(columns, 0), column, step};
  }
};

/// Adds products to `Rows` rows of `Columns` sums, in blocks of as many as a
/// Body takes.
template <class Body, int Rows, int Columns, class V, class F>
FUSEC_INLINE void add_in_blocks(V *sums, int64_t width, const F &factors,
                                int64_t steps) {
  constexpr int kRows = Rows < Body::kRows ? Rows : Body::kRows;
  constexpr int kColumns = Columns < Body::kColumns ? Columns : Body::kColumns;
  Body::template add<kRows, kColumns>(sums, width, factors, steps);
  if constexpr (Columns > kColumns)
    add_in_blocks<Body, kRows, Columns - kColumns>(
        sums + kColumns, width, factors.from(0, kColumns), steps);
  if constexpr (Rows > kRows)
    add_in_blocks<Body, Rows - kRows, Columns>(sums + kRows * width, width,
                                               factors.from(kRows, 0), steps);
}

} // namespace detail
} // namespace FUSEC_ISA_NS
} // namespace fusec

#ifdef FUSEC_MULTIPLIES_TILES
#include "fusec/kernel/isa/amx.h"
#else
#include "fusec/kernel/isa/no_tiles.h"
#endif

namespace fusec {
inline namespace FUSEC_ISA_NS {

/// Adds the products of two matrices of bytes to `sums`: `Rows` rows of
/// `Columns` vectors, the rows `width` vectors apart. Those of x have no sign:
/// `4 * steps` in a row, and the rows lie `row` bytes apart. Those of w have
/// one: quads of 16 lanes side by side, those of the next vector `column` bytes
/// behind them, and those of the next four terms `step` bytes. Overflow wraps.
/// Stands in a block that declares TileRegisters.
template <int Rows, int Columns, class T, class U>
FUSEC_INLINE void add_quad_tiles(i32x16 *sums, int64_t width, const T *x,
                                 int64_t row, const U *w, int64_t column,
                                 int64_t step, int64_t steps) {
  static_assert(sizeof(T) == 1 && sizeof(U) == 1, "a term of four has 8 bits");
  detail::add_in_blocks<detail::QuadTiles, Rows, Columns>(
      sums, width, detail::Factors<T, U>{x, row, w, column, step}, steps);
}

/// The same of numbers of bf16, in pairs; distances are counted in numbers. Of
/// each 32 terms those at even and at odd places are summed apart, from zero
/// on; then both sums are added, and what results to the sum of the terms
/// before. Each step rounds once, and takes and gives zeros in place of
/// subnormal numbers. Zeros follow the last terms, to a multiple of 32.
template <int Rows, int Columns>
FUSEC_INLINE void add_bf16_tiles(f32x16 *sums, int64_t width, const bf16 *x,
                                 int64_t row, const bf16 *w, int64_t column,
                                 int64_t step, int64_t steps) {
  detail::add_in_blocks<detail::Bf16Tiles, Rows, Columns>(
      sums, width, detail::Factors<bf16, bf16>{x, row, w, column, step}, steps);
}

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif // FUSEC_LANES

#endif
