// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is said before the pass is as well formed as what it says.
// RUN: fusec-opt %s --sched-skip-masked --split-input-file --verify-diagnostics

sched.scop @sum ins(%x: memref<8x8xf32>) outs(%y: memref<8xf32>) {
  // expected-error@+1 {{says what is needed by i * 2 - j; it needs a difference of two iterators, of which one may number what is in a block, and a constant}}
  sched.stmt @sum [i: 8, j: 8] needed [i * 2 - j] reads %x[i, j] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
