// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On a GPU, a thread runs a point of the outer band, and all that stands below it.
// RUN: fusec-opt %s --sched-compute --sched-select-configs --sched-tile --sched-map --sched-promote-arrays --sched-split-tails --sched-verify | FileCheck %s --check-prefix=TREE
// RUN: fusec-opt %s --sched-compute --sched-select-configs --sched-tile --sched-map --sched-promote-arrays --convert-sched-to-kernel | FileCheck %s

// CHECK: #[[TAIL:.*]] = affine_set<(d0, d1) : (d0 * -25 - d1 + 319 >= 0)>

module attributes {fuse.target = "cuda-sm80"} {
  // Tiles of equal size: 300 are two of 150, which take 5 warps.
  // TREE-LABEL: sched.scop @scale
  // TREE: threads = 160, tile = [1, 150]>
  // TREE: mark: {{.*}}block
  // TREE: mark: {{.*}}block
  // TREE: mark: {{.*}}thread
  // CHECK-LABEL: kernel.func @scale(
  // CHECK-SAME: schedule = "tile 1x150, 160 threads", threads = 160
  // CHECK: kernel.for %[[I:.*]] = 0 to 10 map(block) {
  // CHECK-NEXT: kernel.for %[[T:.*]] = 0 to 2 map(block) {
  // CHECK-NEXT: kernel.for %[[J:.*]] = 0 to 150 map(thread) {
  // CHECK-NEXT: kernel.load %{{.*}}[%[[I]], %[[T]] * 150 + %[[J]]]
  sched.scop @scale ins(%x: memref<10x300xf32>) outs(%y: memref<10x300xf32>) {
    sched.stmt @scale [i: 10, j: 300] reads %x[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      %1 = arith.addf %0, %0 : f32
      sched.yield %1 : f32
    }
  }

  // The naive variant is one block's, whose threads share a loop of each statement:
  // the longest that carries nothing.
  // CHECK-LABEL: kernel.func @scale_naive(
  // CHECK-SAME: threads = 512
  // CHECK: kernel.for %{{.*}} = 0 to 10 {
  // CHECK-NEXT: kernel.for %{{.*}} = 0 to 300 map(thread) {

  // A column is a thread's, and so is what it adds up in.
  // CHECK-LABEL: kernel.func @sums(
  // CHECK: kernel.for %{{.*}} map(block)
  // CHECK-NEXT: kernel.for %{{.*}} map(thread)
  // CHECK-NEXT: kernel.local : memref<f32, #kernel.space<thread>>
  // CHECK: kernel.for %{{.*}} = 0 to 20 carries(add
  sched.scop @sums ins(%x: memref<20x1000xf32>) outs(%y: memref<1000xf32>) arrays(%acc: memref<1000xf32>) {
    sched.stmt @init [i: 1000] writes %acc[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [i: 1000, j: 20] reduces [j] reads %acc[i], %x[j, i] writes %acc[i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
    sched.stmt @out [i: 1000] reads %acc[i] writes %y[i] {
    ^bb0(%0: f32):
      %1 = math.sqrt %0 : f32
      sched.yield %1 : f32
    }
  }

  // Along what lies side by side in memory, and a short loop with it.
  // TREE-LABEL: sched.scop @turned
  // TREE: threads = 256, tile = [5, 50], order = [1, 0]>
  sched.scop @turned ins(%x: memref<50x5xf32>) outs(%y: memref<50x5xf32>) {
    sched.stmt @turned [i: 5, j: 50] reads %x[j, i] writes %y[j, i] {
    ^bb0(%0: f32):
      %1 = arith.addf %0, %0 : f32
      sched.yield %1 : f32
    }
  }

  // The last tile has fewer rows: a condition in a nest of constant bounds.
  // CHECK-LABEL: kernel.func @tail(
  // CHECK: kernel.for %[[T:.*]] = 0 to 13 map(block) {
  // CHECK-NEXT: kernel.for %[[I:.*]] = 0 to 25 map(thread) {
  // CHECK-NEXT: kernel.for %[[J:.*]] = 0 to 10 map(thread) {
  // CHECK-NEXT: kernel.if #[[TAIL]](%[[T]], %[[I]]) {
  // CHECK-NEXT: kernel.load %{{.*}}[%[[T]] * 25 + %[[I]], %[[J]]]
  sched.scop @tail ins(%x: memref<320x10xf32>) outs(%y: memref<320x10xf32>) {
    sched.stmt @tail [i: 320, j: 10] reads %x[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      %1 = arith.addf %0, %0 : f32
      sched.yield %1 : f32
    }
  }
}
