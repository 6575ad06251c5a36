// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A unit that a config names is one of the target, and fits: nothing takes its place.
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-tile --sched-map --verify-diagnostics

// expected-error @below {{has a config that does not fit group @unknown: instruction set avx2 has no unit 'abacus', but fma, pairs, quads; change it}}
sched.scop @unknown ins(%x: memref<4x8xi16>, %w: memref<8x16xi8>) outs(%y: memref<4x16xi32>)
    config(#sched.config<"default", [registers<tile = [4, 16]>, unit<lanes = 16, along = [1, 1], products = [fma, abacus]>]>) {
  sched.stmt @init [i: 4, j: 16] writes %y[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 4, j: 16, k: 8] reduces [k] reads %y[i, j], %x[i, k], %w[k, j] writes %y[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
}

// -----

// expected-error @below {{has a config that does not fit group @floats: unit 'pairs' does not add the products of @mac: it adds up no products of integers of 16 bits}}
sched.scop @floats ins(%x: memref<4x8xf32>, %w: memref<8x16xf32>) outs(%y: memref<4x16xf32>)
    config(#sched.config<"default", [registers<tile = [4, 16]>, unit<lanes = 16, along = [1, 1], products = [fma, pairs]>]>) {
  sched.stmt @init [i: 4, j: 16] writes %y[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 4, j: 16, k: 8] reduces [k] reads %y[i, j], %x[i, k], %w[k, j] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
}

// -----

// The loop over one term is none.
// expected-error @below {{has a config that does not fit group @one: unit 'pairs' does not add the products of @mac: no loop runs over its terms alone}}
// expected-remark @below {{takes isl's schedule}}
sched.scop @one ins(%x: memref<4x1xi16>, %w: memref<1x16xi8>) outs(%y: memref<4x16xi32>)
    config(#sched.config<"default", [registers<tile = [4, 16]>, unit<lanes = 16, along = [1, 1], products = [fma, pairs]>]>) {
  sched.stmt @init [i: 4, j: 16] writes %y[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 4, j: 16, k: 1] reduces [k] reads %y[i, j], %x[i, k], %w[k, j] writes %y[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
}

// -----

// Lanes run along the terms.
// expected-error @below {{has a config that does not fit group @reduced: unit 'pairs' does not add the products of @mac: its results are not on lanes}}
sched.scop @reduced ins(%x: memref<4x32xi16>, %w: memref<4x32xi16>) outs(%y: memref<4xi32>)
    config(#sched.config<"default", [registers<tile = [1]>, unit<lanes = 16, along = [-1, 1], products = [fma, pairs]>]>) {
  sched.stmt @init [i: 4] writes %y[i] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 4, k: 32] reduces [k] reads %y[i], %x[i, k], %w[0, k] writes %y[i] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
}
