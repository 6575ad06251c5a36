// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In a skewed band the loop that a sum goes along is one in which other sums begin: it
// carries none of them.
// RUN: fusec-opt %s --sched-verify --convert-sched-to-kernel | FileCheck %s

// CHECK-LABEL: kernel.func @skewed
// CHECK: kernel.for
// CHECK-NOT: carries
// CHECK: kernel.return
sched.scop @skewed
    ins(%x: memref<2x2xf32>) outs(%y: memref<2xf32>)
    config(#sched.config<"default", []>)
    schedule(#sched.tree<[
    "domain: \22{ sum[i0, i1] : 0 <= i0 <= 1 and 0 <= i1 <= 1; init[i0] : 0 <= i0 <= 1 }\22",
    "child:",
    "  schedule: \22[{ sum[i0, i1] -> [(-i0 + i1)]; init[i0] -> [(-i0)] }, { sum[i0, i1] -> [(-i0)]; init[i0] -> [(-i0)] }]\22",
    "  child:",
    "    sequence:",
    "    - filter: \22{ init[i0] }\22",
    "    - filter: \22{ sum[i0, i1] }\22",
    ""]>) {
  sched.stmt @init [i: 2] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 2, j: 2] reduces [j] reads %y[i], %x[i, j] writes %y[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}
