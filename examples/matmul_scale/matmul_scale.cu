// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same on a GPU: the operator of matmul_scale.cpp gets a form that launches
// a kernel of its own.
#include "fusec/op.h"
using namespace fusec::op;

static constexpr int kTile = 16; // rows and columns of a block

__global__ void multiply(const float *x, const float *w, float *y, int64_t rows,
                         int64_t depth, int64_t columns, float scale) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const int64_t i = int64_t(blockIdx.y) * kTile + threadIdx.y,
                j = int64_t(blockIdx.x) * kTile + threadIdx.x;
  float sum = 0;
  for (int64_t k = 0; k < depth; k += kTile) {
    const int64_t across = k + threadIdx.x, down = k + threadIdx.y;
    left[threadIdx.y][threadIdx.x] =
        i < rows && across < depth ? x[i * depth + across] : 0;
    right[threadIdx.y][threadIdx.x] =
        j < columns && down < depth ? w[down * columns + j] : 0;
    __syncthreads();
    for (int step = 0; step < kTile; ++step)
      sum += left[threadIdx.y][step] * right[step][threadIdx.x];
    __syncthreads();
  }
  if (i < rows && j < columns)
    y[i * columns + j] = scale * sum;
}

// A function of the host: what the tensors point to is memory of the GPU. It
// gives the stream its work and returns; nothing here waits.
static void launch(const std::vector<Tensor> &in, const Param &params,
                   std::vector<Tensor> &out, const Context &context) {
  const Shape a = in[0].shape(), b = in[1].shape();
  if (out[0].shape().elements() == 0)
    return;
  const dim3 grid(unsigned((b[1] + kTile - 1) / kTile),
                  unsigned((a[0] + kTile - 1) / kTile));
  multiply<<<grid, dim3(kTile, kTile), 0,
             static_cast<cudaStream_t>(context.stream())>>>(
      in[0].data<float>(), in[1].data<float>(), out[0].data<float>(), a[0],
      a[1], b[1], params["scale"]);
  if (cudaError_t error = cudaGetLastError())
    throw std::runtime_error(cudaGetErrorString(error));
}

FUSEC_OP(MatMulScale).compute("cuda", launch);
