// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns that lie side by side, which the threads of a block reduce together.
// RUN: fusec-opt %s --sched-compute=proposer=structural --sched-select-configs --sched-tile --sched-map --sched-promote-arrays --sched-place-barriers --sched-verify > %t.tree
// RUN: FileCheck %s --check-prefix=TREE --input-file %t.tree
// RUN: fusec-opt %t.tree --convert-sched-to-kernel | FileCheck %s

// Without the barrier the same tree is refused.
// RUN: fusec-opt %s --sched-compute=proposer=structural --sched-select-configs --sched-tile --sched-map --sched-promote-arrays > %t.race
// RUN: not fusec-opt %t.race --sched-verify 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: has an illegal schedule: threads access an element, one of them to write, and no barrier stands between
// RACE: sched.scop @turned

module attributes {fuse.target = "cuda-sm80"} {
  // TREE-LABEL: sched.scop @mean
  // TREE:       config(#sched.config<"default", [block<threads = 1024, tile = [32]>, team<of = column, loops = [-1, 1, -1]>]>)
  // TREE:       mark: {{.*}}block
  // TREE:       mark: {{.*}}column
  // TREE:       mark: {{.*}}local_m2_1
  // TREE:       mark: {{.*}}vector

  // CHECK-LABEL: kernel.func @mean(
  // CHECK-SAME:  schedule = "tile 32, 1024 threads, 32 columns"
  // CHECK:       kernel.for %[[T:.*]] = 0 to 128 map(block) {
  // CHECK-NEXT:    kernel.for %[[J:.*]] = 0 to 32 map(column) {
  // CHECK-NEXT:      %[[S:.*]] = kernel.local : memref<f32, #kernel.space<thread>>
  // CHECK:           kernel.for %[[I:.*]] = 0 to 4096 map(thread) carries(add %[[S]]
  // CHECK:             kernel.load %x[%[[I]], %[[T]] * 32 + %[[J]]]
  // CHECK:           kernel.for %{{.*}} = 0 to 1 map(thread) {
  // CHECK:             kernel.store %{{.*}}, %y[%[[T]] * 32 + %[[J]]]
  sched.scop @mean ins(%x: memref<4096x4096xf32>) outs(%y: memref<4096xf32>) arrays(%s: memref<4096xf32>) {
    sched.stmt @zero [j: 4096] writes %s[j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [j: 4096, i: 4096] reduces [i] reads %s[j], %x[i, j] writes %s[j] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
    sched.stmt @out [j: 4096] reads %s[j] writes %y[j] {
    ^bb0(%0: f32):
      %1 = math.sqrt %0 : f32
      sched.yield %1 : f32
    }
  }

  // Of few columns blocks have parts.
  // TREE-LABEL: sched.scop @few
  // TREE:       [grid<split = [[PART:[0-9]+]], combine = last_block>, block<threads = 256, tile = [32]>, team<of = column, loops = [-1, 1, -1]>]>
  // TREE:       mark: {{.*}}column
  // TREE:       mark: {{.*}}split
  // TREE:       mark: {{.*}}vector

  // CHECK-LABEL: kernel.func @few(
  // CHECK:       kernel.for %[[J:.*]] = 0 to 32 map(column) {
  // CHECK-NEXT:    %[[S:.*]] = kernel.local : memref<f32, #kernel.space<thread>>
  // CHECK:         kernel.for %[[T:.*]] = 0 to {{.*}} map(block) carries(max %[[S]]
  // CHECK:           kernel.for %[[I:.*]] = 0 to {{.*}} map(thread) carries(max %[[S]]
  sched.scop @few ins(%x: memref<65536x32xf32>) outs(%y: memref<32xf32>) arrays(%s: memref<32xf32>) {
    sched.stmt @least [j: 32] writes %s[j] {
      %0 = arith.constant 0xFF800000 : f32
      sched.yield %0 : f32
    }
    sched.stmt @max [j: 32, i: 65536] reduces [i] reads %s[j], %x[i, j] writes %s[j] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.maximumf %0, %1 : f32
      sched.yield %2 : f32
    }
    sched.stmt @out [j: 32] reads %s[j] writes %y[j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }

  // What other threads of the column made lies in shared memory for all columns, and all
  // threads of the block wait before they read it.
  // TREE-LABEL: sched.scop @turned
  // TREE:       mark: {{.*}}block
  // TREE:       mark: {{.*}}shared_m2_64x8
  // TREE:       mark: {{.*}}column
  // TREE:       mark: {{.*}}vector
  // TREE:       mark: {{.*}}barrier
  // TREE:       mark: {{.*}}vector

  // CHECK-LABEL: kernel.func @turned(
  // CHECK:       %[[E:.*]] = kernel.local : memref<64x8xf32, #kernel.space<shared>>
  // CHECK-NEXT:  kernel.for %[[J:.*]] = 0 to 8 map(column) {
  // CHECK:         kernel.store %{{.*}}, %[[E]][%{{.*}}, %[[J]]]
  // CHECK:         kernel.barrier {{ *}}block
  // CHECK:         kernel.load %[[E]][{{.*}}, %[[J]]]
  sched.scop @turned ins(%x: memref<64x16xf32>) outs(%y: memref<64x16xf32>) arrays(%e: memref<64x16xf32>)
      config(#sched.config<"default", [block<threads = 64, tile = [8]>, team<of = column, loops = [1, 1]>]>) {
    sched.stmt @make [j: 16, i: 64] reads %x[i, j] writes %e[i, j] {
    ^bb0(%0: f32):
      %1 = math.sqrt %0 : f32
      sched.yield %1 : f32
    }
    sched.stmt @use [j: 16, i: 64] reads %e[63 - i, j], %x[i, j] writes %y[i, j] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
  }
}
