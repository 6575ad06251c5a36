// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: timeout 60 fusec-opt %s --sched-compute --sched-select-configs=variants=1 | FileCheck %s
// What tiles keep in caches is counted, however long their rows are: this takes a
// tenth of a second, and took hours when each line was listed.

// CHECK: tile = [12, 32]
module attributes {fuse.target = "sapphire-rapids"} {
  sched.scop @long ins(%x: memref<1024x268435456xf32>, %w: memref<268435456x1024xf32>) outs(%y: memref<1024x1024xf32>) arrays(%acc: memref<1024x1024xf32>) {
    sched.stmt @init [i: 1024, j: 1024] writes %acc[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @mac [i: 1024, j: 1024, k: 268435456] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    sched.stmt @epi [i: 1024, j: 1024] reads %acc[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}
