// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that DeviceTest and DeviceThreadsTest run: one for each function of the vocabulary.
#include "fusec/cuda/kernel.h"
#include "test/runtime/vocabulary/UlpBudgets.h"

namespace fusec {

constexpr int threads = 256;

/// y[i] = f(x[i]).
template <class To, class From, class F>
__device__ void map(const From *x, To *y, int n, F f) {
  const int i = block() * threads + thread();
  if (i < n)
    store(y + i, f(load(x + i)));
}
#define ROW(name, budget, reference)                                           \
  extern "C" __global__ void map_##name(const float *x, float *y, int n) {     \
    map(x, y, n, [](float v) { return fusec::name(v); });                      \
  }
FUSEC_ULP_BUDGETS(ROW)
#undef ROW

#define ROW(name)                                                              \
  extern "C" __global__ void map_double_##name(const double *x, double *y,     \
                                               int n) {                        \
    map(x, y, n, [](double v) { return fusec::name(v); });                     \
  }
ROW(sin)
ROW(cos)
ROW(tan)
#undef ROW

/// y[i] as it is stored, of x[i].
#define ROW(To, From, Compute)                                                 \
  extern "C" __global__ void From##_to_##To(const From *x, To *y, int n) {     \
    map(x, y, n, [](auto v) { return to<Compute>(v); });                       \
  }
ROW(f16, float, float)
ROW(float, f16, float)
ROW(bf16, float, float)
ROW(float, bf16, float)
ROW(int32_t, float, int32_t)
ROW(int64_t, float, int64_t)
ROW(int32_t, double, int32_t)
ROW(int8_t, int32_t, int32_t)
ROW(int32_t, int8_t, int32_t)
ROW(int64_t, uint32_t, int64_t)
ROW(bool, float, bool)
ROW(double, float, double)
#undef ROW

/// y[i] = x[i], rounded to a float of 16 bits.
#define ROW(name, From)                                                        \
  extern "C" __global__ void rounded_##name##_##From(const From *x, float *y,  \
                                                     int n) {                  \
    map(x, y, n, [](From v) { return fusec::name(v); });                       \
  }
ROW(to_f16, float)
ROW(to_bf16, float)
ROW(to_f16, double)
ROW(to_bf16, double)
#undef ROW

/// z[i] = f(x[i], y[i]).
#define ROW(name, T)                                                           \
  extern "C" __global__ void zip_##name##_##T(const T *x, const T *y, T *z,    \
                                              int n) {                         \
    const int i = block() * threads + thread();                                \
    if (i < n)                                                                 \
      z[i] = fusec::name(x[i], y[i]);                                          \
  }
ROW(pow, float)
ROW(atan2, float)
ROW(max, float)
ROW(minnum, float)
ROW(fmod, float)
ROW(mod, float)
ROW(div, int32_t)
ROW(mod, int32_t)
ROW(div_floor, int64_t)
ROW(pow, int32_t)
#undef ROW

/// z[i] = x[i] * y[i] + z[i], of which the product rounds by itself.
#define ROW(T)                                                                 \
  extern "C" __global__ void rounded_product_##T(const T *x, const T *y, T *z, \
                                                 int n) {                      \
    const int i = block() * threads + thread();                                \
    if (i < n)                                                                 \
      z[i] = mul_rounded(x[i], y[i]) + z[i];                                   \
  }
ROW(float)
ROW(double)
#undef ROW

/// y[i] = round(x[i] / scale), by a quotient whose last digit may be another.
extern "C" __global__ void codes(const float *x, float *y, int n) {
  const int i = block() * threads + thread();
  if (i < n)
    y[i] = round_even(near_quotient(x[i], 0.0347785465f));
}

/// y = sum of x by one block, of rows of `columns` in a row; and the greatest.
extern "C" __global__ void rows(const float *x, float *sums, float *greatest,
                                int *counts, int numRows, int columns) {
  BlockReduction<threads> reduction;
  for (int row = block(); row < numRows; row += 2) {
    float sum = 0.0f, most = -FUSEC_INF;
    int positive = 0;
    for (int i = thread(); i < columns; i += threads) {
      const float v = x[row * columns + i];
      sum += v;
      most = max(most, v);
      positive += v > 0.0f;
    }
    sum = reduction.reduce_add(sum);
    most = reduction.reduce_max(most);
    positive = reduction.reduce_add(positive);
    // Every thread knows; any may say so.
    if (thread() == row % threads) {
      sums[row] = sum;
      greatest[row] = most;
      counts[row] = positive;
    }
  }
}

