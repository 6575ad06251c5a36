// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of a convolution that is multiplied as matrices, the taps are loops around the blocks of
// terms: what a block copies for one tap begins where its columns do.
// RUN: fusec-opt %s --sched-compute --sched-tile | FileCheck %s --check-prefix=TILE
// RUN: fusec-opt %s --sched-compute --sched-tile --sched-map --sched-promote-arrays --sched-split-tails --sched-verify --convert-sched-to-kernel | FileCheck %s
module attributes {fuse.target = "cuda-sm80"} {
  // TILE-LABEL: sched.scop @conv
  // TILE: filter: {{.*}}mac
  // TILE: schedule: {{.*}} -> [(i3)]
  // TILE: schedule: {{.*}} -> [(floor((i4)/16))]
  // TILE: schedule: {{.*}} -> [(floor((i0)/16) - 2*floor((i0)/32))]
  // TILE: schedule: {{.*}} -> [((i4) mod 16)]

  // CHECK-LABEL: kernel.func @conv(
  // CHECK: kernel.for %{{.*}} = 0 to 3 carries
  // CHECK-NEXT: kernel.for %{{.*}} = 0 to 2 carries
  // CHECK: kernel.local : memref<16x40xf16, #kernel.space<shared>>
  // CHECK: kernel.local : memref<32x24xf16, #kernel.space<shared>>
  sched.scop @conv ins(%x: memref<32x7x34xf16>, %w: memref<32x3x32xf16>) outs(%y: memref<32x7x32xf32>) arrays(%a: memref<32x7x32xf32>)
      config(#sched.config<"default", [block<threads = 128, tile = [32, 1, 32], depth = 16>, thread<points = [4, 1, 2], matrices = "mma_f16">]>) {
    sched.stmt @init [i: 32, j: 7, k: 32] writes %a[i, j, k] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @mac [i: 32, j: 7, k: 32, t: 3, c: 32] reduces [t, c] reads %a[i, j, k], %x[c, j, k + t], %w[i, t, c] writes %a[i, j, k] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    sched.stmt @out [i: 32, j: 7, k: 32] reads %a[i, j, k] writes %y[i, j, k] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}
