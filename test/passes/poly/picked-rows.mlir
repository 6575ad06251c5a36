// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --sched-compute --sched-select-configs --split-input-file | FileCheck %s
// A product with rows that an index picks: lanes run along the rows, never along what
// the index changes with.

// Each row of the result picks rows of its own, so nothing is loaded once for several: a
// tile is wide, for each of its rows takes an index and a factor in each step.
// CHECK-LABEL: sched.scop @terms
// CHECK: registers<tile = [2, 128], order = [1, 0]>, unit<lanes = 16, along = [1, 1, 1]>
sched.scop @terms ins(%v: memref<512x96xf32>, %n: memref<512x96xi32>, %x: memref<2048x256xf32>) outs(%y: memref<512x256xf32>) arrays(%acc: memref<512x256xf32>) {
  sched.stmt @zero [i: 512, j: 256] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 512, j: 256, k: 96] reduces [k] reads %acc[i, j], %v[i, k], %n[i, k] writes %acc[i, j] {
  ^bb0(%s: f32, %0: f32, %1: i32):
    %2 = sched.gather %x at affine_map<(d0, d1, d2)[s0] -> (s0, d1)> [%1] : memref<2048x256xf32>, i32 -> f32
    %3 = math.fma %0, %2, %s : f32
    sched.yield %3 : f32
  }
  sched.stmt @store [i: 512, j: 256] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// Three vectors and an element more, in rows that begin anywhere.
// CHECK-LABEL: sched.scop @odd
// CHECK: config<"default", {{.*}}along = [1, 1, 1]
// CHECK: config<"default", {{.*}}along = [1, 1, 1]
sched.scop @odd ins(%v: memref<512x410xf32>, %n: memref<512x410xi32>, %x: memref<2048x49xf32>) outs(%y: memref<512x49xf32>) arrays(%acc: memref<512x49xf32>) {
  sched.stmt @zero [i: 512, j: 49] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 512, j: 49, k: 410] reduces [k] reads %acc[i, j], %v[i, k], %n[i, k] writes %acc[i, j] {
  ^bb0(%s: f32, %0: f32, %1: i32):
    %2 = sched.gather %x at affine_map<(d0, d1, d2)[s0] -> (s0, d1)> [%1] : memref<2048x49xf32>, i32 -> f32
    %3 = math.fma %0, %2, %s : f32
    sched.yield %3 : f32
  }
  sched.stmt @store [i: 512, j: 49] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
