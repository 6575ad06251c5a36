// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --sched-select-configs --verify-diagnostics

// expected-error @below {{has no schedule; run --sched-compute first}}
sched.scop @unscheduled outs(%y: memref<8xf32>) {
  sched.stmt @zero [i: 8] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}
