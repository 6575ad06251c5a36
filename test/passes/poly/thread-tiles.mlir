// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On a GPU, a block has a tile of a contraction, and a thread several of its points in
// registers; what all of them read is in shared memory, a part of the reduction at a time.
// RUN: fusec-opt %s --sched-compute --sched-tile | FileCheck %s --check-prefix=TILE
// RUN: fusec-opt %s --sched-compute --sched-tile --sched-map --sched-promote-arrays --sched-split-tails --sched-verify | FileCheck %s --check-prefix=TREE
// RUN: fusec-opt %s --sched-compute --sched-tile --sched-map --sched-promote-arrays --convert-sched-to-kernel | FileCheck %s

// CHECK-DAG: #[[STEPS:.*]] = affine_map<(d0) -> (8, d0 * -8 + 29)>
// CHECK-DAG: #[[X:.*]] = affine_set<(d0, d1, d2, d3) : (d0 * -16 - d2 + 36 >= 0, d1 * -8 - d3 + 28 >= 0)>
// CHECK-DAG: #[[Y:.*]] = affine_set<(d0, d1, d2, d3, d4, d5) : (d0 * -16 - d2 * 2 - d4 + 36 >= 0, d1 * -32 - d3 - d5 * 8 + 40 >= 0)>

module attributes {fuse.target = "cuda-sm80"} {
  // Rows of a thread lie side by side, its columns as far apart as there are threads.
  // TILE-LABEL: sched.scop @gemm
  // TILE: [(floor((i0)/16))]{{.*}}[(floor((i1)/32))]
  // TILE: filter: {{.*}}init
  // TILE: schedule: {{.*}}[{ init[i0, i1] -> [(floor((i0)/2) - 8*floor((i0)/16))] }, { init[i0, i1] -> [((i1) mod 8)] }]
  // TILE: schedule: {{.*}}[{ init[i0, i1] -> [((i0) mod 2)] }, { init[i0, i1] -> [(floor((i1)/8) - 4*floor((i1)/32))] }]
  // TILE: filter: {{.*}}mac
  // TILE: [(floor((i2)/8))]
  // TILE: [(floor((i0)/2) - 8*floor((i0)/16))]
  // TILE: [((i2) mod 8)]
  // TILE: [((i0) mod 2)]

  // TREE-LABEL: sched.scop @gemm
  // TREE: mark: {{.*}}local_m4_2x4_by1x8
  // TREE: mark: {{.*}}copy_m0_16x8_last0
  // TREE: mark: {{.*}}copy_m1_8x32
  // TREE: mark: {{.*}}thread

