// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-select-configs=variants=1 --sched-tile --sched-verify --verify-diagnostics | FileCheck %s

// Tile loops outside, point loops below the accumulation.
// CHECK-LABEL: sched.scop @gemm
// CHECK:       (floor((i0)/6))
// CHECK:       filter: \22{ init[i0, i1] }\22
// CHECK:       ((i0) mod 6)
// CHECK:       filter: \22{ mac[i0, i1, i2] }\22
// CHECK-NEXT:  child:
// CHECK-NEXT:  schedule: \22[{ mac[i0, i1, i2] -> [(i2)] }]\22
// CHECK:       ((i0) mod 6)
// CHECK:       filter: \22{ epi[i0, i1] }\22
sched.scop @gemm ins(%x: memref<120x64xf32>, %w: memref<64x256xf32>) outs(%y: memref<120x256xf32>) arrays(%acc: memref<120x256xf32>) {
  sched.stmt @init [i: 120, j: 256] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 120, j: 256, k: 64] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 120, j: 256] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// CHECK-LABEL: sched.scop @apart
// CHECK:       sequence:
// CHECK-NOT:   floor
// expected-remark @below {{not tiled: no loop is shared by all statements}}
// expected-remark @below {{runs on one thread}}
sched.scop @apart ins(%x: memref<64xf32>) outs(%y: memref<64xf32>) arrays(%t: memref<f32>) {
  sched.stmt @init [] writes %t[] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64] reduces [i] reads %t[], %x[i] writes %t[] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 64] reads %t[], %x[i] writes %y[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %1, %0 : f32
    sched.yield %2 : f32
  }
}

// -----

// Only rows are shared. Below them the product with a row has its columns on
// lanes: four rows and 16 columns make a tile, whose loops move inside of the sum.
// The scores, whose columns are apart in memory, keep their order, row by row.
// CHECK-LABEL: sched.scop @attention
// CHECK:       (floor((i0)/4))
// CHECK:       sequence:
// CHECK-NEXT:  filter: \22{ greatest_init[i0]; greatest[i0, i1]; score[i0, i1, i2]; score_init[i0, i1] }\22
// CHECK-NEXT:  child:
// CHECK-NEXT:  ((i0) mod 4)
// CHECK:       filter: \22{ score[i0, i1, i2] }\22
// CHECK-NEXT:  child:
// CHECK-NEXT:  schedule: \22[{ score[i0, i1, i2] -> [(i2)] }]\22
// CHECK:       (floor((i1)/16))
// CHECK:       sequence:
// CHECK:       filter: \22{ mac[i0, i1, i2] }\22
// CHECK-NEXT:  child:
// CHECK-NEXT:  schedule: \22[{ mac[i0, i1, i2] -> [(i2)] }]\22
// CHECK:       child:
// CHECK:       ((i0) mod 4)
// CHECK-SAME:  ((i1) mod 16)
sched.scop @attention ins(%q: memref<8x32xf32>, %k: memref<24x32xf32>, %v: memref<24x80xf32>) outs(%y: memref<8x80xf32>) arrays(%s: memref<8x24xf32>, %m: memref<8xf32>, %acc: memref<8x80xf32>) {
  sched.stmt @score_init [i: 8, j: 24] writes %s[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @score [i: 8, j: 24, k: 32] reduces [k] reads %s[i, j], %q[i, k], %k[j, k] writes %s[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @greatest_init [i: 8] writes %m[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  sched.stmt @greatest [i: 8, j: 24] reduces [j] reads %m[i], %s[i, j] writes %m[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.maximumf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @init [i: 8, j: 80] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 8, j: 80, k: 24] reduces [k] reads %acc[i, j], %s[i, k], %m[i], %v[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32, %3: f32):
    %4 = arith.subf %1, %2 : f32
    %5 = math.fma %4, %3, %0 : f32
    sched.yield %5 : f32
  }
  sched.stmt @out [i: 8, j: 80] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
