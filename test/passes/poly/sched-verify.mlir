// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-verify --verify-diagnostics | FileCheck %s

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

// Two values that one element has in turn have a place each where the element is
// local to an iteration: nothing orders their iterations.
// CHECK-LABEL: sched.scop @in_turn
sched.scop @in_turn ins(%x: memref<8xf32>) outs(%y: memref<8xf32>, %z: memref<8xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ a[i0] : 0 <= i0 <= 7; b[i0] : 0 <= i0 <= 7; c[i0] : 0 <= i0 <= 7; d[i0] : 0 <= i0 <= 7 }\22",
      "child:",
      "  mark: \22parallel\22",
      "  child:",
      "    schedule: \22[{ a[i0] -> [(i0)]; b[i0] -> [(i0)]; c[i0] -> [(i0)]; d[i0] -> [(i0)] }]\22",
      "    child:",
      "      mark: \22local_m3_8\22",
      "      child:",
      "        sequence:",
      "        - filter: \22{ a[i0] }\22",
      "        - filter: \22{ b[i0] }\22",
      "        - filter: \22{ c[i0] }\22",
      "        - filter: \22{ d[i0] }\22"]>) {
  sched.stmt @a [i: 8] reads %x[i] writes %s[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @b [i: 8] reads %s[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @c [i: 8] reads %x[i] writes %s[-i + 7] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @d [i: 8] reads %s[-i + 7] writes %z[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// Three rows are enough of an array that is read up to two rows behind: the
// fourth one takes the place of the first, which nobody needs any more.
// CHECK-LABEL: sched.scop @roll
sched.scop @roll ins(%x: memref<16x32xf32>) outs(%y: memref<14x32xf32>) arrays(%t: memref<16x32xf32>)
    schedule(#sched.tree<[
      "domain: \22{ t[i0, i1] : 0 <= i0 <= 15 and 0 <= i1 <= 31; y[i0, i1] : 0 <= i0 <= 13 and 0 <= i1 <= 31 }\22",
      "child:",
      "  mark: \22local_m2_3x32\22",
      "  child:",
      "    schedule: \22[{ t[i0, i1] -> [(i0)]; y[i0, i1] -> [(2 + i0)] }]\22",
      "    child:",
      "      sequence:",
      "      - filter: \22{ t[i0, i1] }\22",
      "        child:",
      "          schedule: \22[{ t[i0, i1] -> [(i1)] }]\22",
      "      - filter: \22{ y[i0, i1] }\22",
      "        child:",
      "          schedule: \22[{ y[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @t [i: 16, j: 32] reads %x[i, j] writes %t[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @y [i: 14, j: 32] reads %t[i, j], %t[i + 1, j], %t[i + 2, j] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    sched.yield %4 : f32
  }
}

// -----

// A copy of all sums for each four terms.
sched.scop @copy ins(%x: memref<8x16xf32>) outs(%y: memref<8xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 7; sum[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 15; out[i0] : 0 <= i0 <= 7 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ init[i0] }\22",
      "    child:",
      "      schedule: \22[{ init[i0] -> [(i0)] }]\22",
      "  - filter: \22{ sum[i0, i1] }\22",
      "    child:",
      "      schedule: \22[{ sum[i0, i1] -> [(floor((i1)/4))] }]\22",
      "      child:",
      "        mark: \22copy_m2_8\22",
      "        child:",
      "          schedule: \22[{ sum[i0, i1] -> [(i1 mod 4)] }]\22",
      "          child:",
      "            schedule: \22[{ sum[i0, i1] -> [(i0)] }]\22",
      "  - filter: \22{ out[i0] }\22",
      "    child:",
      "      schedule: \22[{ out[i0] -> [(i0)] }]\22"]>) {
  sched.stmt @init [i: 8] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 16] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8] reads %s[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
