// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s -split-input-file -verify-diagnostics
// One case for each rule of the verifiers and parsers.

// expected-error @+1 {{has results; a kernel stores to its output arguments}}
kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>) -> f32 attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}

// -----

// expected-error @+1 {{has 1 arguments, which cannot be num_inputs = 1 inputs, then num_outputs = 1 outputs (at least one)}}
kernel.func @k(%x: memref<8xf32>) attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}

// -----

// expected-error @+1 {{argument 1 is 'f32', expected a memref}}
kernel.func @k(%x: memref<8xf32>, %y: f32) attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}

// -----

// expected-error @+1 {{argument 0 has elements of type 'f80', which has no row in the TypeInfo table}}
kernel.func @k(%x: memref<8xf80>, %y: memref<8xf32>) attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}

// -----

// expected-error @+1 {{argument 0 has a layout; kernels address row-major memory}}
kernel.func @k(%x: memref<8xf32, strided<[2]>>, %y: memref<8xf32>) attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has a lower bound without results}}
  kernel.for %i = affine_map<() -> ()>() to 8 { }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has a upper bound without results}}
  kernel.for %i = 0 to affine_map<() -> ()>() { }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 {
    // expected-error @+1 {{has symbols in its upper bound; write all operands as dims}}
    kernel.for %j = 0 to affine_map<()[s0] -> (s0)>(%i) { }
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 {
    // expected-error @+1 {{has 1 operands for its lower bound, which takes 2}}
    kernel.for %j = affine_map<(d0, d1) -> (d0 + d1)>(%i) to 8 { }
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has step 0, expected 1 or more}}
  kernel.for %i = 0 to 8 step 0 { }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has a grain but is not mapped parallel}}
  kernel.for %i = 0 to 8 grain = 2 { }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has grain 0, expected 1 or more}}
  kernel.for %i = 0 to 8 map(parallel) grain = 0 { }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{unknown mapping 'threads', expected sequential, parallel, vector or unroll}}
  kernel.for %i = 0 to 8 map(threads) { }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 {
    // expected-error @+1 {{a bound of several results needs 'min' before its map}}
    kernel.for %j = 0 to affine_map<(d0) -> (8, d0)>(%i) { }
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{needs a body with one index argument, the iteration}}
  "kernel.for"() <{lower_map = affine_map<() -> (0)>, upper_map = affine_map<() -> (8)>, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%i: i32):
    kernel.yield
  }) : () -> ()
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 {
    // expected-error @+1 {{has symbols in its condition; write all operands as dims}}
    kernel.if affine_set<()[s0] : (s0 >= 0)>(%i) { }
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 {
    // expected-error @+1 {{has 1 operands for a condition of 2 dims}}
    kernel.if affine_set<(d0, d1) : (d0 + d1 >= 0)>(%i) { }
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 {
    // expected-error @+1 {{has a map of 2 results, expected one}}
    %0 = kernel.apply affine_map<(d0) -> (d0, 1)>(%i)
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 {
    // expected-error @+1 {{has 2 operands for its map, which takes 1}}
    %0 = kernel.apply affine_map<(d0) -> (d0)>(%i, %i)
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 {
    // expected-error @+1 {{has symbols in its condition; write all operands as dims}}
    %0 = kernel.in_bounds affine_set<()[s0] : (s0 >= 0)>(%i) : i1
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 {
    // expected-error @+1 {{has 1 operands for a condition of 2 dims}}
    %0 = kernel.in_bounds affine_set<(d0, d1) : (d0 >= 0)>(%i) : i1
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 {
    // expected-error @+1 {{result is 'vector<16xi1>', expected i1 (or 16 lanes of it with a lane_dim)}}
    %0 = kernel.in_bounds affine_set<(d0) : (d0 >= 0)>(%i) : vector<16xi1>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 {
    // expected-error @+1 {{lane_dim is 1, expected one of the 1 dims of the condition}}
    %0 = kernel.in_bounds affine_set<(d0) : (d0 >= 0)>(%i) {lane_dim = 1 : i64} : vector<16xi1>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 {
    // expected-error @+1 {{result is 'i1', expected 16 lanes of i1}}
    %0 = kernel.in_bounds affine_set<(d0) : (d0 >= 0)>(%i) {lane_dim = 0 : i64} : i1
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 {
    // expected-error @+1 {{result #0 must be 16 lanes of 1-bit signless integer values, but got 'vector<8xi1>'}}
    %0 = kernel.tail_mask %i, affine_map<() -> (3)>() : vector<8xi1>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 {
    // expected-error @+1 {{has a bound without results}}
    %0 = kernel.tail_mask %i, affine_map<() -> ()>() : vector<16xi1>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 {
    // expected-error @+1 {{result #0 must be 16 lanes of 32-bit signless integer or 64-bit signless integer values, but got 'vector<16xf32>'}}
    %0 = kernel.iota %i : vector<16xf32>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = arith.constant 0.0 : f16
  // expected-error @+1 {{operand #0 must be scalar of a compute type, but got 'f16'}}
  %1 = kernel.broadcast %0 : f16 -> vector<16xf16>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = arith.constant 0.0 : f32
  // expected-error @+1 {{result #0 must be 16 lanes of a compute type, but got 'vector<8xf32>'}}
  %1 = kernel.broadcast %0 : f32 -> vector<8xf32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = arith.constant 0.0 : f32
  // expected-error @+1 {{result is 'vector<16xi32>', expected 'vector<16xf32>'}}
  %1 = kernel.broadcast %0 : f32 -> vector<16xi32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = arith.constant dense<0.0> : vector<8xf32>
  // expected-error @+1 {{operand #0 must be 16 lanes of a compute type, but got 'vector<8xf32>'}}
  %1 = kernel.reduce add %0 : vector<8xf32> -> f32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = arith.constant dense<0.0> : vector<16xf32>
  // expected-error @+1 {{result is 'i32', expected 'f32'}}
  %1 = kernel.reduce add %0 : vector<16xf32> -> i32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = arith.constant dense<0.0> : vector<16xf32>
  // expected-error @+1 {{cannot combine 'vector<16xf32>' by 'and'; and, or are for i1, the others for numbers}}
  %1 = kernel.reduce and %0 : vector<16xf32> -> f32
  kernel.return
}

// -----

func.func @main() {
  // expected-error @+1 {{refers to weight @w, which is not in this module}}
  %w = kernel.weight @w : memref<4xf32>
  return
}

// -----

func.func @main() {
  // expected-error @+1 {{has offset -64, expected 0 or more}}
  %w = kernel.buffer offset = -64 : memref<4xf32>
  return
}

// -----

func.func @main(%x: memref<4xf32>) {
  // expected-error @+1 {{changes the element type from 'f32' to 'i32'}}
  %v = kernel.view %x : memref<4xf32> -> memref<4xi32>
  return
}

// -----

func.func @main(%x: memref<4xf32>) {
  // expected-error @+1 {{has 4 elements as 'memref<4xf32>' but 6 as 'memref<2x3xf32>'}}
  %v = kernel.view %x : memref<4xf32> -> memref<2x3xf32>
  return
}

// -----

func.func @main(%x: memref<4xf32>) {
  // expected-error @+1 {{refers to kernel @gone, which is not in this module}}
  kernel.launch @gone(%x) : memref<4xf32>
  return
}

// -----

// expected-note @+1 {{the kernel is here}}
kernel.func @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}
func.func @main(%x: memref<4xf32>) {
  // expected-error @+1 {{passes 1 operands to @k, which takes 2}}
  kernel.launch @k(%x) : memref<4xf32>
  return
}

// -----

// expected-note @+1 {{the kernel is here}}
kernel.func @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}
func.func @main(%x: memref<4xf32>, %y: memref<8xf32>) {
  // expected-error @+1 {{operand 1 is 'memref<8xf32>', expected 'memref<4xf32>'}}
  kernel.launch @k(%x, %y) : memref<4xf32>, memref<8xf32>
  return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has a map without results}}
  %0 = kernel.min affine_map<() -> ()>()
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has 0 operands for its map, which takes 1}}
  %0 = kernel.min affine_map<(d0) -> (d0, 4)>()
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = kernel.load %x[0] : memref<8xf32> -> f32
  // expected-error @+1 {{has 2 terms of bf16 at a time, not 4}}
  %1 = kernel.terms %0, %0, %0, %0 : f32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf64>, %y: memref<8xf64>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = kernel.load %x[0] : memref<8xf64> -> f64
  // expected-error @+1 {{operand #0 must be variadic of 32-bit signless integer or 32-bit float or 16 lanes of 32-bit signless integer or 32-bit float values, but got 'f64'}}
  %1 = kernel.terms %0, %0 : f64
  kernel.return
}

// -----

kernel.func @k(%x: memref<16xf32>, %y: memref<16xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = kernel.load %x[0] : memref<16xf32> -> vector<16xf32>
  %1 = kernel.load %x[0] : memref<16xf32> -> f32
  // expected-error @+1 {{has terms and a result of different kinds}}
  %2 = "kernel.terms"(%0, %1) : (vector<16xf32>, f32) -> vector<16xi32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<16xf32>, %y: memref<16xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = kernel.load %x[0] : memref<16xf32> -> vector<16xf32>
  // expected-error @+1 {{operand #0 must be 32-bit signless integer or 16 lanes of 32-bit signless integer values, but got 'vector<16xf32>'}}
  %1 = "kernel.dot"(%0, %0, %0) {terms = 2 : i64} : (vector<16xf32>, vector<16xf32>, vector<16xf32>) -> vector<16xf32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<16xf32>, %z: memref<16xi32>, %y: memref<16xf32>)
    attributes {group = "k", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  %0 = kernel.load %x[0] : memref<16xf32> -> f32
  %1 = kernel.load %z[0] : memref<16xi32> -> vector<16xi32>
  // expected-error @+1 {{failed to verify that lhs has the lanes of the sums in i32}}
  %2 = "kernel.dot"(%1, %1, %0) {terms = 2 : i64} : (vector<16xi32>, vector<16xi32>, f32) -> f32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = kernel.load %x[0] : memref<8xf32> -> f32
  %1 = kernel.terms %0, %0 : f32
  // expected-error @+1 {{adds 2 products of bf16 at a time, not 4}}
  %2 = kernel.dot %1, %1, %0 terms = 4 : f32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %z: memref<8xi32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  %0 = kernel.load %x[0] : memref<8xf32> -> f32
  %1 = kernel.load %z[0] : memref<8xi32> -> i32
  %2 = kernel.terms %1, %1 : i32
  // expected-error @+1 {{multiplies terms that are of another kind than its sum}}
  %3 = kernel.dot %2, %2, %0 terms = 2 : f32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xi32>, %y: memref<8xi32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = kernel.load %x[0] : memref<8xi32> -> i32
  // expected-error @+1 {{needs 2 terms or 4, has 3}}
  %1 = kernel.terms %0, %0, %0 : i32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xi32>, %y: memref<8xi32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = kernel.load %x[0] : memref<8xi32> -> i32
  // expected-error @+1 {{needs 2 terms or 4, has 8}}
  %1 = kernel.dot %0, %0, %0 terms = 8 : i32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xi32>, %y: memref<8xi32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = kernel.load %x[0] : memref<8xi32> -> i32
  %1 = kernel.terms %0, %0 : i32
  // expected-error @+1 {{multiplies 4 terms, and has an operand of 2}}
  %2 = kernel.dot %1, %0, %0 terms = 4 : i32
  kernel.return
}

// -----

kernel.func @k(%x: memref<16xi32>, %y: memref<16xi32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = kernel.load %x[0] : memref<16xi32> -> i32
  // expected-error @+1 {{operand #0 must be 32-bit float or 64-bit float or 16 lanes of 32-bit float or 64-bit float values, but got 'i32'}}
  %1 = kernel.mul_rounded %0, %0 : i32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{unknown way to carry 'sum', expected add, mul, max, min, and, or, select or update}}
  kernel.for %i = 0 to 8 carries(sum %y : memref<8xf32>) { }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{carries 1 arrays, and says how of 0}}
  "kernel.for"(%y) <{lower_map = affine_map<() -> (0)>, upper_map = affine_map<() -> (8)>, operandSegmentSizes = array<i32: 0, 0, 1>}> ({
  ^bb0(%i: index):
    kernel.yield
  }) : (memref<8xf32>) -> ()
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{carries an array twice}}
  kernel.for %i = 0 to 8 carries(add %y : memref<8xf32>, add %y : memref<8xf32>) {
    %0 = kernel.load %x[%i] : memref<8xf32> -> f32
    %1 = kernel.load %y[0] : memref<8xf32> -> f32
    %2 = arith.addf %1, %0 : f32
    kernel.store %2, %y[0] : f32, memref<8xf32>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{is mapped parallel and carries an array by 'update', one iteration after the other; threads run at once}}
  kernel.for %i = 0 to 8 map(parallel) carries(update %y : memref<8xf32>) {
    %0 = kernel.load %x[%i] : memref<8xf32> -> f32
    %1 = kernel.load %y[0] : memref<8xf32> -> f32
    %2 = arith.addf %1, %0 : f32
    kernel.store %2, %y[0] : f32, memref<8xf32>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{carries an array that nothing in it stores to}}
  kernel.for %i = 0 to 8 carries(add %y : memref<8xf32>) {
    %0 = kernel.load %y[0] : memref<8xf32> -> f32
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{carries an array, of which it accesses other elements in other iterations}}
  kernel.for %i = 0 to 8 carries(add %y : memref<8xf32>) {
    %0 = kernel.load %x[%i] : memref<8xf32> -> f32
    // expected-note @+1 {{accessed here}}
    %1 = kernel.load %y[%i] : memref<8xf32> -> f32
    %2 = arith.addf %1, %0 : f32
    kernel.store %2, %y[0] : f32, memref<8xf32>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{carries an array, of which it accesses other elements in other iterations}}
  kernel.for %i = 0 to 8 carries(update %y : memref<8xf32>) {
    %0 = arith.constant 0 : i32
    %1 = kernel.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %2 = kernel.load %x[%i] : memref<8xf32> -> f32
    // expected-note @+1 {{accessed here}}
    kernel.store %2, %y[%1] : f32, memref<8xf32>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{carries an array that is not only loaded and stored}}
  kernel.for %i = 0 to 8 carries(update %y : memref<8xf32>) {
    %0 = arith.constant 0 : i32
    // expected-note @+1 {{used here}}
    %1 = kernel.gather %y, affine_map<()[s0] -> (s0)>()[%0] : memref<8xf32>, i32 -> f32
    kernel.store %1, %y[0] : f32, memref<8xf32>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{carries an array by 'mul', but combines by 'add'}}
  kernel.for %i = 0 to 8 map(vector) carries(mul %y : memref<8xf32>) {
    %0 = kernel.load %x[%i] : memref<8xf32> -> f32
    %1 = kernel.load %y[0] : memref<8xf32> -> f32
    // expected-note @+1 {{here}}
    %2 = arith.addf %1, %0 : f32
    kernel.store %2, %y[0] : f32, memref<8xf32>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{carries an array by 'add', but this is no combiner that is known to be associative}}
  kernel.for %i = 0 to 8 map(vector) carries(add %y : memref<8xf32>) {
    %0 = kernel.load %x[%i] : memref<8xf32> -> f32
    %1 = kernel.load %y[0] : memref<8xf32> -> f32
    // expected-note @+1 {{here}}
    %2 = arith.divf %1, %0 : f32
    kernel.store %2, %y[0] : f32, memref<8xf32>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{carries an array by 'add', but two different combiners follow one another}}
  kernel.for %i = 0 to 8 map(vector) carries(add %y : memref<8xf32>) {
    %0 = kernel.load %x[%i] : memref<8xf32> -> f32
    %1 = kernel.load %y[0] : memref<8xf32> -> f32
    %3 = arith.mulf %1, %0 : f32
    // expected-note @+1 {{here}}
    %2 = arith.addf %3, %0 : f32
    kernel.store %2, %y[0] : f32, memref<8xf32>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{carries an array by 'add', but the accumulated value goes into an operation twice}}
  kernel.for %i = 0 to 8 map(vector) carries(add %y : memref<8xf32>) {
    %0 = kernel.load %x[%i] : memref<8xf32> -> f32
    %1 = kernel.load %y[0] : memref<8xf32> -> f32
    // expected-note @+1 {{here}}
    %2 = arith.addf %1, %1 : f32
    kernel.store %2, %y[0] : f32, memref<8xf32>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{carries an array by 'add', but what was there before is overwritten}}
  kernel.for %i = 0 to 8 map(vector) carries(add %y : memref<8xf32>) {
    %0 = kernel.load %x[%i] : memref<8xf32> -> f32
    %1 = kernel.load %y[0] : memref<8xf32> -> f32
    %2 = arith.addf %1, %0 : f32
    // expected-note @+1 {{here}}
    kernel.store %0, %y[0] : f32, memref<8xf32>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{runs on lanes and carries an array}}
  kernel.for %i = 0 to 8 map(vector) carries(add %y : memref<8xf32>) {
    %0 = kernel.load %x[%i] : memref<8xf32> -> f32
    %1 = kernel.load %y[0] : memref<8xf32> -> f32
    %2 = arith.addf %1, %0 : f32
    // expected-note @+1 {{of which this is one of several loads or stores}}
    kernel.store %2, %y[0] : f32, memref<8xf32>
    kernel.store %2, %y[1] : f32, memref<8xf32>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{runs on lanes and carries an array}}
  kernel.for %i = 0 to 8 map(vector) carries(add %y : memref<8xf32>) {
    %0 = kernel.load %x[%i] : memref<8xf32> -> f32
    %1 = kernel.load %y[1] : memref<8xf32> -> f32
    %2 = arith.addf %1, %0 : f32
    // expected-note @+1 {{of which this stores an element that is not loaded beside it, or under a mask}}
    kernel.store %2, %y[0] : f32, memref<8xf32>
  }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{carries arrays by 'select' that it does not overwrite together}}
  kernel.for %i = 0 to 8 map(vector) carries(select %y : memref<8xf32>) {
    %0 = kernel.load %x[%i] : memref<8xf32> -> f32
    %1 = kernel.load %y[0] : memref<8xf32> -> f32
    %2 = arith.addf %1, %0 : f32
    kernel.store %2, %y[0] : f32, memref<8xf32>
  }
  kernel.return
}

// -----

// expected-error @below {{has isa = "neon", for which target generic has no tiles; it has them for avx2, avx512}}
kernel.func @set(%y: memref<8xf32>)
    attributes {group = "set", variant = "default", isa = "neon", num_inputs = 0 : i64, num_outputs = 1 : i64} {
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{is mapped to blocks, which target generic, a CPU, does not have}}
  kernel.for %i = 0 to 8 map(block) { }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{is mapped to columns, which target generic, a CPU, does not have}}
  kernel.for %i = 0 to 8 map(column) { }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{is mapped to warps, which target generic, a CPU, does not have}}
  kernel.for %i = 0 to 8 map(warp) { }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{is mapped to threads, which target generic, a CPU, does not have}}
  kernel.for %i = 0 to 8 map(thread) { }
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has an array in shared memory, which target generic, a CPU, does not have}}
  %a = kernel.local : memref<8xf32, #kernel.space<shared>>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has an array in thread memory, which target generic, a CPU, does not have}}
  %a = kernel.workspace offset = 0 : memref<8xf32, #kernel.space<thread>>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, workspace_bytes = 64 : i64} {
  // expected-error @+1 {{has offset 8, no multiple of 64}}
  %a = kernel.workspace offset = 8 : memref<8xf32>
  kernel.return
}

