// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

kernel.func @k(%x: memref<64x72xui8>, %w: memref<2x18x32x4xi8>, %f: memref<64x72xf16>, %y: memref<16xi32>)
    attributes {group = "k", variant = "default", num_inputs = 3 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<32x2xvector<16xi32>>
  // expected-error @+1 {{has 0 rows, expected one or more}}
  kernel.add_products %x[0, 0] row = 72, %w[0, 0, 0, 0] column = 64 step = 128 to %s[0, 0] width = 2 rows = 0 columns = 2 steps = 18 terms = 4 : memref<64x72xui8>, memref<2x18x32x4xi8>, memref<32x2xvector<16xi32>>
  kernel.return
}

// -----

kernel.func @k(%x: memref<64x72xui8>, %w: memref<2x18x32x4xi8>, %f: memref<64x72xf16>, %y: memref<16xi32>)
    attributes {group = "k", variant = "default", num_inputs = 3 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<32x2xvector<16xi32>>
  // expected-error @+1 {{needs 2 terms or 4, has 3}}
  kernel.add_products %x[0, 0] row = 72, %w[0, 0, 0, 0] column = 64 step = 128 to %s[0, 0] width = 2 rows = 32 columns = 2 steps = 18 terms = 3 : memref<64x72xui8>, memref<2x18x32x4xi8>, memref<32x2xvector<16xi32>>
  kernel.return
}

// -----

kernel.func @k(%x: memref<64x72xui8>, %w: memref<2x18x32x4xi8>, %f: memref<64x72xf16>, %y: memref<16xi32>)
    attributes {group = "k", variant = "default", num_inputs = 3 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<32x2xvector<16xi32>>
  // expected-error @+1 {{adds 2 terms to sums of type 'memref<32x2xvector<16xi32>>', expected an array of vectors of f32}}
  kernel.add_products %x[0, 0] row = 72, %w[0, 0, 0, 0] column = 64 step = 128 to %s[0, 0] width = 2 rows = 32 columns = 2 steps = 18 terms = 2 : memref<64x72xui8>, memref<2x18x32x4xi8>, memref<32x2xvector<16xi32>>
  kernel.return
}

// -----

kernel.func @k(%x: memref<64x72xui8>, %w: memref<2x18x32x4xi8>, %f: memref<64x72xf16>, %y: memref<16xi32>)
    attributes {group = "k", variant = "default", num_inputs = 3 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<32x2xvector<16xi32>>
  // expected-error @+1 {{multiplies elements of type 'f16', expected 8-bit integers}}
  kernel.add_products %f[0, 0] row = 72, %w[0, 0, 0, 0] column = 64 step = 128 to %s[0, 0] width = 2 rows = 32 columns = 2 steps = 18 terms = 4 : memref<64x72xf16>, memref<2x18x32x4xi8>, memref<32x2xvector<16xi32>>
  kernel.return
}

// -----

kernel.func @k(%x: memref<64x72xui8>, %w: memref<2x18x32x4xi8>, %f: memref<64x72xf16>, %y: memref<16xi32>)
    attributes {group = "k", variant = "default", num_inputs = 3 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<32x2xvector<16xi32>>
  // expected-error @+1 {{has 1 subscripts for 'memref<64x72xui8>'}}
  kernel.add_products %x[0] row = 72, %w[0, 0, 0, 0] column = 64 step = 128 to %s[0, 0] width = 2 rows = 32 columns = 2 steps = 18 terms = 4 : memref<64x72xui8>, memref<2x18x32x4xi8>, memref<32x2xvector<16xi32>>
  kernel.return
}
