// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-promote-arrays --verify-diagnostics

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

// Not all of what accesses it can have it so.
// expected-remark @below {{lanes run along several dimensions of array t: statements other than those with most instances access it in strides}}
sched.scop @both ins(%x: memref<32x48xf32>) outs(%y: memref<48x32xf32>) arrays(%t: memref<32x48xf32>)
    config(#sched.config<"default", [unit<lanes = 16>]>)
    schedule(#sched.tree<[
      "domain: \22{ load[i0, i1] : 0 <= i0 <= 31 and 0 <= i1 <= 47; turn[i0, i1] : 0 <= i0 <= 47 and 0 <= i1 <= 31 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ load[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ load[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        mark: \22vector\22",
      "        child:",
      "          schedule: \22[{ load[i0, i1] -> [(i1)] }]\22",
      "  - filter: \22{ turn[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ turn[i0, i1] -> [(i0)] }]\22",
      "      child:",
      "        mark: \22vector\22",
      "        child:",
      "          schedule: \22[{ turn[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @load [i: 32, j: 48] reads %x[i, j] writes %t[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @turn [i: 48, j: 32] reads %t[j, i] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
