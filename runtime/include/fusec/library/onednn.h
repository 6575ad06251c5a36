// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oneDNN, for models that were compiled with --vendor=onednn.
#ifndef FUSEC_LIBRARY_ONEDNN_H
#define FUSEC_LIBRARY_ONEDNN_H

#include "fusec/library/gemm.h"

// Where it is missing, compilers stop here, once, and print the line.
// clang-format off
#include <dnnl.h> // install libdnnl-dev, or compile the model without --vendor=onednn
// clang-format on

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
#if __has_include(<omp.h>)
#include <omp.h>
#else // Compilers have it in packages of their own; the library is there.
extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int);
#endif
#elif DNNL_CPU_THREADING_RUNTIME != DNNL_RUNTIME_SEQ
#error                                                                         \
    "the model calls oneDNN, which is built here with threads that are not OpenMP's: install Debian's libdnnl-dev, or compile the model without --vendor=onednn"
#endif

namespace fusec {
namespace library {

struct OneDnn {
  /// While one lives, oneDNN computes on the thread that made it and calls it:
  /// OpenMP counts for each thread by itself.
  class Alone {
  public:
#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
    Alone() : threads(omp_get_max_threads()) { omp_set_num_threads(1); }
    ~Alone() { omp_set_num_threads(threads); }
    Alone(const Alone &) = delete;
    Alone &operator=(const Alone &) = delete;

  private:
    int threads;
#endif
  };

  static void multiply(const Product &p) {
    const dnnl_status_t status =
        dnnl_sgemm(p.x_transposed ? 'T' : 'N', p.w_transposed ? 'T' : 'N',
                   p.rows, p.columns, p.depth, 1.0f, p.x, p.x_stride, p.w,
                   p.w_stride, 0.0f, p.y, p.y_stride);
    if (status != dnnl_success) // it lacks memory
      multiply_plainly(p);
  }

private:
  static void multiply_plainly(const Product &p) {
    for (int64_t i = 0; i < p.rows; ++i)
      for (int64_t j = 0; j < p.columns; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < p.depth; ++k)
          sum += p.x[p.x_transposed ? k * p.x_stride + i : i * p.x_stride + k] *
                 p.w[p.w_transposed ? j * p.w_stride + k : k * p.w_stride + j];
        p.y[i * p.y_stride + j] = sum;
      }
  }
};

/// As `multiply_parts`.
template <size_t N>
inline void onednn_gemm(const fusec_kernel_ctx *ctx, const float *x,
                        const float *w, float *y, int64_t rows, int64_t columns,
                        int64_t depth, int64_t x_stride, bool x_transposed,
                        int64_t w_stride, bool w_transposed, int64_t y_stride,
                        int64_t task_rows, int64_t task_columns,
                        const int64_t (&loops)[N], const int64_t (&x_steps)[N],
                        const int64_t (&w_steps)[N],
                        const int64_t (&y_steps)[N]) {
  multiply_parts<OneDnn>(ctx,
                         {x, w, y, rows, columns, depth, x_stride, x_transposed,
                          w_stride, w_transposed, y_stride},
                         task_rows, task_columns, loops, x_steps, w_steps,
                         y_steps);
}

} // namespace library
} // namespace fusec

#endif
