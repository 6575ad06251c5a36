// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-split-tails --verify-diagnostics

// expected-error @below {{isl refused:}}
sched.scop @broken outs(%y: memref<8xf32>) arrays(%t: memref<8xf32>)
    schedule(#sched.tree<["domain: \22{ zero[i0] : 0 <= i0 <= 7 \22"]>) {
  sched.stmt @zero [i: 8] writes %t[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @copy [i: 8] reads %t[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// expected-error @below {{has a mark 'local_m7_8', which is none of its arrays}}
// expected-note @below {{m1 is 'memref<8xf32>'}}
sched.scop @unknown outs(%y: memref<8xf32>) arrays(%t: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ zero[i0] : 0 <= i0 <= 7; copy[i0] : 0 <= i0 <= 7 }\22",
      "child:",
      "  mark: \22local_m7_8\22",
      "  child:",
      "    schedule: \22[{ zero[i0] -> [(i0)]; copy[i0] -> [(i0)] }]\22"]>) {
  sched.stmt @zero [i: 8] writes %t[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @copy [i: 8] reads %t[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
