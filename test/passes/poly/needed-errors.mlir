// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs is all that is needed, and all that this reads.
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-verify --verify-diagnostics

// expected-error @below {{has an illegal schedule: an instance that is needed does not run}}
// expected-note @below {{for example { sum[}}
sched.scop @missing ins(%x: memref<8x8xf32>) outs(%sum: memref<8xf32>) {
  sched.stmt @init [i: 8] writes %sum[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 8] reduces [j] needed [i - j] runs [i - j - 1] reads %sum[i], %x[i, j] writes %sum[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// Without `needed`, everything is.
// expected-error @below {{has an illegal schedule: an instance that is needed does not run}}
// expected-note @below {{for example { sum[}}
sched.scop @all ins(%x: memref<8x8xf32>) outs(%sum: memref<8xf32>) {
  sched.stmt @init [i: 8] writes %sum[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 8] reduces [j] runs [i - j] reads %sum[i], %x[i, j] writes %sum[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// expected-error @below {{has an illegal schedule: an element is read that no instance which runs writes}}
// expected-note @below {{for example { m2[}}
sched.scop @unwritten ins(%x: memref<8x8xf32>) outs(%sum: memref<8xf32>) arrays(%exp: memref<8x8xf32>) {
  sched.stmt @exp [i: 8, j: 8] needed [i - j] runs [i - j] reads %x[i, j] writes %exp[i, j] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
  sched.stmt @init [i: 8] writes %sum[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 8] reduces [j] needed [i - j] runs [i - j + 1] reads %sum[i], %exp[i, j] writes %sum[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}
