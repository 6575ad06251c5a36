// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenBLAS, for models that were compiled with --vendor=openblas.
#ifndef FUSEC_LIBRARY_OPENBLAS_H
#define FUSEC_LIBRARY_OPENBLAS_H

#include "fusec/library/gemm.h"

#include <mutex>

// Where it is missing, compilers stop here, once, and print the line.
// clang-format off
#include <cblas.h> // install libopenblas-dev, or compile the model without --vendor=openblas
// clang-format on

namespace fusec {
namespace library {

struct OpenBlas {
  /// While one lives, OpenBLAS computes on the thread that calls it, whoever
  /// calls it: the number of its threads is one for the whole process. The last
  /// one to go restores it.
  class Alone {
  public:
    Alone() {
      State &state = get();
      const std::lock_guard<std::mutex> lock(state.mutex);
      if (state.users++ == 0) {
        state.threads = openblas_get_num_threads();
        openblas_set_num_threads(1);
      }
    }
    ~Alone() {
      State &state = get();
      const std::lock_guard<std::mutex> lock(state.mutex);
      if (--state.users == 0)
        openblas_set_num_threads(state.threads);
    }
    Alone(const Alone &) = delete;
    Alone &operator=(const Alone &) = delete;

  private:
    struct State {
      std::mutex mutex;
      int users = 0, threads = 1;
    };
    static State &get() {
      static State state;
      return state;
    }
  };

  static void multiply(const Product &p) {
    cblas_sgemm(CblasRowMajor, p.x_transposed ? CblasTrans : CblasNoTrans,
                p.w_transposed ? CblasTrans : CblasNoTrans, blasint(p.rows),
                blasint(p.columns), blasint(p.depth), 1.0f, p.x,
                blasint(p.x_stride), p.w, blasint(p.w_stride), 0.0f, p.y,
                blasint(p.y_stride));
  }
};

/// As `multiply_parts`.
template <size_t N>
inline void
openblas_gemm(const fusec_kernel_ctx *ctx, const float *x, const float *w,
              float *y, int64_t rows, int64_t columns, int64_t depth,
              int64_t x_stride, bool x_transposed, int64_t w_stride,
              bool w_transposed, int64_t y_stride, int64_t task_rows,
              int64_t task_columns, const int64_t (&loops)[N],
              const int64_t (&x_steps)[N], const int64_t (&w_steps)[N],
              const int64_t (&y_steps)[N]) {
  multiply_parts<OpenBlas>(ctx,
                           {x, w, y, rows, columns, depth, x_stride,
                            x_transposed, w_stride, w_transposed, y_stride},
                           task_rows, task_columns, loops, x_steps, w_steps,
                           y_steps);
}

} // namespace library
} // namespace fusec

#endif
