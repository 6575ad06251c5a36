// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --sched-compute=limit=0 --sched-verify --verify-diagnostics | FileCheck %s
// RUN: fusec-opt %s --sched-compute=limit=0 --sched-select-configs --sched-tile --sched-map --convert-sched-to-kernel 2> /dev/null | FileCheck %s --check-prefix=KERNEL
// RUN: not fusec-opt %s --sched-compute="limit=0 proposer=isl" 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: fusec-opt %s --sched-compute=operations=25000 --sched-verify 2> /dev/null | FileCheck %s --check-prefix=COUNTED
// What isl does for a proposal has one limit, of processor time and of isl's own
// operations. Of those the structural one needs fewer; with none of the two, the
// statements run in the order of the program.

// CHECK: attributes {proposer = "program order", timed_out}
// COUNTED: attributes {proposer = "structural", timed_out}
// KERNEL: kernel.func @row({{.*}} timed_out
// ALONE: got no legal schedule from proposer 'isl': isl did not end its own proposal within its limit; try another --sched-proposer
// expected-warning @below {{isl did not end its own proposal within its limit and was stopped}}
// expected-warning @below {{isl did not end the check of the structural one within its limit and was stopped}}
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
