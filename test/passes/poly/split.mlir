// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Long reductions of groups whose loops no threads share: parts of them for threads.
// RUN: fusec-opt %s --sched-compute --sched-select-configs=numerics=fast | FileCheck %s --check-prefix=FAST
// RUN: fusec-opt %s --sched-compute --sched-select-configs | FileCheck %s --check-prefix=SAME
// RUN: fusec-opt %s --sched-compute --sched-select-configs="variants=4 numerics=fast" | FileCheck %s --check-prefix=OTHERS
// RUN: fusec-opt %s --sched-compute --sched-select-configs="variants=9 any-variants" | FileCheck %s --check-prefix=ANY
// RUN: fusec-opt %s --sched-compute --sched-select-configs="variants=9" | FileCheck %s --check-prefix=ALLOWED
// RUN: fusec-opt %s --sched-compute --sched-select-configs=numerics=fast --sched-tile --sched-map --sched-promote-arrays --sched-verify --convert-sched-to-kernel | FileCheck %s --check-prefix=LOOPS

// FAST-LABEL: sched.scop @mean
// FAST:       [cores<grain = {{[0-9]+}}, split = 15680>, registers<accumulators = 4>, unit<lanes = 16, along = [-1, 0, -1]>]>
// SAME-LABEL: sched.scop @mean
// SAME:       [registers<accumulators = 4>, unit<lanes = 16, along = [-1, 0, -1]>]>
// OTHERS-LABEL: sched.scop @mean_naive
// OTHERS-LABEL: sched.scop @mean_inner
// OTHERS:       along = [-1, 0, -1]>
// ANY-LABEL:  sched.scop @mean
// ANY:        along = [-1, 0, -1]>
// ANY:        "split_15680", [
// ALLOWED-LABEL: sched.scop @mean
// ALLOWED-NOT:   split =
// ALLOWED:       sched.scop @count

// The last part is shorter. The local sum is outside of the loop that threads share.
// LOOPS-LABEL: kernel.func @mean
// LOOPS:       %s = kernel.local : memref<f32>
// LOOPS:       kernel.for %i_tile = 0 to 64 map(parallel) carries(add %s : memref<f32>) {
// LOOPS-NEXT:    kernel.for %i = 0 to min #{{.*}}(%i_tile) map(vector) carries(add %s : memref<f32>) {
sched.scop @mean ins(%x: memref<1000003xf32>) outs(%y: memref<f32>) arrays(%s: memref<f32>) {
  sched.stmt @init [] writes %s[] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 1000003] reduces [i] reads %s[], %x[i] writes %s[] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [] reads %s[] writes %y[] {
  ^bb0(%0: f32):
    %1 = arith.constant 9.99997E-07 : f32
    %2 = arith.mulf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// Integers are the same whichever order they are added in.
// SAME-LABEL: sched.scop @count
// SAME:       cores<grain = {{[0-9]+}}, split = {{[0-9]+}}>
sched.scop @count ins(%x: memref<1000003xi32>) outs(%y: memref<i32>) arrays(%s: memref<i32>) {
  sched.stmt @init [] writes %s[] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @sum [i: 1000003] reduces [i] reads %s[], %x[i] writes %s[] {
  ^bb0(%0: i32, %1: i32):
    %2 = arith.addi %0, %1 : i32
    sched.yield %2 : i32
  }
  sched.stmt @out [] reads %s[] writes %y[] {
  ^bb0(%0: i32):
    sched.yield %0 : i32
  }
}

// What is taken of two candidates depends on both: nothing makes one of two parts.
// FAST-LABEL: sched.scop @first
// FAST-NOT:   split =
// FAST:       sched.scop @first_naive
sched.scop @first ins(%x: memref<1000003xf32>) outs(%y: memref<f32>, %n: memref<i32>) arrays(%m: memref<f32>, %p: memref<i32>) {
  sched.stmt @init [] writes %m[], %p[] {
    %0 = arith.constant 0xFF800000 : f32
    %1 = arith.constant 0 : i32
    sched.yield %0, %1 : f32, i32
  }
  sched.stmt @most [i: 1000003] reduces [i] reads %m[], %p[], %x[i] writes %m[], %p[] {
  ^bb0(%held: f32, %at: i32, %a: f32):
    %i = sched.index 0 : index
    %here = arith.index_cast %i : index to i32
    %takes = arith.cmpf ogt, %a, %held : f32
    %value = arith.select %takes, %a, %held : f32
    %place = arith.select %takes, %here, %at : i32
    sched.yield %value, %place : f32, i32
  }
  sched.stmt @out [] reads %m[], %p[] writes %y[], %n[] {
  ^bb0(%0: f32, %1: i32):
    sched.yield %0, %1 : f32, i32
  }
}
