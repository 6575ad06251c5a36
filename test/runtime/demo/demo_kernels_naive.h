// Written by fusec from demo.onnx; this file may be used under any terms.
// The kernels of `demo` as plain loops in the order of the model, to compare
// with. Part of demo_kernels.cpp, and compiled with it.
namespace fusec::demo {
namespace {

// dense_relu, as written: plain loops.
void dense_relu_naive(const fusec_kernel_ctx *, const float *x_data,
                      const float *w_data, const float *b_data, float *h_data) {
  const View<const float, 10, 20> x{x_data};
  const View<const float, 20, 24> w{w_data};
  const View<const float, 24> b{b_data};
  const View<float, 10, 24> h{h_data};
  for (int64_t i = 0; i < 10; ++i) {
    for (int64_t j = 0; j < 24; ++j) {
      float acc = b(j);
      for (int64_t k = 0; k < 20; ++k)
        acc = fma(x(i, k), w(k, j), acc);
      h(i, j) = max(acc, 0.0f);
    }
  }
}

// softmax, as written: plain loops.
void softmax_naive(const fusec_kernel_ctx *, const float *h_data,
                   float *y_data) {
  const View<const float, 10, 24> h{h_data};
  const View<float, 10, 24> y{y_data};
  for (int64_t i = 0; i < 10; ++i) {
    float m = -FUSEC_INF;
    for (int64_t j = 0; j < 24; ++j)
      m = max(m, h(i, j));
    float sum = 0.0f;
    for (int64_t j = 0; j < 24; ++j) {
      const float e = exp(h(i, j) - m);
      sum = sum + e;
      y(i, j) = e;
    }
    for (int64_t j = 0; j < 24; ++j)
      y(i, j) = y(i, j) / sum;
  }
}

} // namespace
} // namespace fusec::demo