/// The sums and the greatest of `Columns` columns side by side, again and
/// again: each call is told from the one before.
template <int Columns>
FUSEC_INLINE void reduce_columns(const float *x, float *sums, double *greatest,
                                 int numRows) {
  constexpr int team = threads / Columns;
  ColumnReduction<Columns, team> reduction;
  for (int times = 0; times < 3; ++times) {
    float sum = 0.0f;
    double most = -FUSEC_INF;
    for (int row = thread() / Columns; row < numRows; row += team) {
      const float v = x[row * Columns + thread() % Columns];
      sum += v;
      most = max(most, static_cast<double>(v));
    }
    sum = reduction.reduce_add(sum);
    most = reduction.reduce_max(most);
    // Every thread of the column knows; any may say so.
    if (thread() / Columns == times % team) {
      sums[times * Columns + thread() % Columns] = sum;
      greatest[times * Columns + thread() % Columns] = most;
    }
  }
}

#define COLUMNS(count)                                                         \
  extern "C" __global__ void columns_##count(const float *x, float *sums,      \
                                             double *greatest, int numRows) {  \
    reduce_columns<count>(x, sums, greatest, numRows);                         \
  }
COLUMNS(2)
COLUMNS(8)
COLUMNS(32)
COLUMNS(64)
COLUMNS(256)
#undef COLUMNS

/// One sum for each row, again and again: each call is told from the one
/// before.
extern "C" __global__ void one_sum(const float *x, float *sums, int numRows) {
  BlockReduction<threads> reduction;
  for (int row = 0; row < numRows; ++row) {
    const float sum = reduction.reduce_add(x[row * threads + thread()]);
    if (thread() == 0)
      sums[row] = sum;
  }
}

/// The sum of n numbers by several blocks, the last of which adds up theirs.
extern "C" __global__ void last_block_sum(const float *x, float *parts,
                                          int32_t *ticket, float *sum, int n,
                                          int blocks) {
  BlockReduction<threads> reduction;
  float v = 0.0f;
  for (int i = block() * threads + thread(); i < n; i += blocks * threads)
    v += x[i];
  v = reduction.reduce_add(v);
  // Not the thread that draws the ticket.
  if (thread() == threads - 1)
    parts[block()] = v;
  sync_block();
  if (!is_last_block(ticket, blocks))
    return;
  v = thread() < blocks ? parts[thread()] : 0.0f;
  v = reduction.reduce_add(v);
  if (thread() == 0)
    *sum = v;
}

/// Rows of four halves as floats, and back.
extern "C" __global__ void wide_rows(const f16 *x, f16 *y) {
  float row[4];
  load_row(row, x + thread() * 4);
  FUSEC_UNROLL for (int i = 0; i < 4; ++i) row[i] = row[i] + 1.0f;
  store_row(y + thread() * 4, row);
}

/// x in reverse by two arrays that are larger than what a kernel may declare:
/// the evens, and behind them the odds.
extern "C" __global__ void requested(const float *x, float *y) {
  struct Shared {
    alignas(16) float even[2 * threads][16];
    alignas(16) float odd[2 * threads][16];
  };
  Shared &shared = shared_memory<Shared>();
  for (int i = thread(); i < 32 * threads; i += threads) {
    shared.even[i / 16][i % 16] = x[2 * i];
    shared.odd[i / 16][i % 16] = x[2 * i + 1];
  }
  sync_block();
  const int last = 32 * threads - 1;
  for (int i = thread(); i < 32 * threads; i += threads) {
    y[2 * (last - i) + 1] = shared.even[i / 16][i % 16];
    y[2 * (last - i)] = shared_memory<Shared>().odd[i / 16][i % 16];
  }
}

/// Elements of x in reverse, zeros in place of those from n on, and numbers:
/// four, two and one in a copy, of two groups of which the second one's arrive
/// later.
extern "C" __global__ void reversed(const float *x, const double *wide,
                                    const int64_t *numbers, float *y,
                                    double *z, int64_t *m, int n) {
  __shared__ alignas(16) float of_x[4 * threads];
  __shared__ alignas(16) double of_wide[2 * threads];
  __shared__ alignas(16) int64_t of_numbers[threads];
  const int i = thread(), other = threads - 1 - i;
  copy_async<4>(&of_x[4 * i], &x[4 * i], 4 * i < n);
  copy_async<2>(&of_wide[2 * i], &wide[2 * i]);
  commit_copies();
  copy_async(&of_numbers[i], &numbers[i], i < n);
  commit_copies();
  wait_copies<1>();
  sync_block();
  FUSEC_UNROLL for (int k = 0; k < 4; ++k) y[4 * i + k] =
      of_x[4 * other + 3 - k];
  FUSEC_UNROLL for (int k = 0; k < 2; ++k) z[2 * i + k] =
      of_wide[2 * other + 1 - k];
  wait_copies<0>();
  sync_block();
  m[i] = of_numbers[other];
}

