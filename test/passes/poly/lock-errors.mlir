// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries of a fusec.lock that the schedule of their group cannot take.
// RUN: rm -rf %t && mkdir -p %t
// RUN: fusec-opt %s --sched-select-configs=naive=0 > %t/free.mlir
// RUN: printf 'fusec.lock 2\ntarget generic\n' > %t/head
// RUN: sed -n 's/.*key = "\([0-9a-f]*\)".*/group \1 proposer=isl variant=default config=#sched.config<name = "default", tile = [8], order = [], vector = 16>/p' %t/free.mlir > %t/entry
// RUN: cat %t/head %t/entry > %t/fusec.lock
// RUN: not fusec-opt %s --sched-select-configs=lock=%t/fusec.lock 2>&1 | FileCheck %s --check-prefix=BREAKS
// RUN: sed -e '/^    schedule(#/,/22"]>) {$/d; s/arrays(%u: memref<f32>)/& {/' %s > %t/unscheduled.mlir
// RUN: not fusec-opt %t/unscheduled.mlir --sched-compute="limit=0 lock=%t/fusec.lock" 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: sed -e 's/target generic/target gpu/' %t/fusec.lock > %t/gpu.lock
// RUN: not fusec-opt %s --sched-select-configs=lock=%t/gpu.lock 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not fusec-opt %s --sched-select-configs=lock=%t/head/none 2>&1 | FileCheck %s --check-prefix=NONE

// BREAKS: fusec.lock:3:1: error: the config does not fit group @illegal: tiles would break a dependence: a dependence's source does not run before its sink, for example
// BREAKS: note: change the line, or remove it for the default
// REFUSED: fusec.lock:3:1: error: proposer 'isl' has no legal schedule for @illegal: isl did not end its own proposal within its limit
// REFUSED: note: name the other proposer, or remove the line
// TARGET: gpu.lock:2:1: error: is for target 'gpu', which is no row of the table of targets
// TARGET: note: name one of generic, zen4, sapphire-rapids, or remove the section
// NONE: /none:{{.*}} error: does not exist

// The schedule runs b before a.
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