// -----

module attributes {fuse.target = "zen4"} {
  // expected-error @+1 {{has an array in global memory, which target zen4, a CPU, does not have}}
  kernel.func @k(%x: memref<8xf32, #kernel.space<global>>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
    kernel.return
  }
}

// -----

func.func @main() {
  // expected-error @+1 {{has an array in shared memory, which target generic, a CPU, does not have}}
  %b = kernel.buffer : memref<8xf32, #kernel.space<shared>>
  return
}

// -----

func.func @main(%x: memref<8xf32>) {
  // expected-error @+1 {{has an array in global memory, which target generic, a CPU, does not have}}
  %v = kernel.view %x : memref<8xf32> -> memref<2x4xf32, #kernel.space<global>>
  return
}

// -----

fuse.weight @w = dense_resource<w> : tensor<2xf32>
func.func @main() {
  // expected-error @+1 {{has an array in global memory, which target generic, a CPU, does not have}}
  %w = kernel.weight @w : memref<2xf32, #kernel.space<global>>
  return
}

{-#
  dialect_resources: { builtin: { w: "0x040000000000803F0000803F" } }
#-}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{carries an array by 'max', but combines by 'add'}}
  kernel.for %i = 0 to 8 map(parallel) carries(max %y : memref<8xf32>) {
    %0 = kernel.load %x[%i] : memref<8xf32> -> f32
    %1 = kernel.load %y[0] : memref<8xf32> -> f32
    // expected-note @+1 {{here}}
    %2 = arith.addf %1, %0 : f32
    kernel.store %2, %y[0] : f32, memref<8xf32>
  }
  kernel.return
}