/// 16x16 products of a warp's own rows with the block's columns, of codes.
template <class T, class U>
__device__ void multiply_bytes(const T *x, const U *w, int32_t *y) {
  __shared__ alignas(16) T rows[threads / 32][16][48];
  __shared__ alignas(16) U columns[16][48];
  for (int e = lane(); e < 512; e += 32)
    rows[warp()][e / 32][e % 32] = x[warp() * 512 + e];
  for (int e = thread(); e < 512; e += threads)
    columns[e / 32][e % 32] = w[e];
  sync_block();
  int32_t sums[4][2] = {};
  add_matrices<48, 48, 1>(sums, &rows[warp()][0][0], &columns[0][0]);
  int32_t *out = y + warp() * 256 + lane() % 4 * 16 + lane() / 4;
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 2; ++c)
      out[r * 64 + c * 8] = sums[r][c];
}
extern "C" __global__ void multiply_u8_s8(const uint8_t *x, const int8_t *w,
                                          int32_t *y) {
  multiply_bytes(x, w, y);
}
extern "C" __global__ void multiply_s8_u8(const int8_t *x, const uint8_t *w,
                                          int32_t *y) {
  multiply_bytes(x, w, y);
}
extern "C" __global__ void multiply_u8(const uint8_t *x, const uint8_t *w,
                                       int32_t *y) {
  multiply_bytes(x, w, y);
}
extern "C" __global__ void multiply_s8(const int8_t *x, const int8_t *w,
                                       int32_t *y) {
  multiply_bytes(x, w, y);
}

/// 16x16 products of a warp's own rows with the block's columns, whose terms
/// lie apart or side by side.
template <bool Apart, class T>
__device__ void multiply(const T *x, const T *w, float *y) {
  __shared__ alignas(16) T rows[threads / 32][16][24];
  __shared__ alignas(16) T columns[16][24];
  for (int e = lane(); e < 256; e += 32)
    rows[warp()][e / 16][e % 16] = x[warp() * 256 + e];
  columns[thread() / 16][thread() % 16] = w[thread()];
  sync_block();
  constexpr int step = 32 / sizeof(T);
  float *out = y + warp() * 256 + lane() % 4 * 16 + lane() / 4;
  if constexpr (Apart) {
    float sums[4][2] = {};
    for (int k = 0; k < 16; k += step)
      add_matrices<24, 1, 24>(sums, &rows[warp()][0][k], &columns[k][0]);
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 2; ++c)
        out[r * 64 + c * 8] = sums[r][c];
  } else {
    float sums[2][4] = {};
    for (int k = 0; k < 16; k += step)
      add_matrices<24, 24, 1, Sums::columns_first>(sums, &rows[warp()][0][k],
                                                   &columns[0][k]);
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 2; ++c)
        out[r * 64 + c * 8] = sums[c][r];
  }
}
extern "C" __global__ void multiply_f16(const f16 *x, const f16 *w, float *y) {
  multiply<true>(x, w, y);
}
extern "C" __global__ void multiply_bf16(const bf16 *x, const bf16 *w,
                                         float *y) {
  multiply<false>(x, w, y);
}
extern "C" __global__ void multiply_f32(const float *x, const float *w,
                                        float *y) {
  multiply<false>(x, w, y);
}
extern "C" __global__ void multiply_f32_apart(const float *x, const float *w,
                                              float *y) {
  multiply<true>(x, w, y);
}

/// A sum in no order, and that of doubles.
extern "C" __global__ void atomic_sum(const float *x, float *sum, double *wide,
                                      int n) {
  const int i = block() * threads + thread();
  if (i >= n)
    return;
  atomic_add(*sum, x[i]);
  atomic_add(*wide, static_cast<double>(x[i]));
}

/// Views, and weights of 4 bits.
extern "C" __global__ void turn(const float *x_data, const u4x2 *w_data,
                                float *y_data) {
  const View<const float, 3, 5> x{x_data};
  const View32<const u4x2, 3, 16> w{w_data};
  const View32<float, 5, 3> y{y_data};
  const int64_t i = thread();
  if (thread() < 3)
    FUSEC_UNROLL for (Unrolled32 j = 0; j < 5; ++j) y(j, thread()) =
        x(i, int32_t(j)) * static_cast<float>(load(w(thread(), j)));
}

} // namespace fusec
