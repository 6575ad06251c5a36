// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two operators as a person writes them for AVX2, which generated.py holds
// generated ones against: row-major f32, on `threads` threads of OpenMP.
#include <algorithm>
#include <cmath>
#include <immintrin.h>
#include <vector>

static float sum(__m256 lanes) {
  __m128 half = _mm_add_ps(_mm256_castps256_ps128(lanes),
                           _mm256_extractf128_ps(lanes, 1));
  half = _mm_add_ps(half, _mm_movehl_ps(half, half));
  return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

/// y[rows, n] = (x - mean) / sqrt(variance + eps) * g[n] + c[n], where n is a
/// multiple of 32.
extern "C" void layer_norm(const float *x, const float *g, const float *c,
                           float *y, long rows, long n, float eps,
                           int threads) {
#pragma omp parallel for num_threads(threads)
  for (long i = 0; i < rows; ++i) {
    const float *row = x + i * n;
    __m256 sums[4] = {};
    for (long j = 0; j < n; j += 32)
      for (int k = 0; k < 4; ++k)
        sums[k] = _mm256_add_ps(sums[k], _mm256_loadu_ps(row + j + 8 * k));
    const float mean = sum(_mm256_add_ps(_mm256_add_ps(sums[0], sums[1]),
                                         _mm256_add_ps(sums[2], sums[3]))) /
                       float(n);
    const __m256 means = _mm256_set1_ps(mean);
    __m256 squares[4] = {};
    for (long j = 0; j < n; j += 32)
      for (int k = 0; k < 4; ++k) {
        const __m256 d = _mm256_sub_ps(_mm256_loadu_ps(row + j + 8 * k), means);
        squares[k] = _mm256_fmadd_ps(d, d, squares[k]);
      }
    const float variance =
        sum(_mm256_add_ps(_mm256_add_ps(squares[0], squares[1]),
                          _mm256_add_ps(squares[2], squares[3]))) /
        float(n);
    const __m256 scale = _mm256_set1_ps(1 / std::sqrt(variance + eps));
    for (long j = 0; j < n; j += 8) {
      const __m256 d = _mm256_sub_ps(_mm256_loadu_ps(row + j), means);
      _mm256_storeu_ps(y + i * n + j, _mm256_fmadd_ps(_mm256_mul_ps(d, scale),
                                                      _mm256_loadu_ps(g + j),
                                                      _mm256_loadu_ps(c + j)));
    }
  }
}

namespace {

/// Where the taps of eight neighbouring results read: four elements each, and
/// how much these count.
struct Taps {
  __m256i places[4];
  __m256 weights[4];
};

Taps findTaps(__m256 row, __m256 column, int height, int width) {
  const __m256 top = _mm256_floor_ps(row), left = _mm256_floor_ps(column);
  const __m256 a = _mm256_sub_ps(row, top), b = _mm256_sub_ps(column, left);
  const __m256 one = _mm256_set1_ps(1);
  const __m256 byRow[2] = {_mm256_sub_ps(one, a), a},
               byColumn[2] = {_mm256_sub_ps(one, b), b};
  const __m256i none = _mm256_set1_epi32(-1),
                heights = _mm256_set1_epi32(height),
                widths = _mm256_set1_epi32(width);
  Taps taps;
  for (int i = 0; i < 4; ++i) {
    const __m256i y = _mm256_add_epi32(_mm256_cvtps_epi32(top),
                                       _mm256_set1_epi32(i / 2)),
                  x = _mm256_add_epi32(_mm256_cvtps_epi32(left),
                                       _mm256_set1_epi32(i % 2));
    const __m256i inside =
        _mm256_and_si256(_mm256_and_si256(_mm256_cmpgt_epi32(y, none),
                                          _mm256_cmpgt_epi32(heights, y)),
                         _mm256_and_si256(_mm256_cmpgt_epi32(x, none),
                                          _mm256_cmpgt_epi32(widths, x)));
    taps.places[i] = _mm256_and_si256(
        inside, _mm256_add_epi32(_mm256_mullo_epi32(y, widths), x));
    taps.weights[i] =
        _mm256_and_ps(_mm256_castsi256_ps(inside),
                      _mm256_mul_ps(byRow[i / 2], byColumn[i % 2]));
  }
  return taps;
}

/// Adds `Rows` filters times 8 * `Vectors` columns to results that begin at y.
template <int Rows, int Vectors>
void multiply(const float *k, const float *columns, float *y, long terms,
              long width, long apart) {
  __m256 sums[Rows][Vectors] = {};
  for (long t = 0; t < terms; ++t) {
    __m256 loaded[Vectors];
    for (int v = 0; v < Vectors; ++v)
      loaded[v] = _mm256_loadu_ps(columns + t * width + 8 * v);
    for (int r = 0; r < Rows; ++r) {
      const __m256 factor = _mm256_broadcast_ss(k + r * terms + t);
      for (int v = 0; v < Vectors; ++v)
        sums[r][v] = _mm256_fmadd_ps(factor, loaded[v], sums[r][v]);
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v)
      _mm256_storeu_ps(y + r * apart + 8 * v, sums[r][v]);
}

} // namespace

/// ONNX's DeformConv of one image with 3x3 filters, strides and pads of 1 and
/// no mask: x[c, h, w], k[o, c, 3, 3], offset[18, h, w], y[o, h, w], where w is
/// a multiple of 8 and o one of 4. A row of results at a time: its columns are
/// made once, and multiplied with all filters.
extern "C" void deform_conv(const float *x, const float *k, const float *offset,
                            float *y, long c, long h, long w, long o,
                            int threads) {
  const long terms = c * 9, image = h * w;
#pragma omp parallel num_threads(threads)
  {
    std::vector<float> columns(terms * w);
#pragma omp for
    for (long p = 0; p < h; ++p) {
      for (int tap = 0; tap < 9; ++tap)
        for (long q = 0; q < w; q += 8) {
          const float *own = offset + 2 * tap * image + p * w + q;
          const __m256 row = _mm256_add_ps(
              _mm256_set1_ps(float(p - 1 + tap / 3)), _mm256_loadu_ps(own));
          const __m256 column = _mm256_add_ps(
              _mm256_add_ps(_mm256_set1_ps(float(q - 1 + tap % 3)),
                            _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7)),
              _mm256_loadu_ps(own + image));
          const Taps taps = findTaps(row, column, int(h), int(w));
          for (long channel = 0; channel < c; ++channel) {
            __m256 value = _mm256_setzero_ps();
            for (int i = 0; i < 4; ++i)
              value = _mm256_fmadd_ps(
                  taps.weights[i],
                  _mm256_i32gather_ps(x + channel * image, taps.places[i], 4),
                  value);
            _mm256_storeu_ps(&columns[(channel * 9 + tap) * w + q], value);
          }
        }
      for (long first = 0; first < o; first += 4) {
        const float *filters = k + first * terms;
        float *results = y + first * image + p * w;
        long q = 0;
        for (; q + 24 <= w; q += 24)
          multiply<4, 3>(filters, &columns[q], results + q, terms, w, image);
        for (; q < w; q += 8)
          multiply<4, 1>(filters, &columns[q], results + q, terms, w, image);
      }
    }
  }
}
