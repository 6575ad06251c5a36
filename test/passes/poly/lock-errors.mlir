// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries of a fusec.lock that the schedule of their group cannot take.
// RUN: rm -rf %t && mkdir -p %t
// RUN: fusec-opt %s --sched-select-configs=variants=1 > %t/free.mlir
// RUN: printf 'fusec.lock 4\ntarget generic\n' > %t/head
// RUN: sed -n 's/.*key = "\([0-9a-f]*\)".*/group \1 proposer=isl variant=default config=#sched.config<"default", [registers<tile = [1]>, unit<lanes = 16, along = [-1, 1, 1]>]>/p' %t/free.mlir > %t/entry
// RUN: cat %t/head %t/entry > %t/fusec.lock
// RUN: not fusec-opt %s --sched-select-configs=lock=%t/fusec.lock 2>&1 | FileCheck %s --check-prefix=BREAKS
// RUN: sed -e '/^    schedule(#/,/]>) attributes/d; s/arrays(%u: memref<4x65xf32>)/& {/' %s > %t/unscheduled.mlir
// RUN: not fusec-opt %t/unscheduled.mlir --sched-compute="limit=0 lock=%t/fusec.lock" 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: sed -e 's/target generic/target gpu/' %t/fusec.lock > %t/gpu.lock
// RUN: not fusec-opt %s --sched-select-configs=lock=%t/gpu.lock 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not fusec-opt %s --sched-select-configs=lock=%t/head/none 2>&1 | FileCheck %s --check-prefix=NONE

// BREAKS: fusec.lock:3:1: error: the config does not fit group @scan: lanes would break a dependence: a loop marked vector carries a dependence, for example { sum[i0, i1] -> 
// BREAKS: note: change the line, or remove it for the default
// REFUSED: fusec.lock:3:1: error: proposer 'isl' has no legal schedule for @scan: isl did not end its own proposal within its limit
// REFUSED: note: name the other proposer, or remove the line
// TARGET: gpu.lock:2:1: error: is for target 'gpu', which is no row of the table of targets
// TARGET: note: name one of generic, portable, neon, zen4, sapphire-rapids, sapphire-rapids-amx, cuda-sm75, cuda-sm80, cuda-sm86, cuda-sm89, cuda-sm90, cuda-sm100, cuda-sm120, or remove the section
// NONE: /none:{{.*}} error: does not exist

// A scan: only the rows are apart.
sched.scop @scan
    ins(%x: memref<4x64xf32>)
    outs(%y: memref<4x64xf32>)
    arrays(%u: memref<4x65xf32>)
    schedule(#sched.tree<[
    "domain: \22{ sum[i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 63; out[i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 63; init[i0] : 0 <= i0 <= 3 }\22",
    "child:",
    "  schedule: \22[{ out[i0, i1] -> [(i0)]; sum[i0, i1] -> [(i0)]; init[i0] -> [(i0)] }]\22",
    "  permutable: 1",
    "  coincident: [ 1 ]",
    "  child:",
    "    sequence:",
    "    - filter: \22{ init[i0] }\22",
    "    - filter: \22{ sum[i0, i1]; out[i0, i1] }\22",
    "      child:",
    "        schedule: \22[{ sum[i0, i1] -> [(i1)]; out[i0, i1] -> [(i1)] }]\22",
    "        permutable: 1",
    "        child:",
    "          sequence:",
    "          - filter: \22{ sum[i0, i1] }\22",
    "          - filter: \22{ out[i0, i1] }\22",
    ""]>) attributes {proposer = "isl"} {
  sched.stmt @init [i: 4]
      writes %u[i, 0] {
    %cst = arith.constant 0.000000e+00 : f32
    sched.yield %cst : f32
  }
  sched.stmt @sum [i: 4, j: 64]
      reads %u[i, j], %x[i, j]
      writes %u[i, j + 1] {
  ^bb0(%arg0: f32, %arg1: f32):
    %0 = arith.addf %arg0, %arg1 : f32
    sched.yield %0 : f32
  }
  sched.stmt @out [i: 4, j: 64]
      reads %u[i, j]
      writes %y[i, j] {
  ^bb0(%arg0: f32):
    sched.yield %arg0 : f32
  }
}
