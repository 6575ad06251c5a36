// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-select-configs=naive=false --sched-tile --sched-verify --verify-diagnostics | FileCheck %s

// Tile loops outside, point loops below the accumulation.
// CHECK-LABEL: sched.scop @gemm
// CHECK:       (floor((i0)/4))
// CHECK:       filter: \22{ init[i0, i1] }\22
// CHECK:       ((i0) mod 4)
// CHECK:       filter: \22{ mac[i0, i1, i2] }\22
// CHECK-NEXT:  child:
// CHECK-NEXT:  schedule: \22[{ mac[i0, i1, i2] -> [(i2)] }]\22
// CHECK:       ((i0) mod 4)
// CHECK:       filter: \22{ epi[i0, i1] }\22
sched.scop @gemm ins(%x: memref<128x64xf32>, %w: memref<64x256xf32>) outs(%y: memref<128x256xf32>) arrays(%acc: memref<128x256xf32>) {
  sched.stmt @init [i: 128, j: 256] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 128, j: 256, k: 64] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 128, j: 256] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// CHECK-LABEL: sched.scop @apart
// CHECK:       set:
// CHECK-NOT:   floor
// expected-remark @below {{not tiled: no loop is shared by all statements}}
// expected-remark @below {{runs on one thread}}
sched.scop @apart ins(%x: memref<64xf32>) outs(%y: memref<64xf32>, %z: memref<32xf32>) {
  sched.stmt @a [i: 64] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @b [i: 32] reads %x[i] writes %z[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
