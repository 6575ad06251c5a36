// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-tile --verify-diagnostics

// expected-error @below {{has a config that does not fit: it has 2 tile sizes for 1 loops; run --sched-select-configs on this schedule}}
sched.scop @misfit ins(%x: memref<64xf32>) outs(%y: memref<64xf32>) arrays(%u: memref<f32>)
    config(#sched.config<name = "default", tile = [8, 8], order = [], vector = 16>)
    schedule(#sched.tree<[
      "domain: \22{ a[i0] : 0 <= i0 <= 63; b[i0] : 0 <= i0 <= 63 }\22",
      "child:",
      "  schedule: \22[{ a[i0] -> [(i0)]; b[i0] -> [(i0)] }]\22",
      "  permutable: 1",
      "  coincident: [ 1 ]",
      "  child:",
      "    sequence:",
      "    - filter: \22{ a[i0] }\22",
      "    - filter: \22{ b[i0] }\22"]>) {
  sched.stmt @a [i: 64] reads %x[i] writes %u[] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @b [i: 64] reads %u[] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
