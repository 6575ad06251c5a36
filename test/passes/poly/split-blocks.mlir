// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Long reductions of few rows on a GPU: blocks share one.
// RUN: fusec-opt %s --sched-compute --sched-select-configs --sched-tile --sched-map --sched-promote-arrays --sched-place-barriers --sched-verify | FileCheck %s --check-prefix=TREE
// RUN: fusec-opt %s --sched-compute --sched-select-configs --sched-tile --sched-map --sched-promote-arrays --sched-place-barriers --convert-sched-to-kernel | FileCheck %s

module attributes {fuse.target = "cuda-sm80"} {
  // TREE-LABEL: sched.scop @norm
  // TREE:       [grid<split = {{[0-9]+}}, combine = last_block>, block<threads = 256, tile = [1]>, team<of = block, loops = [-1, 1, -1], width = 4>]>
  // TREE:       mark: {{.*}}block
  // TREE:       mark: {{.*}}local_m2_1
  // TREE:       mark: {{.*}}split
  // TREE:       mark: {{.*}}vector
  // TREE:       mark: {{.*}}unroll
  // CHECK-LABEL: kernel.func @norm(
  // CHECK:       kernel.for %[[I:.*]] = 0 to 8 map(block) {
  // CHECK-NEXT:    %[[S:.*]] = kernel.local : memref<f32, #kernel.space<thread>>
  // CHECK:         kernel.for %[[T:.*]] = 0 to {{[0-9]+}} map(block) carries(add %[[S]]
  // CHECK-NEXT:      kernel.for %[[J:.*]] = 0 to {{[0-9]+}} map(thread) carries(add %[[S]]
  // CHECK-NEXT:        kernel.for %[[K:.*]] = 0 to 4 map(unroll) carries(add %[[S]]
  // CHECK:           kernel.load %x[%[[I]], %[[T]] * {{[0-9]+}} + %[[J]] * 4 + %[[K]]]
  // CHECK:         kernel.for %{{.*}} = 0 to 1 map(thread) {
  // CHECK:           math.sqrt
  sched.scop @norm ins(%x: memref<8x1000000xf32>) outs(%y: memref<8xf32>) arrays(%s: memref<8xf32>) {
    sched.stmt @zero [i: 8] writes %s[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [i: 8, j: 1000000] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
    ^bb0(%0: f32, %1: f32):
      %2 = math.fma %1, %1, %0 : f32
      sched.yield %2 : f32
    }
    sched.stmt @out [i: 8] reads %s[i] writes %y[i] {
    ^bb0(%0: f32):
      %1 = math.sqrt %0 : f32
      sched.yield %1 : f32
    }
  }

  // Enough rows for all cores have a block each.
  // TREE-LABEL: sched.scop @many
  // TREE-NOT:   split =
  // TREE:       sched.scop @many_naive
  sched.scop @many ins(%x: memref<4000x10000xf32>) outs(%y: memref<4000xf32>) arrays(%s: memref<4000xf32>) {
    sched.stmt @zero [i: 4000] writes %s[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [i: 4000, j: 10000] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
    sched.stmt @out [i: 4000] reads %s[i] writes %y[i] {
    ^bb0(%0: f32):
      %1 = math.sqrt %0 : f32
      sched.yield %1 : f32
    }
  }

  // What others see is not added up in by several blocks.
  // TREE-LABEL: sched.scop @seen
  // TREE-NOT:   split =
  // TREE:       sched.scop @seen_naive
  sched.scop @seen ins(%x: memref<2x1000000xf32>) outs(%s: memref<2xf32>) {
    sched.stmt @zero [i: 2] writes %s[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [i: 2, j: 1000000] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
  }
}
