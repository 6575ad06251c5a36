// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s -split-input-file -verify-diagnostics
// One case for each rule of the verifiers and parsers.

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has elements of type 'f16', expected a compute type or 16 lanes of one}}
  %a = kernel.local : memref<8xf16>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has elements of type 'vector<8xf32>', expected a compute type or 16 lanes of one}}
  %a = kernel.local : memref<8xvector<8xf32>>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{needs a static shape without a layout}}
  %a = kernel.local : memref<?xf32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has 1 subscripts for 'memref<8x8xf32>', which has rank 2}}
  %0 = kernel.load %x[0] : memref<8x8xf32> -> f32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{result is 'i32', expected 'f32' or 'vector<16xf32>', the compute type of 'f32'}}
  %0 = kernel.load %x[0, 0] : memref<8x8xf32> -> i32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf16>, %y: memref<8x8xf16>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{result #0 must be scalar of a compute type or 16 lanes of one, but got 'f16'}}
  %0 = kernel.load %x[0, 0] : memref<8x8xf16> -> f16
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has stride 0; load a scalar and broadcast it}}
  %0 = kernel.load %x[0, 0] stride = 0 : memref<8x8xf32> -> vector<16xf32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has a stride but no lanes for it}}
  %0 = kernel.load %x[0, 0] stride = 2 : memref<8x8xf32> -> f32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has a fill but no mask: all lanes are read}}
  %0 = kernel.load %x[0, 0] fill 0.0 : f32 : memref<8x8xf32> -> f32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %m = arith.constant true
  // expected-error @+1 {{mask is 'i1', expected 'vector<16xi1>'}}
  %0 = kernel.load %x[0, 0] mask %m : memref<8x8xf32>, i1 -> vector<16xf32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %m = arith.constant true
  // expected-error @+1 {{fill is of type 'i32', expected 'f32', the compute type of 'f32'}}
  %0 = kernel.load %x[0, 0] mask %m fill 0 : i32 : memref<8x8xf32>, i1 -> f32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %a = kernel.local : memref<2xvector<16xf32>>
  // expected-error @+1 {{result is 'f32', expected 'vector<16xf32>', the element type of 'memref<2xvector<16xf32>>'}}
  %0 = kernel.load %a[0] : memref<2xvector<16xf32>> -> f32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %a = kernel.local : memref<2xvector<16xf32>>
  %m = arith.constant dense<true> : vector<16xi1>
  // expected-error @+1 {{has a mask on a memref of vectors; select the value instead}}
  %0 = kernel.load %a[0] mask %m : memref<2xvector<16xf32>>, vector<16xi1> -> vector<16xf32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = arith.constant 0 : i32
  // expected-error @+1 {{value is 'i32', expected 'f32' or 'vector<16xf32>', the compute type of 'f32'}}
  kernel.store %0, %y[0, 0] : i32, memref<8x8xf32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = arith.constant 0.0 : f32
  // expected-error @+1 {{has 3 subscripts for 'memref<8x8xf32>', which has rank 2}}
  kernel.store %0, %y[0, 0, 0] : f32, memref<8x8xf32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = arith.constant 0 : i64
  // expected-error @+1 {{has 0 indices and 1 dynamic values for a map of 1 dims and 1 symbols}}
  %1 = kernel.gather %x, affine_map<(d0)[s0] -> (s0, d0)>()[%0] : memref<8x8xf32>, i64 -> f32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has no dynamic subscript; use kernel.load}}
  "kernel.gather"(%x) <{map = affine_map<() -> (0, 0)>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (memref<8x8xf32>) -> f32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = arith.constant 0.0 : f32
  // expected-error @+1 {{operand #1 must be variadic of 32-bit signless integer or 64-bit signless integer or 16 lanes of 32-bit signless integer or 64-bit signless integer values, but got 'f32'}}
  %1 = kernel.gather %x, affine_map<()[s0] -> (s0, 0)>()[%0] : memref<8x8xf32>, f32 -> f32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = arith.constant dense<0> : vector<16xi32>
  // expected-error @+1 {{has a subscript of 16 lanes but a scalar result}}
  %1 = kernel.gather %x, affine_map<()[s0] -> (s0, 0)>()[%0] : memref<8x8xf32>, vector<16xi32> -> f32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = arith.constant 0 : i32
  %a = kernel.local : memref<2xvector<16xf32>>
  // expected-error @+1 {{reads from a memref of vectors; gathers read scalars}}
  %1 = kernel.gather %a, affine_map<()[s0] -> (s0)>()[%0] : memref<2xvector<16xf32>>, i32 -> vector<16xf32>
  kernel.return
}

// -----

// expected-error @below {{argument 1 has kernel.stream, but is read}}
kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32> {kernel.stream})
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-note @below {{here}}
  %0 = kernel.load %y[0, 0] : memref<8x8xf32> -> f32
  kernel.return
}

// -----

