// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices in the registers of AMX: eight of 16 rows of 64 bytes.
// Four have sums, two have rows of one factor, two columns of the other.
// tiles.h includes it.
#ifndef FUSEC_KERNEL_ISA_AMX_H
#define FUSEC_KERNEL_ISA_AMX_H

#include <immintrin.h>

namespace fusec {
inline namespace FUSEC_ISA_NS {
namespace detail {

/// What LDTILECFG loads: of all registers all rows, as palette 1 has them.
struct alignas(64) TileConfig {
  uint8_t palette = 1, first_row = 0, reserved[14] = {};
  uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfig) == 64, "the processor reads 64 bytes");

/// Where a matrix register is loaded from: rows `stride` bytes apart.
struct TileSource {
  const void *rows;
  int64_t stride;
};

/// A matrix register in memory, for what has fewer rows or shorter ones.
struct alignas(64) TileBytes {
  char rows[16][64];

  FUSEC_INLINE TileSource fill(TileSource from, int count, int64_t bytes) {
    FUSEC_LIBM(memset)(rows, 0, sizeof(rows));
    for (int r = 0; r < count; ++r)
      FUSEC_LIBM(memcpy)(rows[r],
                         static_cast<const char *>(from.rows) + r * from.stride,
                         static_cast<size_t>(bytes));
    return {rows, 64};
  }
};

/// g++'s instructions do not say that they read and write memory.
FUSEC_INLINE void settle(const void *memory) {
  __asm__ volatile("" ::"r"(memory) : "memory");
}

/// Whether the products are those of bytes, or of bf16.
template <bool IsInteger> struct Tiles {
  static constexpr int kRows = 32, kColumns = 2;

  template <int Rows, int Columns, class V, class F>
  FUSEC_INLINE static void add(V *sums, int64_t width, const F &factors,
                               int64_t steps) {
    constexpr int kAll = Rows > 16 ? 32 : 16;
    if (Rows == kAll && width == Columns) {
      add_whole<Rows, Columns>(sums, factors, steps);
      return;
    }
    // What is added to a copy of the first row beyond the last one is lost.
    V all[kAll][Columns];
    for (int r = 0; r < kAll; ++r)
      for (int c = 0; c < Columns; ++c)
        all[r][c] = sums[(r < Rows ? r : 0) * width + c];
    add_whole<Rows, Columns>(&all[0][0], factors, steps);
    for (int r = 0; r < Rows; ++r)
      for (int c = 0; c < Columns; ++c)
        sums[r * width + c] = all[r][c];
  }

private:
  /// Adds to sums of 16 or 32 rows that lie side by side, of which the products
  /// have `Rows`.
  template <int Rows, int Columns, class V, class F>
  FUSEC_INLINE static void add_whole(V *sums, const F &factors, int64_t steps) {
    constexpr bool kTwoRows = Rows > 16, kTwoColumns = Columns > 1;
    constexpr int kUpper = kTwoRows ? 16 : Rows, kLower = Rows - kUpper;
    constexpr int64_t kElement = sizeof(*factors.x);
    constexpr int64_t kStride = Columns * sizeof(V);
    settle(sums);
    _tile_loadd(0, sums, kStride);
    if constexpr (kTwoColumns)
      _tile_loadd(1, sums + 1, kStride);
    if constexpr (kTwoRows)
      _tile_loadd(2, sums + 16 * Columns, kStride);
    if constexpr (kTwoRows && kTwoColumns)
      _tile_loadd(3, sums + 16 * Columns + 1, kStride);

    // The rows are what other columns are multiplied with next, and stay in the
    // first-level cache; the columns are read past it.
    TileBytes upper, lower, left, right;
    for (int64_t s = 0; s < steps; s += 16) {
      const int count = static_cast<int>(steps - s < 16 ? steps - s : 16);
      const bool is_whole = count == 16;
      TileSource x{factors.x_at(0, s), factors.row * kElement};
      if (!is_whole || kUpper < 16)
        x = upper.fill(x, kUpper, 4 * count);
      TileSource w{factors.w_at(0, s), factors.step * kElement};
      if (!is_whole)
        w = left.fill(w, count, 64);
      settle(x.rows);
      settle(w.rows);
      _tile_loadd(4, x.rows, x.stride);
      _tile_stream_loadd(6, w.rows, w.stride);
      multiply<0>();
      if constexpr (kTwoColumns) {
        TileSource next{factors.w_at(1, s), factors.step * kElement};
        if (!is_whole)
          next = right.fill(next, count, 64);
        settle(next.rows);
        _tile_stream_loadd(7, next.rows, next.stride);
        multiply<1>();
      }
      if constexpr (kTwoRows) {
        TileSource next{factors.x_at(16, s), factors.row * kElement};
        if (!is_whole || kLower < 16)
          next = lower.fill(next, kLower, 4 * count);
        settle(next.rows);
        _tile_loadd(5, next.rows, next.stride);
        multiply<2>();
        if constexpr (kTwoColumns)
          multiply<3>();
      }
    }

    _tile_stored(0, sums, kStride);
    if constexpr (kTwoColumns)
      _tile_stored(1, sums + 1, kStride);
    if constexpr (kTwoRows)
      _tile_stored(2, sums + 16 * Columns, kStride);
    if constexpr (kTwoRows && kTwoColumns)
      _tile_stored(3, sums + 16 * Columns + 1, kStride);
    settle(sums);
  }

  /// Adds to the sums in register `Sums`, from left to right and downwards.
  template <int Sums> FUSEC_INLINE static void multiply() {
    if constexpr (IsInteger && Sums == 0)
      _tile_dpbusd(0, 4, 6);
    else if constexpr (IsInteger && Sums == 1)
      _tile_dpbusd(1, 4, 7);
    else if constexpr (IsInteger && Sums == 2)
      _tile_dpbusd(2, 5, 6);
    else if constexpr (IsInteger)
      _tile_dpbusd(3, 5, 7);
    else if constexpr (Sums == 0)
      _tile_dpbf16ps(0, 4, 6);
    else if constexpr (Sums == 1)
      _tile_dpbf16ps(1, 4, 7);
    else if constexpr (Sums == 2)
      _tile_dpbf16ps(2, 5, 6);
    else
      _tile_dpbf16ps(3, 5, 7);
  }
};
using QuadTiles = Tiles</*IsInteger=*/true>;
using Bf16Tiles = Tiles</*IsInteger=*/false>;

} // namespace detail

/// Sets the matrix registers up for the products of tiles.h, until the end of a
/// block: once for all of them, as it takes as long as a hundred instructions.
class TileRegisters {
public:
  FUSEC_INLINE TileRegisters() {
    static constexpr detail::TileConfig config;
    _tile_storeconfig(&before);
    detail::settle(&before);
    _tile_loadconfig(&config);
  }
  FUSEC_INLINE ~TileRegisters() {
    detail::settle(&before);
    _tile_loadconfig(&before);
  }
  TileRegisters(const TileRegisters &) = delete;
  TileRegisters &operator=(const TileRegisters &) = delete;

private:
  /// What a block around this one has set up, or that nothing is.
  detail::TileConfig before;
};

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
