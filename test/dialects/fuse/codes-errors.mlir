// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @product(%a: tensor<2x3xf8E4M3FN>, %b: tensor<3x4xf8E4M3FN>) -> tensor<2x4xf32> {
  // expected-error @below {{needs numbers to compute with; f8, f6 and f4 are cast first}}
  %0 = fuse.contract %a, %b maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] : tensor<2x3xf8E4M3FN>, tensor<3x4xf8E4M3FN> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// A type without a row in the table of types.
func.func @unknown(%x: tensor<4xf8E3M4>) -> tensor<4xf32> {
  // expected-error @below {{operand #0 must be ranked tensor of a supported element type}}
  %0 = fuse.cast %x : tensor<4xf8E3M4> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @powers(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf8E8M0FNU> {
  // expected-error @below {{cannot use 'f8E8M0FNU' as a quantised type; it takes integers, f8, f6 and f4}}
  %0 = fuse.quantize %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf8E8M0FNU>
  return %0 : tensor<4xf8E8M0FNU>
}

// -----

func.func @unsaturated_integers(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xi8> {
  // expected-error @below {{always saturates to 'i8'; only f8 has codes for what is too large}}
  %0 = fuse.quantize %x, %s {unsaturated} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @unsaturated_f6(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf6E3M2FN> {
  // expected-error @below {{always saturates to 'f6E3M2FN'; only f8 has codes for what is too large}}
  %0 = fuse.quantize %x, %s {unsaturated} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf6E3M2FN>
  return %0 : tensor<4xf6E3M2FN>
}
