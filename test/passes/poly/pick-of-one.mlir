// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --sched-coalesce-dims --sched-compute --sched-select-configs \
// RUN:   --sched-tile --sched-map --sched-promote-arrays --convert-sched-to-kernel \
// RUN:   --verify-diagnostics | FileCheck %s
// The dimension that an index picks from has extent 1 and goes: no subscript uses the
// index then, and the read is a plain one.

// CHECK-LABEL: kernel.func @pick(
// CHECK-NOT:   kernel.gather
// CHECK:       kernel.load %x[%j] : memref<4xf32> -> f32
// CHECK-NOT:   kernel.gather
// expected-remark @below {{runs on one thread}}
// expected-remark @below {{not tiled}}
sched.scop @pick ins(%n: memref<5xi64>, %x: memref<1x4xf32>) outs(%y: memref<5x4xf32>) {
  sched.stmt @pick [i: 5, j: 4] reads %n[i], %x[r0, j] writes %y[i, j] {
  ^bb0(%0: i64, %1: f32):
    sched.yield %1 : f32
  }
}