// expected-error @below {{argument 0 has kernel.stream, which outputs may have}}
kernel.func @k(%x: memref<8x8xf32> {kernel.stream}, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has 1 subscripts for 'memref<8x8xf32>', which has rank 2}}
  kernel.prefetch write %x[0] : memref<8x8xf32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %rows = kernel.local : memref<8x16xf32>
  // expected-error @+1 {{has rows of type 'memref<8x16xf32>', expected an array of vectors}}
  kernel.store_transposed %rows[0], %y[0, 0] stride = 8 : memref<8x16xf32>, memref<8x8xf32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %rows = kernel.local : memref<4xvector<16xf32>>
  // expected-error @+1 {{has 1 subscripts for a row of 'memref<4xvector<16xf32>>', which has 0}}
  kernel.store_transposed %rows[0], %y[0, 0] stride = 8 : memref<4xvector<16xf32>>, memref<8x8xf32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %rows = kernel.local : memref<4xvector<16xf32>>
  // expected-error @+1 {{has 1 subscripts for 'memref<8x8xf32>', which has rank 2}}
  kernel.store_transposed %rows[], %y[0] stride = 8 : memref<4xvector<16xf32>>, memref<8x8xf32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xi32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %rows = kernel.local : memref<4xvector<16xf32>>
  // expected-error @+1 {{a row is 'vector<16xf32>', expected 'i32' or 'vector<16xi32>', the compute type of 'i32'}}
  kernel.store_transposed %rows[], %y[0, 0] stride = 8 : memref<4xvector<16xf32>>, memref<8x8xi32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %rows = kernel.local : memref<4xvector<16xf32>>
  %to = kernel.local : memref<4xvector<16xf32>>
  // expected-error @+1 {{writes to a memref of vectors; their elements lie side by side}}
  kernel.store_transposed %rows[], %to[0] stride = 8 : memref<4xvector<16xf32>>, memref<4xvector<16xf32>>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %rows = kernel.local : memref<4xvector<16xf32>>
  %m = arith.constant true
  // expected-error @+1 {{mask is 'i1', expected 'vector<16xi1>'}}
  kernel.store_transposed %rows[], %y[0, 0] stride = 8 mask %m : memref<4xvector<16xf32>>, memref<8x8xf32>, i1
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf32>, %y: memref<8x8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %rows = kernel.local : memref<4xvector<16xf32>>
  // expected-error @+1 {{has stride 0}}
  kernel.store_transposed %rows[], %y[0, 0] stride = 0 : memref<4xvector<16xf32>>, memref<8x8xf32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %v = arith.constant 1.0 : f32
  // expected-error @+1 {{has 0 subscripts for 'memref<8xf32>', which has rank 1}}
  kernel.atomic add %v, %y[] : f32, memref<8xf32>
  kernel.return
}

// -----

// Each store would round what is added.
kernel.func @k(%x: memref<8xf32>, %y: memref<8xf16>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %v = arith.constant 1.0 : f32
  // expected-error @+1 {{combines 'f32' with elements of 'f16'; both are to be one type that is computed in}}
  kernel.atomic add %v, %y[0] : f32, memref<8xf16>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %v = arith.constant 1.0 : f32
  // expected-error @+1 {{expected add, mul, max, min, and or or, not 'sub'}}
  kernel.atomic sub %v, %y[0] : f32, memref<8xf32>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf16>, %y: memref<8x8xf16>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %m = arith.constant 1 : i32
  // expected-error @+1 {{operand #1 must be 1-bit signless integer or 16 lanes of 1-bit signless integer values, but got 'i32'}}
  %0 = kernel.load %x[0, 0] mask %m : memref<8x8xf16>, i32 -> f32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf16>, %y: memref<8x8xf16>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %m = arith.constant 1 : i32
  %0 = arith.constant 0.0 : f32
  // expected-error @+1 {{operand #2 must be 1-bit signless integer or 16 lanes of 1-bit signless integer values, but got 'i32'}}
  kernel.store %0, %y[0, 0] mask %m : f32, memref<8x8xf16>, i32
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf16>, %y: memref<8x8xf16>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = arith.constant 0.0 : f16
  // expected-error @+1 {{operand #0 must be scalar of a compute type or 16 lanes of one, but got 'f16'}}
  kernel.store %0, %y[0, 0] : f16, memref<8x8xf16>
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf16>, %y: memref<8x8xf16>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = arith.constant 0 : i64
  // expected-error @+1 {{result #0 must be scalar of a compute type or 16 lanes of one, but got 'f16'}}
  %1 = kernel.gather %x, affine_map<()[s0] -> (s0, 0)>()[%0] : memref<8x8xf16>, i64 -> f16
  kernel.return
}

// -----

kernel.func @k(%x: memref<8x8xf16>, %y: memref<8x8xf16>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = arith.constant 0.0 : f16
  // expected-error @+1 {{operand #0 must be scalar of a compute type, but got 'f16'}}
  kernel.atomic add %0, %y[0, 0] : f16, memref<8x8xf16>
  kernel.return
}
