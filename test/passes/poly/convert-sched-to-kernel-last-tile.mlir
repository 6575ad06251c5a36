// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A statement of the last tile alone reads the tile's local array: it stands in the loop
// of the others, never in one of its own behind it, where the array would be another.
// RUN: fusec-opt %s --sched-compute --sched-tile --sched-map --sched-promote-arrays --sched-verify --convert-sched-to-kernel 2>/dev/null | FileCheck %s

// CHECK-LABEL: kernel.func @parts
// CHECK-NEXT: kernel.for %i_tile = 0 to 3 map(parallel) {
// CHECK-NEXT: kernel.local
// CHECK: kernel.if
// CHECK-NOT: kernel.local
// CHECK: kernel.return
sched.scop @parts ins(%x: memref<15x4xf32>) outs(%y: memref<15xf32>) arrays(%sum: memref<15xf32>)
    config(#sched.config<"default", [registers<tile = [5]>]>) {
  sched.stmt @sum_init [i: 15] writes %sum[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 15, k: 4] reduces [k] reads %sum[i], %x[i, k] writes %sum[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @first [i: 10] reads %sum[i] writes %y[i] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
  sched.stmt @last [i: 5] reads %sum[i + 10] writes %y[i + 10] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
