// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-simplify --split-input-file | FileCheck %s

// A part of what is stored as a whole is read out of it, not copied for a reshape.
// CHECK-LABEL: func.func @part_of_product
// CHECK: %[[P:.*]] = fuse.contract
// CHECK: %[[R:.*]] = fuse.reshape %[[P]] : tensor<2x12xf32> -> tensor<2x6x2xf32>
// CHECK: %[[S:.*]] = fuse.slice %[[R]] offsets = [0, 2, 0] strides = [1, 1, 1] : tensor<2x6x2xf32> -> tensor<2x2x2xf32>
// CHECK: return %[[S]]
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @part_of_product(%x: tensor<2x4xf32>, %w: tensor<4x12xf32>) -> tensor<2x2x2xf32> {
  %0 = fuse.contract %x, %w maps = [#a, #b, #c] : tensor<2x4xf32>, tensor<4x12xf32> -> tensor<2x12xf32>
  %1 = fuse.slice %0 offsets = [0, 4] strides = [1, 1] : tensor<2x12xf32> -> tensor<2x4xf32>
  %2 = fuse.reshape %1 : tensor<2x4xf32> -> tensor<2x2x2xf32>
  return %2 : tensor<2x2x2xf32>
}

// -----

// Dimensions that are kept whole may be cut anyhow; a dimension of 1 before the cut one
// joins it.
// CHECK-LABEL: func.func @part_of_argument
// CHECK-SAME: (%[[X:.*]]: tensor<1x9x6x4xf32>)
// CHECK: %[[R:.*]] = fuse.reshape %[[X]] : tensor<1x9x6x4xf32> -> tensor<9x24xf32>
// CHECK: %[[S:.*]] = fuse.slice %[[R]] offsets = [1, 0] strides = [3, 1] : tensor<9x24xf32> -> tensor<3x24xf32>
// CHECK: return %[[S]]
func.func @part_of_argument(%x: tensor<1x9x6x4xf32>) -> tensor<3x24xf32> {
  %0 = fuse.slice %x offsets = [0, 1, 0, 0] strides = [1, 3, 1, 1] : tensor<1x9x6x4xf32> -> tensor<1x3x6x4xf32>
  %1 = fuse.reshape %0 : tensor<1x3x6x4xf32> -> tensor<3x24xf32>
  return %1 : tensor<3x24xf32>
}

// -----

// Not what begins between rows of the result, is cut behind its first dimension, or is
// computed for the part only.
// CHECK-LABEL: func.func @not_parts
// CHECK-COUNT-3: fuse.reshape %{{.*}} : tensor<2x4xf32> -> tensor<2x2x2xf32>
// CHECK: fuse.reshape %{{.*}} : tensor<2x4xf32> -> tensor<8xf32>
func.func @not_parts(%x: tensor<2x12xf32>) -> (tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<8xf32>) {
  %0 = fuse.slice %x offsets = [0, 3] strides = [1, 1] : tensor<2x12xf32> -> tensor<2x4xf32>
  %1 = fuse.reshape %0 : tensor<2x4xf32> -> tensor<2x2x2xf32>
  %2 = fuse.slice %x offsets = [0, 4] strides = [1, 2] : tensor<2x12xf32> -> tensor<2x4xf32>
  %3 = fuse.reshape %2 : tensor<2x4xf32> -> tensor<2x2x2xf32>
  %4 = fuse.exp %x : tensor<2x12xf32>
  %5 = fuse.slice %4 offsets = [0, 4] strides = [1, 1] : tensor<2x12xf32> -> tensor<2x4xf32>
  %6 = fuse.reshape %5 : tensor<2x4xf32> -> tensor<2x2x2xf32>
  %7 = fuse.slice %x offsets = [0, 4] strides = [1, 1] : tensor<2x12xf32> -> tensor<2x4xf32>
  %8 = fuse.reshape %7 : tensor<2x4xf32> -> tensor<8xf32>
  return %1, %3, %6, %8 : tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<8xf32>
}

// -----

// Two products of one operand with constants are one, whose parts their readers take.
// CHECK-LABEL: func.func @joined
// CHECK-SAME: (%[[X:.*]]: tensor<3x2xf32>)
// CHECK-DAG: %[[W:.*]] = fuse.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00], [3.000000e+00, 4.000000e+00, 9.000000e+00, 1.000000e+01, 1.100000e+01, 1.200000e+01]]>
// CHECK-DAG: %[[B:.*]] = fuse.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00]>
// CHECK-DAG: %[[P:.*]] = fuse.contract %[[X]], %[[W]] {{.*}} -> tensor<3x6xf32>
// CHECK-DAG: %[[R:.*]] = fuse.broadcast %[[B]] dims = [1]
// CHECK: %[[S:.*]] = fuse.add %[[P]], %[[R]]
// CHECK-NOT: fuse.contract {{.*}}tensor<2x2xf32>
// CHECK-DAG: fuse.slice %[[S]] offsets = [0, 0] strides = [1, 1] : tensor<3x6xf32> -> tensor<3x2xf32>
// CHECK-DAG: fuse.slice %[[S]] offsets = [0, 2] strides = [1, 1] : tensor<3x6xf32> -> tensor<3x4xf32>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#t = affine_map<(m, n, k) -> (k, m)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @joined(%x: tensor<3x2xf32>) -> tensor<2x4xf32> {
  %v = fuse.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %w = fuse.constant dense<[[5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]> : tensor<2x4xf32>
  %p = fuse.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %q = fuse.constant dense<[3.0, 4.0, 5.0, 6.0]> : tensor<4xf32>
  %0 = fuse.contract %x, %v maps = [#a, #b, #c] : tensor<3x2xf32>, tensor<2x2xf32> -> tensor<3x2xf32>
  %1 = fuse.broadcast %p dims = [1] : tensor<2xf32> -> tensor<3x2xf32>
  %2 = fuse.add %0, %1 : tensor<3x2xf32>
  %3 = fuse.contract %x, %w maps = [#a, #b, #c] : tensor<3x2xf32>, tensor<2x4xf32> -> tensor<3x4xf32>
  %4 = fuse.broadcast %q dims = [1] : tensor<4xf32> -> tensor<3x4xf32>
  %5 = fuse.add %3, %4 : tensor<3x4xf32>
  %6 = fuse.contract %2, %5 maps = [#t, #b, #c] : tensor<3x2xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %6 : tensor<2x4xf32>
}

// -----

// What follows point by point would not be an epilogue any more, results of the
// function would be copied, and a weight with other readers would be stored twice.
// CHECK-LABEL: func.func @not_joined
// CHECK-COUNT-4: fuse.contract {{.*}} -> tensor<3x2xf32>
// CHECK-NOT: fuse.slice
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @not_joined(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<2x3xf32>, tensor<2x2xf32>) {
  %v = fuse.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %w = fuse.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %u = fuse.constant dense<[[9.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %0 = fuse.contract %x, %v maps = [#a, #b, #c] : tensor<3x2xf32>, tensor<2x2xf32> -> tensor<3x2xf32>
  %1 = fuse.exp %0 : tensor<3x2xf32>
  %2 = fuse.contract %x, %w maps = [#a, #b, #c] : tensor<3x2xf32>, tensor<2x2xf32> -> tensor<3x2xf32>
  %3 = fuse.contract %x, %u maps = [#a, #b, #c] : tensor<3x2xf32>, tensor<2x2xf32> -> tensor<3x2xf32>
  %4 = fuse.transpose %3 perm = [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  %5 = fuse.contract %3, %u maps = [#a, #b, #c] : tensor<3x2xf32>, tensor<2x2xf32> -> tensor<3x2xf32>
  %6 = fuse.contract %4, %5 maps = [#a, #b, #c] : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2x2xf32>
  return %1, %2, %4, %6 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<2x3xf32>, tensor<2x2xf32>
}
