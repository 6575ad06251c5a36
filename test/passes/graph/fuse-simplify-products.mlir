// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-simplify --split-input-file | FileCheck %s

// Linear layers with a bias between them: the weights are 3x3 and not 3x4 and 4x3, and
// the bias is multiplied by the second ones.
// CHECK-LABEL: func.func @linear
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
// CHECK-DAG: %[[W:.*]] = fuse.constant dense<{{\[\[}}1.000000e+00, 1.000000e+00, 2.000000e+00], [3.000000e+00, 6.000000e+00, 6.000000e+00], [2.000000e+00, 0.000000e+00, 2.000000e+00]]>
// CHECK-DAG: %[[C:.*]] = fuse.constant dense<[1.500000e+01, 1.400000e+01, 2.300000e+01]>
// CHECK: %[[P:.*]] = fuse.contract %[[X]], %[[W]] {{.*}} -> tensor<2x3xf32>
// CHECK: %[[B:.*]] = fuse.broadcast %[[C]] dims = [1]
// CHECK: %[[S:.*]] = fuse.add %[[P]], %[[B]]
// CHECK: return %[[S]]
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @linear(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = fuse.constant dense<[[1.0, 0.0, 0.0, 1.0], [0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]> : tensor<3x4xf32>
  %b = fuse.constant dense<[[0.0, 1.0, 1.0], [1.0, 2.0, 2.0], [1.0, 0.0, 1.0], [1.0, 0.0, 1.0]]> : tensor<4x3xf32>
  %c = fuse.constant dense<[2.0, 6.0, 3.0, 6.0]> : tensor<4xf32>
  %0 = fuse.contract %x, %a maps = [#x, #w, #y] : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  %1 = fuse.broadcast %c dims = [1] : tensor<4xf32> -> tensor<2x4xf32>
  %2 = fuse.add %0, %1 : tensor<2x4xf32>
  %3 = fuse.contract %2, %b maps = [#x, #w, #y] : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}

// -----

// A convolution and one of 1x1 behind it, whose weights stand on the left.
// CHECK-LABEL: func.func @convolution
// CHECK: fuse.contract {{.*}} : tensor<1x2x5x3xf32>, tensor<2x3x2xf32> -> tensor<1x2x5xf32>
// CHECK-NEXT: return
#r = affine_map<(b, o, w, i, t) -> (b, i, w, t)>
#f = affine_map<(b, o, w, i, t) -> (o, i, t)>
#c = affine_map<(b, o, w, i, t) -> (b, o, w)>
#p = affine_map<(b, o, w, i) -> (o, i)>
#q = affine_map<(b, o, w, i) -> (b, i, w)>
#s = affine_map<(b, o, w, i) -> (b, o, w)>
func.func @convolution(%x: tensor<1x2x7xf32>) -> tensor<1x2x5xf32> {
  %f = fuse.constant dense<1.0> : tensor<4x2x3xf32>
  %p = fuse.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %0 = fuse.window %x sizes = [3] strides = [1] dilations = [1] pad_low = [0] fill = 0.0 : f32 : tensor<1x2x7xf32> -> tensor<1x2x5x3xf32>
  %1 = fuse.contract %0, %f maps = [#r, #f, #c] : tensor<1x2x5x3xf32>, tensor<4x2x3xf32> -> tensor<1x4x5xf32>
  %2 = fuse.contract %p, %1 maps = [#p, #q, #s] : tensor<2x4xf32>, tensor<1x4x5xf32> -> tensor<1x2x5xf32>
  return %2 : tensor<1x2x5xf32>
}

// -----

// Low rank: the product of the weights would take more products than both.
// CHECK-LABEL: func.func @low_rank
// CHECK: fuse.contract {{.*}} -> tensor<2x1xf32>
// CHECK: fuse.contract {{.*}} -> tensor<2x3xf32>
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @low_rank(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = fuse.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %b = fuse.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %0 = fuse.contract %x, %a maps = [#x, #w, #y] : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %1 = fuse.contract %0, %b maps = [#x, #w, #y] : tensor<2x1xf32>, tensor<1x3xf32> -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// -----

// What others read is computed anyhow, and what a function stands behind.
// CHECK-LABEL: func.func @read_by_others
// CHECK-COUNT-4: fuse.contract
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @read_by_others(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %a = fuse.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = fuse.constant dense<[[5.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = fuse.contract %x, %a maps = [#x, #w, #y] : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %1 = fuse.contract %0, %b maps = [#x, #w, #y] : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %2 = fuse.exp %1 : tensor<2x2xf32>
  %3 = fuse.contract %2, %a maps = [#x, #w, #y] : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %4 = fuse.tanh %3 : tensor<2x2xf32>
  %5 = fuse.contract %4, %b maps = [#x, #w, #y] : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  return %0, %1, %5 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}
