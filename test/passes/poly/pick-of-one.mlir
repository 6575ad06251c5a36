// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --sched-coalesce-dims --sched-compute --sched-select-configs \
// RUN:   --sched-tile --sched-map --sched-promote-arrays --convert-sched-to-kernel \
// RUN:   | FileCheck %s
// The dimension that an index picks from has extent 1 and goes: no subscript uses the
// index then, and the read is a plain one.

// CHECK-LABEL: kernel.func @pick(
// CHECK-NOT:   kernel.gather
// CHECK:       kernel.load %x[%j] : memref<4xf32> -> f32
// CHECK-NOT:   kernel.gather
sched.scop @pick ins(%n: memref<5xi64>, %x: memref<1x4xf32>) outs(%y: memref<5x4xf32>) {
  sched.stmt @pick [i: 5, j: 4] reads %n[i] writes %y[i, j] {
  ^bb0(%0: i64):
    %1 = sched.gather %x at affine_map<(d0, d1)[s0] -> (s0, d1)> [%0] : memref<1x4xf32>, i64 -> f32
    sched.yield %1 : f32
  }
}
