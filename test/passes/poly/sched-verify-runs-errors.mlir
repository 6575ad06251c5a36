// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-verify --verify-diagnostics
// Schedules with instances that do not run once. No dependence tells: nothing reads
// what they write.

// Between the parts.
// expected-error @below {{has an illegal schedule: an instance runs in no part of a sequence}}
// expected-note @below {{for example}}
sched.scop @lost ins(%x: memref<8xf32>) outs(%y: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ y[i0] : 0 <= i0 <= 7 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ y[i0] : i0 <= 3 }\22",
      "    child:",
      "      schedule: \22[{ y[i0] -> [(i0)] }]\22",
      "  - filter: \22{ y[i0] : i0 >= 5 }\22",
      "    child:",
      "      schedule: \22[{ y[i0] -> [(i0)] }]\22"]>) {
  sched.stmt @y [i: 8] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// In both parts.
// expected-error @below {{has an illegal schedule: an instance runs in two parts of a sequence}}
// expected-note @below {{for example}}
sched.scop @twice ins(%x: memref<8xf32>) outs(%y: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ y[i0] : 0 <= i0 <= 7 }\22",
      "child:",
      "  sequence:",
      "  - filter: \22{ y[i0] : i0 <= 4 }\22",
      "    child:",
      "      schedule: \22[{ y[i0] -> [(i0)] }]\22",
      "  - filter: \22{ y[i0] : i0 >= 4 }\22",
      "    child:",
      "      schedule: \22[{ y[i0] -> [(i0)] }]\22"]>) {
  sched.stmt @y [i: 8] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// Half of the statement has a time only.
// expected-error @below {{has an illegal schedule: an instance has no time in a loop}}
// expected-note @below {{for example}}
sched.scop @untimed ins(%x: memref<8xf32>) outs(%y: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ y[i0] : 0 <= i0 <= 7 }\22",
      "child:",
      "  schedule: \22[{ y[i0] -> [(i0)] : i0 <= 3 }]\22"]>) {
  sched.stmt @y [i: 8] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// A condition that a part of a sequence would say.
// expected-error @below {{has an illegal schedule: an instance reaches a node that is no loop, mark or sequence}}
// expected-note @below {{for example}}
sched.scop @guarded ins(%x: memref<8xf32>) outs(%y: memref<8xf32>)
    schedule(#sched.tree<[
      "domain: \22{ y[i0] : 0 <= i0 <= 7 }\22",
      "child:",
      "  filter: \22{ y[i0] : i0 <= 3 }\22",
      "  child:",
      "    schedule: \22[{ y[i0] -> [(i0)] }]\22"]>) {
  sched.stmt @y [i: 8] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
