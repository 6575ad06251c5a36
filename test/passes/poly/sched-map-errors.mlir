// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --sched-map --verify-diagnostics

// expected-error @below {{isl refused:}}
sched.scop @broken outs(%y: memref<8xf32>)
    config(#sched.config<name = "default", tile = [1], order = [], vector = 16>)
    schedule(#sched.tree<["domain: \22{ zero[i0] : 0 <= i0 <= 7 \22"]>) {
  sched.stmt @zero [i: 8] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}
