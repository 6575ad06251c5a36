// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions of few results on a GPU: blocks have parts of the reduction of a tile.
// RUN: fusec-opt %s --sched-compute --sched-tile --sched-map --sched-promote-arrays --sched-split-tails --sched-verify | FileCheck %s --check-prefix=TREE
// RUN: fusec-opt %s --sched-compute --sched-tile --sched-map --sched-promote-arrays --convert-sched-to-kernel | FileCheck %s

module attributes {fuse.target = "cuda-sm80"} {
  // TREE-LABEL: sched.scop @gemm
  // TREE: mark: {{.*}}local_m4_2x4_by1x8
  // TREE: mark: {{.*}}split
  // TREE: [(floor((i2)/16))]
  // TREE: [(floor((i2)/8) - 2*floor((i2)/16))]
  // TREE: mark: {{.*}}copy_m0_16x8_last0
  // TREE: mark: {{.*}}thread

  // CHECK-LABEL: kernel.func @gemm(
  // CHECK: kernel.for %[[IB:.*]] = 0 to 3 map(block) {
  // CHECK-NEXT: kernel.for %[[JB:.*]] = 0 to 2 map(block) {
  // CHECK-NEXT: %[[ACC:.*]] = kernel.local : memref<2x4xf32, #kernel.space<thread>>
  // CHECK: kernel.for %[[KB:.*]] = 0 to 4 map(block) carries(add %[[ACC]]
  // CHECK-NEXT: kernel.for %[[KT:.*]] = 0 to 2 carries(add %[[ACC]]
  // CHECK: kernel.load %x[%[[IB]] * 16 + %{{.*}}, %[[KB]] * 16 + %[[KT]] * 8 + %{{.*}}]
  // CHECK: kernel.store %{{.*}}, %y
  sched.scop @gemm ins(%x: memref<37x64xf32>, %w: memref<64x41xf32>, %b: memref<41xf32>) outs(%y: memref<37x41xf32>) arrays(%s: memref<37x41xf32>)
      config(#sched.config<"default", [grid<split = 16, combine = last_block>, block<threads = 64, tile = [16, 32], depth = 8>, thread<points = [2, 4], unroll = 64>]>) {
    sched.stmt @init [i: 37, j: 41] writes %s[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @mac [i: 37, j: 41, k: 64] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    sched.stmt @out [i: 37, j: 41] reads %s[i, j], %b[j] writes %y[i, j] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
  }

  // A block of the reduction each: nothing is loaded again, so nobody waits before.
  // CHECK-LABEL: kernel.func @added(
  // CHECK: kernel.for %[[KB:.*]] = 0 to 4 map(block) atomic carries(add
  // CHECK-NOT: kernel.barrier
  // CHECK: kernel.load %x[
  // CHECK: kernel.load %w[
  // CHECK: kernel.barrier block
  // CHECK-NOT: kernel.barrier
  // CHECK: kernel.return
  sched.scop @added ins(%x: memref<37x64xf32>, %w: memref<64x41xf32>) outs(%y: memref<37x41xf32>) arrays(%s: memref<37x41xf32>)
      config(#sched.config<"default", [grid<split = 16>, block<threads = 64, tile = [16, 32], depth = 16>, thread<points = [2, 4], unroll = 64>]>) {
    sched.stmt @init [i: 37, j: 41] writes %s[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @mac [i: 37, j: 41, k: 64] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    sched.stmt @out [i: 37, j: 41] reads %s[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}
