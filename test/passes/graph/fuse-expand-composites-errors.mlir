// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-expand-composites --split-input-file --verify-diagnostics

func.func @sigmoid_of_integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @below {{'fuse.sigmoid' op cannot be expanded over 'i32': its formula needs floating point; cast the operand to f32 first}}
  %0 = fuse.sigmoid %x : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @norm_of_integers(%x: tensor<4x4xi8>) -> tensor<4x1xi8> {
  // expected-error @below {{'fuse.reduction' op cannot be expanded over 'i8'}}
  %0 = fuse.reduction l2 %x dims = [1] : tensor<4x4xi8> -> tensor<4x1xi8>
  return %0 : tensor<4x1xi8>
}

// -----

func.func @codes(%x: tensor<4xf8E4M3FN>) -> (tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>) {
  // expected-error @below {{'fuse.add' op cannot compute on 'f8E4M3FN'; cast the operand to f32 first}}
  %0 = fuse.add %x, %x : tensor<4xf8E4M3FN>
  // expected-error @below {{'fuse.relu' op cannot compute on 'f8E4M3FN'}}
  %1 = fuse.relu %x : tensor<4xf8E4M3FN>
  return %0, %1 : tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>
}

// -----

func.func @fractional_gemm_of_integers(%x: tensor<4x4xi32>) -> tensor<4x4xi32> {
  // expected-error @below {{'fuse.gemm' op cannot be expanded over 'i32'}}
  %0 = fuse.gemm %x, %x {alpha = 0.5 : f64, beta = 1.0 : f64} : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}
