// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that is not ours in style: CUB and cooperative groups. All of it is right.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/cub.cuh>
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
