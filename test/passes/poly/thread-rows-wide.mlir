// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that threads share in groups of neighbouring iterations.
// RUN: fusec-opt %s --sched-compute=proposer=structural --sched-tile --sched-map --sched-promote-arrays --sched-place-barriers --sched-verify > %t.four
// RUN: FileCheck %s --check-prefix=TREE --input-file %t.four
// RUN: fusec-opt %t.four --convert-sched-to-kernel | FileCheck %s
// RUN: sed 's/width = 4/width = 2/' %s | fusec-opt --sched-compute=proposer=structural --sched-tile --sched-map --sched-promote-arrays --sched-place-barriers --sched-verify --convert-sched-to-kernel | FileCheck %s --check-prefix=TWO

// What one thread made is no other's: the same tree without the barrier is refused only
// where groups are shorter than what is read together.
// RUN: sed 's/width = 4/width = 2/' %s | fusec-opt --sched-compute=proposer=structural --sched-tile --sched-map --sched-promote-arrays > %t.two
// RUN: not fusec-opt %t.two --sched-verify 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: 'sched.scop' op has an illegal schedule: threads access an element, one of them to write, and no barrier stands between

module attributes {fuse.target = "cuda-sm80"} {
  // The loop of groups is the threads', the one in it each thread's.
  // TREE-LABEL: sched.scop @first_of_four
  // TREE:       mark: {{.*}}vector
  // TREE:       schedule: {{.*}}floor((i1)/4)
  // TREE:       mark: {{.*}}unroll
  // TREE:       schedule: {{.*}}(i1) mod 4
  // TREE-NOT:   barrier

  // A thread reads what it made itself, and waits for nobody.
  // CHECK-LABEL: kernel.func @first_of_four(
  // CHECK-SAME:  schedule = "64 threads, 4 side by side"
  // CHECK:       %[[E:.*]] = kernel.local : memref<512xf32, #kernel.space<shared>>
  // CHECK:       kernel.for %[[T:.*]] = 0 to 128 map(thread) {
  // CHECK-NEXT:    kernel.for %[[J:.*]] = 0 to 4 map(unroll) {
  // CHECK:           kernel.store %{{.*}}, %[[E]][%[[T]] * 4 + %[[J]]]
  // CHECK-NOT:   kernel.barrier
  // CHECK:       kernel.for %{{.*}} = 0 to 128 map(thread) {
  // CHECK:       kernel.return

  // TWO-LABEL:   kernel.func @first_of_four(
  // TWO:         kernel.for %{{.*}} = 0 to 256 map(thread) {
  // TWO:         kernel.barrier
  // TWO:         kernel.for %{{.*}} = 0 to 256 map(thread) {
  sched.scop @first_of_four ins(%x: memref<64x512xf32>) outs(%y: memref<64x512xf32>) arrays(%s: memref<64xf32>, %e: memref<64x512xf32>)
      config(#sched.config<"default", [block<threads = 64, tile = [1]>, team<of = block, loops = [-1, 1, 1], width = 4>]>) {
    sched.stmt @start [i: 64] writes %s[i] {
      %0 = arith.constant 2.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @make [i: 64, j: 512] reads %x[i, j], %s[i] writes %e[i, j] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.mulf %0, %1 : f32
      sched.yield %2 : f32
    }
    sched.stmt @use [i: 64, j: 512] reads %e[i, 4 * (j floordiv 4)], %x[i, j] writes %y[i, j] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
  }
}
