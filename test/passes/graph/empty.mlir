// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --fuse-simplify | FileCheck %s
// Tensors without elements become constants; what reads nothing else is known.

// CHECK-LABEL: func.func @results
// CHECK: %[[E:.*]] = fuse.constant dense<> : tensor<0x5xf32>
// CHECK-NOT: fuse.exp
// CHECK: return %[[E]]
func.func @results(%x: tensor<0x5xf32>) -> tensor<0x5xf32> {
  %0 = fuse.exp %x : tensor<0x5xf32>
  return %0 : tensor<0x5xf32>
}

// -----

// The maximum of nothing is minus infinity; f16 results are converted.
// CHECK-LABEL: func.func @reduction
// CHECK-DAG: %[[L:.*]] = fuse.constant dense<0xFF800000> : tensor<f32>
// CHECK-DAG: %[[B:.*]] = fuse.broadcast %[[L]] dims = [] : tensor<f32> -> tensor<4xf32>
// CHECK-DAG: %[[Z:.*]] = fuse.constant dense<0.000000e+00> : tensor<f16>
// CHECK-DAG: %[[C:.*]] = fuse.broadcast %[[Z]] dims = [] : tensor<f16> -> tensor<4x3xf16>
// CHECK: return %[[B]], %[[C]]
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
func.func @reduction(%x: tensor<4x0xf32>, %a: tensor<4x0xf16>, %b: tensor<0x3xf16>) -> (tensor<4xf32>, tensor<4x3xf16>) {
  %0 = fuse.reduce (%x) inits = [0xFF800000 : f32] dims = [1] : (tensor<4x0xf32>) -> tensor<4xf32> {
  ^bb0(%acc: f32, %e: f32):
    %m = arith.maximumf %acc, %e : f32
    fuse.yield %m : f32
  }
  %1 = fuse.contract %a, %b maps = [#lhs, #rhs, #out] : tensor<4x0xf16>, tensor<0x3xf16> -> tensor<4x3xf16>
  return %0, %1 : tensor<4xf32>, tensor<4x3xf16>
}

// -----

// CHECK-LABEL: func.func @accesses
// CHECK-SAME: %[[X:.*]]: tensor<2x4xf32>, %[[E:.*]]: tensor<2x0xf32>
// CHECK: %[[S:.*]] = fuse.constant dense<7.000000e+00> : tensor<f32>
// CHECK: %[[F:.*]] = fuse.broadcast %[[S]] dims = [] : tensor<f32> -> tensor<2x3xf32>
// CHECK: return %[[X]], %[[F]]
func.func @accesses(%x: tensor<2x4xf32>, %e: tensor<2x0xf32>) -> (tensor<2x4xf32>, tensor<2x3xf32>) {
  %0 = fuse.concat %e, %x axis = 1 : tensor<2x0xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  %1 = fuse.pad %e low = [0, 1] high = [0, 2] fill = 7.0 : f32 : tensor<2x0xf32> -> tensor<2x3xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x3xf32>
}
