// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices where no registers hold matrices: those of their rows.
// tiles.h includes it.
#ifndef FUSEC_KERNEL_ISA_NO_TILES_H
#define FUSEC_KERNEL_ISA_NO_TILES_H

namespace fusec {
inline namespace FUSEC_ISA_NS {
namespace detail {

/// Rows share the loads of a step while their sums stay in registers.
struct QuadTiles {
  static constexpr int kRows = FUSEC_LANES == 16 ? 8 : 2, kColumns = 2;

  template <int Rows, int Columns, class F>
  FUSEC_INLINE static void add(i32x16 *sums, int64_t width, const F &factors,
                               int64_t steps) {
    i32x16 own[Rows][Columns];
    FUSEC_UNROLL for (int r = 0; r < Rows; ++r)
        FUSEC_UNROLL for (int c = 0; c < Columns; ++c) own[r][c] =
            sums[r * width + c];
    for (int64_t s = 0; s < steps; ++s)
      FUSEC_UNROLL for (int r = 0; r < Rows; ++r) {
        const i32x16 x(quads(factors.x_at(r, s)));
        FUSEC_UNROLL for (int c = 0; c < Columns; ++c) own[r][c] =
            dot_quads(x, quads<i32x16>(factors.w_at(c, s)), own[r][c]);
      }
    FUSEC_UNROLL for (int r = 0; r < Rows; ++r)
        FUSEC_UNROLL for (int c = 0; c < Columns; ++c) sums[r * width + c] =
            own[r][c];
  }
};

/// One sum after the other, in the order that a matrix register has.
struct Bf16Tiles {
  static constexpr int kRows = 1 << 20, kColumns = 1 << 20;
  /// Pairs of terms in a matrix register.
  static constexpr int64_t kPairs = 16;

  template <int Rows, int Columns, class F>
  FUSEC_INLINE static void add(f32x16 *sums, int64_t width, const F &factors,
                               int64_t steps) {
    for (int r = 0; r < Rows; ++r)
      for (int c = 0; c < Columns; ++c)
        for (int64_t s = 0; s < steps; s += kPairs)
          add_pairs(sums[r * width + c], factors, r, c, s, steps - s);
  }

private:
  /// Adds the products of up to kPairs pairs, of `left` from step s on.
  template <class F>
  FUSEC_INLINE static void add_pairs(f32x16 &sum, const F &factors, int row,
                                     int column, int64_t s, int64_t left) {
    const auto low = [](i32x16 v) { return f32_from_bits(v << i32x16(16)); };
    const auto high = [](i32x16 v) {
      return f32_from_bits(v & i32x16(-65536));
    };
    f32x16 even(0.0f), odd(0.0f);
    for (int64_t i = 0; i < kPairs; ++i) {
      const bool is_there = i < left;
      const i32x16 x(is_there ? bf16_pairs(factors.x_at(row, s + i)) : 0);
      const i32x16 w = is_there
                           ? bf16_pairs<i32x16>(factors.w_at(column, s + i))
                           : i32x16(0);
      even = multiply_add_flushed<f32x16>(low(x), low(w), even);
      odd = multiply_add_flushed<f32x16>(high(x), high(w), odd);
    }
    sum = add_flushed(sum, add_flushed(even, odd));
  }

  /// a + b: two numbers whose sum is subnormal are rounded nowhere.
  FUSEC_INLINE static f32x16 add_flushed(f32x16 a, f32x16 b) {
    return flushed(flushed(a) + flushed(b));
  }
};

} // namespace detail

/// There is nothing to set up.
class TileRegisters {
public:
  FUSEC_INLINE TileRegisters() {}
};
} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
