// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads share a loop around others where what it accesses lies side by side and what
// the loops in it access does not: each of them runs these for iterations of its own.
// RUN: fusec-opt %s --sched-compute --sched-select-configs=variants=1 --sched-tile --sched-map --sched-promote-arrays --sched-place-barriers --sched-verify > %t.tree
// RUN: FileCheck %s --check-prefix=TREE --input-file %t.tree
// RUN: fusec-opt %t.tree --convert-sched-to-kernel | FileCheck %s

module attributes {fuse.target = "cuda-sm80"} {
  // Rows that threads could have one each are a warp's: what no loop shares of them takes
  // all rows side by side, not one after the other.
  // TREE-LABEL: sched.scop @weighted
  // TREE:       block<threads = 256, {{.*}}loops = [-1, 1, 1, 1, 1, 1]
  // TREE:       mark: {{.*}}vector
  // TREE:       schedule: {{.*}}make[i0, i1] -> [(i1)]
  // TREE:       mark: {{.*}}vector
  // TREE:       schedule: {{.*}}add[i0, i1, i2] -> [(i1)]
  // TREE:       schedule: {{.*}}add[i0, i1, i2] -> [(i2)]

  // CHECK-LABEL: kernel.func @weighted(
  // CHECK:       kernel.for %{{.*}} map(warp)
  // CHECK:       kernel.for %{{.*}} = 0 to 7 map(thread)
  // CHECK:       kernel.barrier {{ *}}warp
  // CHECK-NEXT:  kernel.for %{{.*}} = 0 to 128 map(thread) {
  // CHECK-NEXT:    kernel.local : memref<f32, #kernel.space<thread>>
  // CHECK:         kernel.for %{{.*}} = 0 to 7 carries(add
  // CHECK-NOT:   map(thread)
  // CHECK:       kernel.return
  sched.scop @weighted ins(%x: memref<3072x7xf32>, %v: memref<7x128xf32>) outs(%y: memref<3072x128xf32>)
      arrays(%most: memref<3072xf32>, %e: memref<3072x7xf32>, %sum: memref<3072x128xf32>) {
    sched.stmt @start [i: 3072] writes %most[i] {
      %0 = arith.constant 0xFF800000 : f32
      sched.yield %0 : f32
    }
    sched.stmt @most [i: 3072, j: 7] reduces [j] reads %most[i], %x[i, j] writes %most[i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.maximumf %0, %1 : f32
      sched.yield %2 : f32
    }
    sched.stmt @make [i: 3072, j: 7] reads %x[i, j], %most[i] writes %e[i, j] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.subf %0, %1 : f32
      %3 = math.exp %2 : f32
      sched.yield %3 : f32
    }
    sched.stmt @begin [i: 3072, k: 128] writes %sum[i, k] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @add [i: 3072, k: 128, j: 7] reduces [j] reads %sum[i, k], %e[i, j], %v[j, k] writes %sum[i, k] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    sched.stmt @end [i: 3072, k: 128] reads %sum[i, k] writes %y[i, k] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}
