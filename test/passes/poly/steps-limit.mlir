// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each step from a schedule to loops has isl's limit. A scop with which isl is stopped
// takes its next proposal and goes through the steps again; here the tiles of isl's
// schedule take more than the structural one without tiles.
// RUN: fusec-opt %s --sched-compute --sched-select-configs | sed 's/tile = \[1\], accumulators = [0-9]*\(.*\)along = \[-1, 1, 1\]/tile = [8]\1along = [0, 0, 0]/' > %t.tiles
// RUN: fusec-opt %t.tiles --sched-tile --sched-map --sched-promote-arrays=operations=23000 2>&1 | FileCheck %s --check-prefix=PROMOTE
// RUN: fusec-opt %t.tiles --sched-tile --sched-map --sched-promote-arrays --convert-sched-to-kernel=operations=23500 2>&1 | FileCheck %s --check-prefix=LOOPS
// PROMOTE: warning: isl did not end promoting arrays within its limit
// PROMOTE: remark: takes the schedule of the next proposer, structural
// PROMOTE: attributes {{.*}}proposer = "structural", timed_out
// LOOPS: warning: isl did not end making loops of its schedule within its limit
// LOOPS: remark: takes the schedule of the next proposer, structural
// LOOPS: kernel.func @row({{.*}}proposer = "structural"{{.*}}timed_out

// Then the loops are those that this proposal would have become at once.
// RUN: fusec-opt %t.tiles --sched-tile --sched-map --sched-promote-arrays --convert-sched-to-kernel=operations=23500 2> /dev/null | sed 's/, timed_out//' > %t.fallen
// RUN: fusec-opt %s --sched-compute=proposer=structural --sched-select-configs --sched-tile --sched-map --sched-promote-arrays --convert-sched-to-kernel > %t.at-once
// RUN: diff %t.fallen %t.at-once

// The proposer after the structural one is the program's order, without lanes.
// RUN: fusec-opt %t.tiles --sched-tile --sched-map=operations=12000 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: warning: isl did not end mapping loops
// ORDER: warning: isl did not end the check of the structural one
// ORDER: remark: takes the schedule of the next proposer, program order
// ORDER: config(#sched.config<"default", []>)
// ORDER: attributes {{.*}}proposer = "program order", timed_out

// Without another proposal it is an error.
// RUN: not fusec-opt %s --sched-compute --sched-select-configs=limit=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not fusec-opt %s --sched-compute --sched-select-configs=variants=1 --sched-tile --sched-map --sched-promote-arrays --convert-sched-to-kernel=limit=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not fusec-opt %s --sched-compute --sched-verify=limit=0 2>&1 | FileCheck %s --check-prefix=PROOF
// NONE: error: {{.*}}has no schedule that isl ends to make loops of within its limit, not even the order of the program; --no-fuse makes each operation a group, which is smaller
// PROOF: error: {{.*}}has a schedule that is not proven to be legal; raise --sched-verify's operations and limit
sched.scop @row ins(%x: memref<64x33xf32>) outs(%y: memref<64x33xf32>) arrays(%s: memref<64xf32>) {
  sched.stmt @init [i: 64] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64, j: 33] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 64, j: 33] reads %x[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}
