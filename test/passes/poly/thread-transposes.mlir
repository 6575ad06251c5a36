// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What neighbouring threads of a GPU read across memory a block has in shared memory, a
// tile at a time: loaded along its rows, and read along its columns.
// RUN: fusec-opt %s --sched-compute --sched-select-configs --sched-tile --sched-map --sched-promote-arrays --sched-split-tails --sched-place-barriers --sched-verify -o /dev/null
// RUN: fusec-opt %s --sched-compute --sched-select-configs --sched-tile --sched-map --sched-promote-arrays --convert-sched-to-kernel | FileCheck %s

module attributes {fuse.target = "cuda-sm80"} {
  // Rows begin where the widest accesses do, four elements further in other banks.
  // CHECK-LABEL: kernel.func @across(
  // CHECK-SAME: schedule = "tile 32x32, 256 threads, 4x1 points each", threads = 256
  // CHECK: kernel.for %[[I:.*]] = 0 to 32 map(block) {
  // CHECK-NEXT: kernel.for %[[J:.*]] = 0 to 48 map(block) {
  // CHECK-NEXT: %[[X:.*]] = kernel.local : memref<32x36xf32, #kernel.space<shared>>
  // CHECK-NEXT: kernel.for %[[D:.*]] = 0 to 32 map(thread) {
  // CHECK-NEXT: kernel.for %[[A:.*]] = 0 to 32 map(thread) {
  // CHECK: kernel.load %x[%[[J]] * 32 + %[[D]], %[[I]] * 32 + %[[A]]]
  // CHECK-NEXT: kernel.store %{{.*}}, %[[X]][%[[D]], %[[A]]]
  // CHECK: kernel.barrier block
  // CHECK: kernel.load %[[X]]
  sched.scop @across ins(%x: memref<1536x1024xf32>) outs(%y: memref<1024x1536xf32>) {
    sched.stmt @across [i: 1024, j: 1536] reads %x[j, i] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }

  // Where they do not, one element further; what comes along memory stays there.
  // CHECK-LABEL: kernel.func @odd(
  // CHECK: kernel.local : memref<32x33xf32, #kernel.space<shared>>
  // CHECK-NOT: kernel.local {{.*}}shared
  // CHECK: kernel.return
  sched.scop @odd ins(%x: memref<1536x1023xf32>, %z: memref<1023x1536xf32>) outs(%y: memref<1023x1536xf32>) {
    sched.stmt @odd [i: 1023, j: 1536] reads %x[j, i], %z[i, j] writes %y[i, j] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
  }

  // A scalar has no columns.
  // CHECK-LABEL: kernel.func @scaled(
  // CHECK: kernel.local : memref<32x36xf32, #kernel.space<shared>>
  // CHECK-NOT: kernel.local {{.*}}shared
  // CHECK: kernel.return
  sched.scop @scaled ins(%x: memref<1536x1024xf32>, %s: memref<f32>) outs(%y: memref<1024x1536xf32>) {
    sched.stmt @scaled [i: 1024, j: 1536] reads %x[j, i], %s[] writes %y[i, j] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.mulf %0, %1 : f32
      sched.yield %2 : f32
    }
  }

  // A column of a few elements is no tile.
  // CHECK-LABEL: kernel.func @narrow(
  // CHECK-NOT: shared
  // CHECK: kernel.return
  sched.scop @narrow ins(%x: memref<65536x8xf32>) outs(%y: memref<8x65536xf32>) {
    sched.stmt @narrow [i: 8, j: 65536] reads %x[j, i] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}