// -----

// What another thread has added would be seen.
kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{runs on threads and carries an array}}
  kernel.for %i = 0 to 8 map(parallel) carries(add %y : memref<8xf32>) {
    // expected-note @+1 {{of which this is one of several loads or stores}}
    %0 = kernel.load %y[1] : memref<8xf32> -> f32
    %1 = kernel.load %y[0] : memref<8xf32> -> f32
    %3 = arith.addf %1, %0 : f32
    kernel.store %3, %y[0] : f32, memref<8xf32>
  }
  kernel.return
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  func.func @main(%x: memref<8xf32>) {
    // expected-error @+1 {{is of 'memref<8xf32>' but lies in other memory, as 'memref<2x4xf32, #kernel.space<host>>'}}
    %v = kernel.view %x : memref<8xf32> -> memref<2x4xf32, #kernel.space<host>>
    return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  func.func @main(%x: memref<8xf32>) {
    %h = kernel.buffer : memref<4xf32, #kernel.space<host>>
    // expected-error @+1 {{is of 'memref<8xf32>' to 'memref<4xf32, #kernel.space<host>>', expected the same type but for the memory}}
    kernel.copy %x, %h : memref<8xf32>, memref<4xf32, #kernel.space<host>>
    return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @+1 {{argument 0 is 'memref<8xf32, #kernel.space<host>>', which kernels of a GPU cannot reach; copy it to the GPU's memory}}
  kernel.func @k(%x: memref<8xf32, #kernel.space<host>>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.return
  }
}

// -----

// What is printed as a part of identifiers, numbers and locks.
// expected-error @+1 {{has variant = "a\22; b(", which is no identifier; it needs letters, digits and underscores, and no digit first}}
kernel.func @k(%y: memref<8xf32>) attributes {group = "k", num_inputs = 0 : i64, num_outputs = 1 : i64, variant = "a\22; b("} {
  kernel.return
}

// -----

// expected-error @+1 {{has variant = "8x16", which is no identifier}}
kernel.func @k(%y: memref<8xf32>) attributes {group = "k", num_inputs = 0 : i64, num_outputs = 1 : i64, variant = "8x16"} {
  kernel.return
}

// -----

// expected-error @+1 {{has variant = "", which is no identifier}}
kernel.func @k(%y: memref<8xf32>) attributes {group = "k", num_inputs = 0 : i64, num_outputs = 1 : i64, variant = ""} {
  kernel.return
}

// -----

// expected-error @+1 {{has key = "0123456789abcdef0", which is no hash; it needs 16 lower-case hexadecimal digits}}
kernel.func @k(%y: memref<8xf32>) attributes {group = "k", num_inputs = 0 : i64, num_outputs = 1 : i64, variant = "default", key = "0123456789abcdef0"} {
  kernel.return
}

// -----

// expected-error @+1 {{has key = "0123456789ABCDEF", which is no hash}}
kernel.func @k(%y: memref<8xf32>) attributes {group = "k", num_inputs = 0 : i64, num_outputs = 1 : i64, variant = "default", key = "0123456789ABCDEF"} {
  kernel.return
}

// -----

// expected-error @+1 {{has hash = "u, 0}; int x[] = {", which is no hash}}
kernel.func @k(%y: memref<8xf32>) attributes {group = "k", num_inputs = 0 : i64, num_outputs = 1 : i64, variant = "default", hash = "u, 0}; int x[] = {"} {
  kernel.return
}

// -----

// expected-error @+1 {{has hash = 7 : i64, which is no hash}}
kernel.func @k(%y: memref<8xf32>) attributes {group = "k", num_inputs = 0 : i64, num_outputs = 1 : i64, variant = "default", hash = 7 : i64} {
  kernel.return
}

// -----

// expected-error @+1 {{has proposer = "isl\0Agroup", which is no list of words}}
kernel.func @k(%y: memref<8xf32>) attributes {group = "k", num_inputs = 0 : i64, num_outputs = 1 : i64, variant = "default", proposer = "isl\0Agroup"} {
  kernel.return
}

// -----

// expected-error @+1 {{expected a dictionary}}
kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, selected = [8]} {
  kernel.return
}

// -----

// expected-error @+1 {{expected numbers of threads, 2 or more, as array<i64: 8>}}
kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, selected = {avx2 = array<i64: 1>}} {
  kernel.return
}

// -----

// expected-error @+1 {{expected numbers of threads, 2 or more}}
kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, selected = {avx2 = 8}} {
  kernel.return
}

// -----

// expected-error @+1 {{has isa = "sse9", for which target generic has no tiles}}
kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, selected = {sse9 = array<i64: 8>}} {
  kernel.return
}
