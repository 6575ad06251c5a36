// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics
// What is no product of matrices in memory.

func.func @case(%x: tensor<4x3xf32>, %w: tensor<3x5xf32>) {
  // expected-error @below {{'fuse.call' op of @openblas_gemm needs the parameter 'terms', a string}}
  %0 = fuse.call @openblas_gemm(%x, %w) {} : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x3xf64>, %w: tensor<3x5xf64>) {
  // expected-error @below {{'fuse.call' op of @onednn_gemm multiplies f32, and not elements of another type}}
  %0 = fuse.call @onednn_gemm(%x, %w) {terms = "mk,kn->mn"} : (tensor<4x3xf64>, tensor<3x5xf64>) -> tensor<4x5xf64>
  return
}

// -----

func.func @case(%x: tensor<4x3xf32>, %w: tensor<3x5xf32>) {
  // expected-error @below {{has the terms 'mk;kn->mn', which are not of the form 'mk,kn->mn'}}
  %0 = fuse.call @openblas_gemm(%x, %w) {terms = "mk;kn->mn"} : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x3xf32>, %w: tensor<3x5xf32>) {
  // expected-error @below {{has the terms 'mk,bkn->mn', where 'bkn' is of shape [3, 5]}}
  %0 = fuse.call @openblas_gemm(%x, %w) {terms = "mk,bkn->mn"} : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @case(%x: tensor<3x3xf32>, %w: tensor<3x5xf32>) {
  // expected-error @below {{has the terms 'kk,kn->kn', where a letter stands twice in a tensor}}
  %0 = fuse.call @openblas_gemm(%x, %w) {terms = "kk,kn->kn"} : (tensor<3x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x3xf32>, %w: tensor<6x5xf32>) {
  // expected-error @below {{has the terms 'mk,kn->mn', where 'k' has several extents}}
  %0 = fuse.call @openblas_gemm(%x, %w) {terms = "mk,kn->mn"} : (tensor<4x3xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x3xf32>, %w: tensor<3x5xf32>) {
  // expected-error @below {{has the terms 'mk,kn->mz', where 'z' is of the result only}}
  %0 = fuse.call @openblas_gemm(%x, %w) {terms = "mk,kn->mz"} : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x3xf32>, %w: tensor<3x5xf32>) {
  // expected-error @below {{sums over a dimension of one operand alone}}
  %0 = fuse.call @openblas_gemm(%x, %w) {terms = "mk,kn->n"} : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x0xf32>, %w: tensor<0x5xf32>) {
  // expected-error @below {{has operands without elements}}
  %0 = fuse.call @openblas_gemm(%x, %w) {terms = "mk,kn->mn"} : (tensor<4x0xf32>, tensor<0x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x3xf32>, %w: tensor<3x5xf32>) {
  // expected-error @below {{is no product of matrices: the last dimension of the result is not one of the second operand alone}}
  %0 = fuse.call @openblas_gemm(%x, %w) {terms = "mk,kn->nm"} : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @case(%x: tensor<3xf32>, %w: tensor<3x5xf32>) {
  // expected-error @below {{is a product with a vector}}
  %0 = fuse.call @openblas_gemm(%x, %w) {terms = "k,kn->n"} : (tensor<3xf32>, tensor<3x5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x3x2xf32>, %w: tensor<2x3x5xf32>) {
  // expected-error @below {{sums over dimensions that do not lie side by side, or not in one order}}
  %0 = fuse.call @openblas_gemm(%x, %w) {terms = "mkl,lkn->mn"} : (tensor<4x3x2xf32>, tensor<2x3x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x3x2xf32>, %w: tensor<2x3x5xf32>) {
  // expected-error @below {{has an operand whose elements lie side by side neither in rows nor in columns}}
  %0 = fuse.call @openblas_gemm(%x, %w) {terms = "mkb,bkn->bmn"} : (tensor<4x3x2xf32>, tensor<2x3x5xf32>) -> tensor<2x4x5xf32>
  return
}