  // CHECK-LABEL: kernel.func @gemm(
  // CHECK-SAME: schedule = "tile 16x32, 64 threads, 2x4 points each, depth 8", threads = 64
  // CHECK: kernel.for %[[IB:.*]] = 0 to 3 map(block) {
  // CHECK-NEXT: kernel.for %[[JB:.*]] = 0 to 2 map(block) {
  // CHECK-NEXT: %[[ACC:.*]] = kernel.local : memref<2x4xf32, #kernel.space<thread>>
  // What is not there is computed too: nobody sees it.
  // CHECK-NEXT: kernel.for %{{.*}} = 0 to 8 map(thread) {
  // CHECK-NEXT: kernel.for %{{.*}} = 0 to 8 map(thread) {
  // CHECK-NEXT: kernel.for %[[I:.*]] = 0 to 2 map(unroll) {
  // CHECK-NEXT: kernel.for %[[J:.*]] = 0 to 4 map(unroll) {
  // CHECK-NEXT: arith.constant
  // CHECK-NEXT: kernel.store %{{.*}}, %[[ACC]][%[[I]], %[[J]]]
  // CHECK: kernel.for %[[KT:.*]] = 0 to 4 carries(add %[[ACC]]
  // CHECK-NEXT: %[[XS:.*]] = kernel.local : memref<8x20xf32, #kernel.space<shared>>
  // CHECK-NEXT: %[[WS:.*]] = kernel.local : memref<8x32xf32, #kernel.space<shared>>
  // What was there has been read.
  // CHECK-NEXT: kernel.barrier block
  // CHECK-NEXT: kernel.for %[[I:.*]] = 0 to 16 map(thread) {
  // CHECK-NEXT: kernel.for %[[K:.*]] = 0 to 8 map(thread) {
  // CHECK-NEXT: %[[IN:.*]] = kernel.in_bounds #[[X]](%[[IB]], %[[KT]], %[[I]], %[[K]])
  // CHECK-NEXT: kernel.load %{{.*}}[%[[IB]] * 16 + %[[I]], %[[KT]] * 8 + %[[K]]] mask %[[IN]] fill 0.0
  // CHECK-NEXT: kernel.store %{{.*}}, %[[XS]][%[[K]], %[[I]]]
  // CHECK: kernel.store %{{.*}}, %[[WS]]
  // CHECK: kernel.barrier block
  // CHECK-NEXT: kernel.for %[[IT:.*]] = 0 to 8 map(thread) {
  // CHECK-NEXT: kernel.for %[[JT:.*]] = 0 to 8 map(thread) {
  // CHECK: kernel.for %[[K:.*]] = 0 to min #[[STEPS]](%[[KT]])
  // CHECK-NEXT: kernel.for %[[I:.*]] = 0 to 2 map(unroll) {
  // CHECK-NEXT: kernel.for %[[J:.*]] = 0 to 4 map(unroll) {
  // CHECK-NEXT: kernel.load %[[ACC]][%[[I]], %[[J]]]
  // CHECK-NEXT: kernel.load %[[XS]][%[[K]], %[[IT]] * 2 + %[[I]]]
  // CHECK-NEXT: kernel.load %[[WS]][%[[K]], %[[JT]] + %[[J]] * 8]
  // The epilogue is in registers.
  // CHECK: kernel.for %[[IT:.*]] = 0 to 8 map(thread) {
  // CHECK-NEXT: kernel.for %[[JT:.*]] = 0 to 8 map(thread) {
  // CHECK-NEXT: kernel.for %[[I:.*]] = 0 to 2 map(unroll) {
  // CHECK-NEXT: kernel.for %[[J:.*]] = 0 to 4 map(unroll) {
  // CHECK-NEXT: kernel.if #[[Y]](%[[IB]], %[[JB]], %[[IT]], %[[JT]], %[[I]], %[[J]]) {
  // CHECK-NEXT: kernel.load %[[ACC]][%[[I]], %[[J]]]
  // CHECK: kernel.store
  sched.scop @gemm ins(%x: memref<37x29xf32>, %w: memref<29x41xf32>, %b: memref<41xf32>)
      outs(%y: memref<37x41xf32>) arrays(%acc: memref<37x41xf32>)
      config(#sched.config<"default", [block<threads = 64, tile = [16, 32], depth = 8>, thread<points = [2, 4], unroll = 128>]>) {
    sched.stmt @init [i: 37, j: 41] writes %acc[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @mac [i: 37, j: 41, k: 29] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    sched.stmt @out [i: 37, j: 41] reads %acc[i, j], %b[j] writes %y[i, j] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
  }

  // Windows with padding, and steps of 2: what lies outside of the image is in shared memory,
  // and the loop that multiplies tests nothing. A reduction of even blocks is unrolled.
  // TREE-LABEL: sched.scop @conv
  // TREE: mark: {{.*}}local_m3_4x1x2_by1x1x8
  // TREE: mark: {{.*}}copy_m0_2x1x33
  // TREE: mark: {{.*}}copy_m1_16x2x3_last0
  // CHECK-LABEL: kernel.func @conv(
  // CHECK: kernel.for %{{.*}} carries
  // CHECK-NEXT: %[[XS:.*]] = kernel.local : memref<2x33xf32, #kernel.space<shared>>
  // CHECK-NEXT: %[[WS:.*]] = kernel.local : memref<2x3x20xf32, #kernel.space<shared>>
  // CHECK: kernel.in_bounds
  // CHECK-NEXT: kernel.load %{{.*}} fill 1.0
  // CHECK-NEXT: kernel.store %{{.*}}, %[[XS]]
  // CHECK: kernel.barrier block
  // CHECK-NOT: kernel.in_bounds
  // CHECK: kernel.for %[[C:.*]] = 0 to 2 map(unroll)
  // CHECK-NEXT: kernel.for %[[D:.*]] = 0 to 3 map(unroll)
  // CHECK-NEXT: kernel.for %[[O:.*]] = 0 to 4 map(unroll)
  // CHECK-NEXT: kernel.for %[[J:.*]] = 0 to 2 map(unroll)
  // CHECK-NEXT: kernel.load
  // CHECK-NEXT: kernel.load %[[XS]][%[[C]], %{{.*}} * 2 + %[[D]] + %[[J]] * 16]
  // CHECK-NEXT: kernel.load %[[WS]][%[[C]], %[[D]], %{{.*}} * 4 + %[[O]]]
  sched.scop @conv ins(%x: memref<4x5x65xf32>, %w: memref<16x4x3xf32>) outs(%y: memref<16x5x33xf32>)
      arrays(%acc: memref<16x5x33xf32>)
      config(#sched.config<"default", [block<threads = 32, tile = [16, 1, 16], depth = 2>, thread<points = [4, 1, 2], unroll = 64>]>) {
    sched.stmt @init [o: 16, i: 5, j: 33] writes %acc[o, i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @mac [o: 16, i: 5, j: 33, c: 4, d: 3] reduces [c, d] reads %acc[o, i, j], %x[c, i, j * 2 + d - 1] else 1.0 : f32, %w[o, c, d] writes %acc[o, i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    sched.stmt @out [o: 16, i: 5, j: 33] reads %acc[o, i, j] writes %y[o, i, j] {
    ^bb0(%0: f32):
      %1 = math.sqrt %0 : f32
      sched.yield %1 : f32
    }
  }
}
