// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that is not ours in style: CUB, cooperative groups and libcu++. What has no right
// form beside it is right.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/cub.cuh>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

extern "C" {
__global__ void block_sum(const int *x, int *y) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  int sum = Reduce(storage).Sum(x[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x == 0)
    y[blockIdx.x] = sum;
}
__global__ void block_sum_raking(const int *x, int *y) {
  using Reduce = cub::BlockReduce<int, 128, cub::BLOCK_REDUCE_RAKING>;
  __shared__ typename Reduce::TempStorage storage;
  int sum = Reduce(storage).Sum(x[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x == 0)
    y[blockIdx.x] = sum;
}
__global__ void block_scan(const int *x, int *y) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ typename Scan::TempStorage storage;
  int sum;
  Scan(storage).InclusiveSum(x[threadIdx.x], sum);
  y[threadIdx.x] = sum;
}
__global__ void warp_sums(const int *x, int *y) {
  using Reduce = cub::WarpReduce<int, 16>;
  __shared__ typename Reduce::TempStorage storage[4];
  int sum = Reduce(storage[threadIdx.x / 16]).Sum(x[threadIdx.x]);
  if (threadIdx.x % 16 == 0)
    y[threadIdx.x / 16] = sum;
}
__global__ void sort(const int *x, int *y) {
  using Sort = cub::BlockRadixSort<int, 64, 2>;
  __shared__ typename Sort::TempStorage storage;
  int keys[2] = {x[2 * threadIdx.x], x[2 * threadIdx.x + 1]};
  Sort(storage).Sort(keys);
  y[2 * threadIdx.x] = keys[0];
  y[2 * threadIdx.x + 1] = keys[1];
}
__global__ void group_scan(const int *x, int *y) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int v = x[threadIdx.x];
  y[threadIdx.x] = cg::inclusive_scan(tile, v) + cg::reduce(tile, v, cg::plus<int>());
}
}

// Wrong: the second reduction writes where threads still read the first one.
template <bool Right> __global__ void sums_twice(const int *x, int *y) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  int sum = Reduce(storage).Sum(x[threadIdx.x]);
  if (Right)
    __syncthreads();
  int twice = Reduce(storage).Sum(2 * x[threadIdx.x]);
  if (threadIdx.x == 0)
    *y = sum + twice;
}
template __global__ void sums_twice<false>(const int *, int *);
template __global__ void sums_twice<true>(const int *, int *);

// Wrong: it arrives, and does not wait for the others.
template <bool Right> __global__ void arrive(const float *x, float *y) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ float all[64];
  if (threadIdx.x == 0)
    init(&barrier, 64);
  __syncthreads();
  all[threadIdx.x] = x[threadIdx.x];
  auto token = barrier.arrive();
  if (Right)
    barrier.wait(std::move(token));
  y[threadIdx.x] = all[63 - threadIdx.x];
}
template __global__ void arrive<false>(const float *, float *);
template __global__ void arrive<true>(const float *, float *);

// Wrong: the second stage is read before its wait.
template <bool Right> __global__ void stages(const float *x, float *y) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ alignas(16) float stage[2][64];
  auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  for (int i = 0; i < 2; ++i) {
    pipeline.producer_acquire();
    cuda::memcpy_async(block, stage[i], x + 64 * i, cuda::aligned_size_t<16>(256), pipeline);
    pipeline.producer_commit();
  }
  for (int i = 0; i < 2; ++i) {
    if (Right || i == 0)
      pipeline.consumer_wait();
    y[64 * i + threadIdx.x] = stage[i][63 - threadIdx.x];
    pipeline.consumer_release();
  }
}
template __global__ void stages<false>(const float *, float *);
template __global__ void stages<true>(const float *, float *);
