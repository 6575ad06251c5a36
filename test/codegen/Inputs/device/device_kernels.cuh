// Emitted by fusec. This file may be used under any terms.
// The kernels of `device` for GPUs: the first argument is scratch memory, then
// come inputs and outputs.
#pragma once

#include "fusec/cuda/kernel.h"

namespace fusec::device {

// bias_relu: reads x, b; writes y.
// Schedule: a thread an element.
extern "C" __global__ void __launch_bounds__(128) device_bias_relu_default(
    void *, const float *FUSEC_RESTRICT x_data,
    const float *FUSEC_RESTRICT b_data, float *FUSEC_RESTRICT y_data) {
  const View<const float, 10, 300> x{x_data};
  const View<const float, 300> b{b_data};
  const View<float, 10, 300> y{y_data};
  const int64_t i = block() / 3;
  const int64_t jt = block() % 3;
  for (int64_t j = jt * 128 + thread(); j < min(jt * 128 + 128, int64_t(300));
       j += 128)
    y(i, j) = max(x(i, j) + b(j), 0.0f);
}

// softmax: reads x; writes y.
// Schedule: a warp a row.
extern "C" __global__ void __launch_bounds__(128) device_softmax_default(
    void *, const float *FUSEC_RESTRICT x_data, float *FUSEC_RESTRICT y_data) {
  const View<const float, 10, 300> x{x_data};
  const View<float, 10, 300> y{y_data};
  const int64_t it = block();
  const int64_t iw = warp();
  if (it * 4 + iw < 10) {
    float most = -FUSEC_INF;
    for (int64_t j = lane(); j < 300; j += 32)
      most = max(most, x(it * 4 + iw, j));
    const float most_2 = reduce_max(most);
    float sum = 0.0f;
    for (int64_t j = lane(); j < 300; j += 32)
      sum = sum + exp(x(it * 4 + iw, j) - most_2);
    const float total = reduce_add(sum);
    for (int64_t j = lane(); j < 300; j += 32)
      y(it * 4 + iw, j) = exp(x(it * 4 + iw, j) - most_2) / total;
  }
}

// center: reads x; writes y.
// Schedule: a block a row.
extern "C" __global__ void __launch_bounds__(256) device_center_default(
    void *, const float *FUSEC_RESTRICT x_data, float *FUSEC_RESTRICT y_data) {
  const View<const float, 10, 300> x{x_data};
  const View<float, 10, 300> y{y_data};
  BlockReduction<256> reduction;
  const int64_t i = block();
  __shared__ alignas(16) float row[300];
  float sum = 0.0f;
  for (int64_t j = thread(); j < 300; j += 256) {
    const float x_ij = x(i, j);
    row[j] = x_ij;
    sum = sum + x_ij;
  }
  const float total = reduction.reduce_add(sum);
  const float quotient = total / 300.0f;
  for (int64_t j = thread(); j < 300; j += 256)
    y(i, 299 - j) = row[299 - j] - quotient;
}

// gram: reads x; writes g.
// Schedule: tiles of columns in shared memory.
extern "C" __global__ void __launch_bounds__(64) device_gram_default(
    void *, const float *FUSEC_RESTRICT x_data, float *FUSEC_RESTRICT g_data) {
  const View<const float, 10, 300> x{x_data};
  const View<float, 10, 10> g{g_data};
  float acc[2];
  FUSEC_UNROLL for (Unrolled r = 0; r < 2; ++r)
    acc[r] = 0.0f;
  __shared__ alignas(16) float tile[10][20];
  FUSEC_ROLL for (int64_t kt = 0; kt < 15; ++kt) {
    sync_block();
    for (int64_t iteration = thread(); iteration < 200; iteration += 64) {
      const int64_t i = iteration / 20;
      const int64_t k = iteration % 20;
      tile[i][k] = x(i, kt * 20 + k);
    }
    sync_block();
    if (thread() < 50) {
      const int64_t i = thread() / 10;
      const int64_t j = thread() % 10;
      for (int64_t k = 0; k < 20; ++k) {
        FUSEC_UNROLL for (Unrolled r = 0; r < 2; ++r)
          acc[r] = fma(tile[i * 2 + r][k], tile[j][k], acc[r]);
      }
    }
  }
  if (thread() < 50) {
    const int64_t i = thread() / 10;
    const int64_t j = thread() % 10;
    FUSEC_UNROLL for (Unrolled r = 0; r < 2; ++r)
      g(i * 2 + r, j) = acc[r];
  }
}

// wrapped: reads x; writes t.
// Schedule: a thread a column.
extern "C" __global__ void __launch_bounds__(320) device_wrapped_default(
    void *memory, const float *FUSEC_RESTRICT x_data,
    int32_t *FUSEC_RESTRICT t_data) {
  const View<const float, 10, 300> x{x_data};
  const View<int32_t, 10, 300> t{t_data};
  const View<int32_t, 10, 300> scratch{workspace<int32_t>(memory, 64)};
  if (thread() < 300) {
    const int64_t j = thread();
    for (int64_t i = 0; i < 10; ++i) {
      const int32_t value = bits_of(x(i, j));
      scratch(i, j) = add(value, value);
    }
  }
  sync_block();
  if (thread() < 300) {
    const int64_t j = thread();
    for (int64_t i = 0; i < 10; ++i)
      t(i, j) = scratch(9 - i, 299 - j);
  }
}

// sums: reads x; writes s.
// Schedule: blocks share a row.
extern "C" __global__ void __launch_bounds__(64) device_sums_default(
    void *memory, const float *FUSEC_RESTRICT x_data,
    float *FUSEC_RESTRICT s_data) {
  const View<const float, 10, 300> x{x_data};
  const View<float, 10> s{s_data};
  BlockReduction<64> reduction;
  const View<float, 10, 3> scratch{workspace<float>(memory, 0)};
  const View<int32_t, 10> scratch_2{workspace<int32_t>(memory, 128)};
  const int64_t i = block() / 3;
  const int64_t jt = block() % 3;
  float own = 0.0f;
  for (int64_t j = thread(); j < 100; j += 64)
    own = own + x(i, jt * 100 + j);
  const float total = reduction.reduce_add(own);
  if (thread() == 0)
    scratch(i, jt) = total;
  if (is_last_block(&scratch_2(i), 3)) {
    if (thread() == 0)
      s(i) = scratch(i, 0) + scratch(i, 1) + scratch(i, 2);
  }
}

} // namespace fusec::device
