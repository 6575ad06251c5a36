// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --sched-verify --verify-diagnostics | FileCheck %s

// CHECK-LABEL: sched.scop @unscheduled
// expected-remark @below {{not verified: it has no schedule}}
sched.scop @unscheduled outs(%y: memref<8xf32>) {
  sched.stmt @zero [i: 8] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}

// Legal, if in an unusual order.
// CHECK-LABEL: sched.scop @reversed
sched.scop @reversed outs(%y: memref<8xf32>)
    schedule(#sched.tree<["domain: \22{ zero[i0] : 0 <= i0 <= 7 }\22", "child:", "  schedule: \22[{ zero[i0] -> [(-i0)] }]\22"]>) {
  sched.stmt @zero [i: 8] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}
