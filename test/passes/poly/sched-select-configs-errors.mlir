// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-select-configs --verify-diagnostics
// RUN: echo "module {}" | not fusec-opt --sched-select-configs=numerics=exact 2>&1 | FileCheck %s
// CHECK: error: --sched-select-configs has no numerics 'exact'; there are reproducible and fast

// expected-error @below {{has no schedule; run --sched-compute first}}
sched.scop @unscheduled outs(%y: memref<8xf32>) {
  sched.stmt @zero [i: 8] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}

// -----

// Nobody has proven what is written by hand: this runs b before a.
// expected-error @below {{has a schedule that does not fit group @illegal: it takes no config: tiles would break a dependence: a dependence's source does not run before its sink, for example}}
sched.scop @illegal ins(%x: memref<64xf32>) outs(%y: memref<64xf32>) arrays(%u: memref<f32>)
    schedule(#sched.tree<[
      "domain: \22{ a[i0] : 0 <= i0 <= 63; b[i0] : 0 <= i0 <= 63 }\22",
      "child:",
      "  schedule: \22[{ a[i0] -> [(i0)]; b[i0] -> [(i0)] }]\22",
      "  permutable: 1",
      "  coincident: [ 1 ]",
      "  child:",
      "    sequence:",
      "    - filter: \22{ b[i0] }\22",
      "    - filter: \22{ a[i0] }\22"]>) {
  sched.stmt @a [i: 64] reads %x[i] writes %u[] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @b [i: 64] reads %u[] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// expected-error @below {{has a schedule that does not fit group @points: it has other points than its statements; change it, or remove it and run --sched-compute for another}}
sched.scop @points outs(%y: memref<8xf32>)
    schedule(#sched.tree<["domain: \22{ zero[i0] : 0 <= i0 <= 6 }\22"]>) {
  sched.stmt @zero [i: 8] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}
