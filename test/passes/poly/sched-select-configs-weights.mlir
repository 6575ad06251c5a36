// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --sched-compute --sched-select-configs --split-input-file | FileCheck %s

// Rows of a weight become panels: nothing of them is in each other's place, as rows of
// 4096 bytes are of what is computed (sched-select-configs.mlir).
// CHECK-LABEL: sched.scop @panels
// CHECK-NOT:   depth
// CHECK:       schedule(
module attributes {fuse.target = "sapphire-rapids"} {
  sched.scop @panels ins(%x: memref<1024x1024xf32>, %w: memref<1024x1024xf32>) outs(%y: memref<1024x1024xf32>) arrays(%acc: memref<1024x1024xf32>)
      attributes {weights = array<i64: 1>} {
    sched.stmt @init [i: 1024, j: 1024] writes %acc[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @mac [i: 1024, j: 1024, k: 1024] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
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

// -----

// Weights that no cache holds are read from memory, once: blocks of rows would read them
// for each block.
// CHECK-LABEL: sched.scop @once
// CHECK-NOT:   blocks
// CHECK:       schedule(
module attributes {fuse.target = "sapphire-rapids"} {
  sched.scop @once ins(%x: memref<128x3072xf32>, %w: memref<3072x768xf32>) outs(%y: memref<128x768xf32>) arrays(%acc: memref<128x768xf32>)
      attributes {weights = array<i64: 1>} {
    sched.stmt @init [i: 128, j: 768] writes %acc[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @mac [i: 128, j: 768, k: 3072] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    sched.stmt @epi [i: 128, j: 768] reads %acc[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}
