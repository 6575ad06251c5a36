// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of a large group that one thread of a CPU runs, the kernel says what keeps its
// loops from threads, and so does the emitted folder.
// RUN: fusec-opt %s --sched-compute --sched-select-configs --sched-tile --sched-map --sched-promote-arrays --convert-sched-to-kernel 2> /dev/null | FileCheck %s
// RUN: fusec compile %S/../../pipelines/Inputs/long-sum.mlir --choices total=direct -o %t
// RUN: fusec inspect %t | FileCheck %s --check-prefix=INSPECT
// RUN: fusec inspect %t --json | FileCheck %s --check-prefix=JSON

// CHECK-LABEL: kernel.func @total(
// CHECK-SAME:  serial = {points = 8192 : i64, reason = "i of @total is reduced"}
// CHECK-LABEL: kernel.func @total_naive(
// CHECK-NOT:   serial
// INSPECT:     total
// INSPECT:     threads one: i of @total is reduced
// JSON:        "serial": {
// JSON-NEXT:     "points": {{[0-9]+}},
// JSON-NEXT:     "reason": "i of @total is reduced"
sched.scop @total ins(%x: memref<8192xf32>) outs(%y: memref<1xf32>) {
  sched.stmt @init [i: 1] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @total [i: 8192] reduces [i] reads %y[0], %x[i] writes %y[0] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// CHECK-LABEL: kernel.func @running(
// CHECK-SAME:  reason = "i of @sum has iterations that wait for others of @sum"
// CHECK-LABEL: kernel.func @running_naive(
// CHECK-NOT:   serial
sched.scop @running ins(%x: memref<8192xf32>) outs(%y: memref<8192xf32>) {
  sched.stmt @first [] reads %x[0] writes %y[0] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8191] reads %y[i], %x[i + 1] writes %y[i + 1] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// CHECK-LABEL: kernel.func @scaled(
// CHECK-SAME:  reason = "i of @out has iterations that wait for one of @{{.*}}"
sched.scop @scaled ins(%x: memref<8192xf32>) outs(%y: memref<8192xf32>) arrays(%t: memref<1xf32>) {
  sched.stmt @init [i: 1] writes %t[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @total [i: 4095] reduces [i] reads %t[0], %x[i] writes %t[0] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8192] reads %t[0], %x[i] writes %y[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %1, %0 : f32
    sched.yield %2 : f32
  }
}

// Threads share it.
// CHECK-LABEL: kernel.func @doubled(
// CHECK-NOT:   serial
sched.scop @doubled ins(%x: memref<8192xf32>) outs(%y: memref<8192xf32>) {
  sched.stmt @double [i: 8192] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    sched.yield %1 : f32
  }
}
