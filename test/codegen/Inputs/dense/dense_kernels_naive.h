// Emitted by fusec. This file may be used under any terms.
// The kernels of `dense` as plain loops in the order of the model, to compare
// with. Part of dense_kernels.cpp, and compiled with it.
namespace fusec::dense {
namespace {

// dense_relu, variant naive.
// Schedule: plain loops; proposed by structural.
void dense_relu_naive(const fusec_kernel_ctx *,
                      const float *FUSEC_RESTRICT x_data,
                      const float *FUSEC_RESTRICT w_data,
                      const float *FUSEC_RESTRICT b_data,
                      float *FUSEC_RESTRICT h_data) {
  const View<const float, 6, 4> x{x_data};
  const View<const float, 4, 4> w{w_data};
  const View<const float, 4> b{b_data};
  const View<float, 6, 4> h{h_data};
  for (int64_t i = 0; i < 6; ++i) {
    for (int64_t j = 0; j < 4; ++j) {
      float sum = b(j);
      for (int64_t k = 0; k < 4; ++k)
        sum = fma(x(i, k), w(k, j), sum);
      h(i, j) = max(sum, 0.0f);
    }
  }
}

} // namespace
} // namespace fusec::dense
