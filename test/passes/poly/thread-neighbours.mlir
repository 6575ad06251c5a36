// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which points neighbouring threads have: those that touch the fewest sectors of memory,
// also where the loop along it has fewer iterations than a warp has threads, and they go
// on along others.
// RUN: fusec-opt %s --sched-compute --sched-select-configs | FileCheck %s

module attributes {fuse.target = "cuda-sm80"} {
  // Two rows of 4 in each sector of what is read, and all of what is written.
  // CHECK-LABEL: sched.scop @pool
  // CHECK:       "default", [block<threads = 256, tile = [16, 4, 4]>
  sched.scop @pool ins(%x: memref<10240x8x8xf32>) outs(%y: memref<10240x4x4xf32>) {
    sched.stmt @low [i: 10240, j: 4, k: 4] writes %y[i, j, k] {
      %0 = arith.constant 0xFF800000 : f32
      sched.yield %0 : f32
    }
    sched.stmt @max [i: 10240, j: 4, k: 4, l: 2, m: 2] reduces [l, m] reads %y[i, j, k], %x[i, j * 2 + l, k * 2 + m] writes %y[i, j, k] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.maximumf %0, %1 : f32
      sched.yield %2 : f32
    }
  }

  // Rows of channels, which follow each other in memory.
  // CHECK-LABEL: sched.scop @channels_last
  // CHECK:       "default", [block<threads = 256, tile = [1, 1, 256]>
  sched.scop @channels_last ins(%x: memref<8x8x10240xf32>) outs(%y: memref<4x4x10240xf32>) {
    sched.stmt @low [j: 4, k: 4, i: 10240] writes %y[j, k, i] {
      %0 = arith.constant 0xFF800000 : f32
      sched.yield %0 : f32
    }
    sched.stmt @max [j: 4, k: 4, i: 10240, l: 2, m: 2] reduces [l, m] reads %y[j, k, i], %x[j * 2 + l, k * 2 + m, i] writes %y[j, k, i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.maximumf %0, %1 : f32
      sched.yield %2 : f32
    }
  }

  // One side or the other goes across. A warp has 3 by 4 points of two or three j: rows of
  // 8 or 9 elements on either side.
  // CHECK-LABEL: sched.scop @turned
  // CHECK:       "default", [block<threads = 256, tile = [3, 21, 4], order = [1, 2, 0]>
  sched.scop @turned ins(%x: memref<4x5000x3xf32>) outs(%y: memref<3x5000x4xf32>) {
    sched.stmt @turn [i: 3, j: 5000, k: 4] reads %x[k, j, i] writes %y[i, j, k] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}
