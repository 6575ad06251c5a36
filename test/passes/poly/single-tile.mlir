// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of one tile that has all of a large group the kernel says what it is expected to take,
// and whether two threads would have been worth waking for that.
// RUN: fusec-opt %s --sched-compute --sched-select-configs | FileCheck %s
// RUN: fusec-opt %s --sched-compute --sched-select-configs --sched-tile --sched-map --sched-promote-arrays --convert-sched-to-kernel 2> /dev/null | FileCheck %s --check-prefix=REASON

// CHECK-LABEL: sched.scop @short
// CHECK:       tile = [48]
// CHECK:       single_tile = {{[0-9.e+]+}} : f64
// What is said of it holds for no other variant.
// CHECK-LABEL: sched.scop @short_naive
// CHECK-NOT:   single_tile
// REASON-LABEL: kernel.func @short(
// REASON-SAME:  reason = "one tile has all of it: {{[0-9.]+}} us, and two threads are worth waking from 10.0 us on"
sched.scop @short ins(%x: memref<127x37xf32>) outs(%y: memref<37xf32>) arrays(%s: memref<37xf32>) {
  sched.stmt @init [i: 37] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 37, k: 127] reduces [k] reads %s[i], %x[k, i] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 37] reads %s[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// A column of sums waits for itself: two of them take as long as one.
// CHECK-LABEL: sched.scop @waiting
// CHECK:       tile = [32]
// CHECK:       single_tile
// CHECK-LABEL: sched.scop @waiting_naive
// REASON-LABEL: kernel.func @waiting(
// REASON-SAME:  reason = "one tile has all of it: {{[0-9.]+}} us, the least that one core is expected to take"
sched.scop @waiting ins(%x: memref<4000xf32>, %w: memref<4000x32xf32>) outs(%y: memref<32xf32>) arrays(%s: memref<32xf32>) {
  sched.stmt @init [j: 32] writes %s[j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [j: 32, k: 4000] reduces [k] reads %s[j], %x[k], %w[k, j] writes %s[j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @out [j: 32] reads %s[j] writes %y[j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
