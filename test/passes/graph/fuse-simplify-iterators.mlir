// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-simplify --split-input-file | FileCheck %s

// Heads that several others share are not stored repeated: the merged dimension is
// iterated over as two.
// CHECK: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
// CHECK: #[[Y:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>
// CHECK: #[[Z:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @shared_heads
// CHECK-SAME: (%[[Q:.*]]: tensor<6x5x4xf32>, %[[K:.*]]: tensor<2x4x7xf32>)
// CHECK: %[[R:.*]] = fuse.reshape %[[Q]] : tensor<6x5x4xf32> -> tensor<2x3x5x4xf32>
// CHECK: %[[P:.*]] = fuse.contract %[[R]], %[[K]] maps = [#[[X]], #[[Y]], #[[Z]]] : tensor<2x3x5x4xf32>, tensor<2x4x7xf32> -> tensor<2x3x5x7xf32>
// CHECK: %[[S:.*]] = fuse.reshape %[[P]] : tensor<2x3x5x7xf32> -> tensor<6x5x7xf32>
// CHECK: return %[[S]]
#q = affine_map<(b, m, n, k) -> (b, m, k)>
#k = affine_map<(b, m, n, k) -> (b, k, n)>
#r = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @shared_heads(%q: tensor<6x5x4xf32>, %k: tensor<2x4x7xf32>) -> tensor<6x5x7xf32> {
  %0 = fuse.broadcast %k dims = [0, 2, 3] : tensor<2x4x7xf32> -> tensor<2x3x4x7xf32>
  %1 = fuse.reshape %0 : tensor<2x3x4x7xf32> -> tensor<6x4x7xf32>
  %2 = fuse.contract %q, %1 maps = [#q, #k, #r] : tensor<6x5x4xf32>, tensor<6x4x7xf32> -> tensor<6x5x7xf32>
  return %2 : tensor<6x5x7xf32>
}

// -----

// An access of the other operand would have to be stored for its reshape.
// CHECK-LABEL: func.func @sliced_heads
// CHECK: fuse.reshape %{{.*}} : tensor<2x3x4x7xf32> -> tensor<6x4x7xf32>
#q = affine_map<(b, m, n, k) -> (b, m, k)>
#k = affine_map<(b, m, n, k) -> (b, k, n)>
#r = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @sliced_heads(%q: tensor<6x9x4xf32>, %k: tensor<2x4x7xf32>) -> tensor<6x5x7xf32> {
  %0 = fuse.broadcast %k dims = [0, 2, 3] : tensor<2x4x7xf32> -> tensor<2x3x4x7xf32>
  %1 = fuse.reshape %0 : tensor<2x3x4x7xf32> -> tensor<6x4x7xf32>
  %2 = fuse.slice %q offsets = [0, 2, 0] strides = [1, 1, 1] : tensor<6x9x4xf32> -> tensor<6x5x4xf32>
  %3 = fuse.contract %2, %1 maps = [#q, #k, #r] : tensor<6x5x4xf32>, tensor<6x4x7xf32> -> tensor<6x5x7xf32>
  return %3 : tensor<6x5x7xf32>
}

// -----

// Codes in blocks of the experts that tokens take: they are expanded where few tokens
// are multiplied with them, so that no reshape may lie between.
// CHECK-LABEL: func.func @picked_blocks
// CHECK: fuse.reshape %{{.*}} : tensor<3x2x8xf32> -> tensor<3x2x2x4xf32>
// CHECK: fuse.contract {{.*}} tensor<3x2x2x4xf32>, tensor<3x2x4x7xf32> -> tensor<3x2x7xf32>
#x = affine_map<(b, m, n, k) -> (b, m, k)>
#w = affine_map<(b, m, n, k) -> (b, k, n)>
#y = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @picked_blocks(%x: tensor<3x2x8xf32>, %i: tensor<3xi64>, %w: tensor<5x2x4x7xi8>, %s: tensor<5x2x7xf32>) -> tensor<3x2x7xf32> {
  %0 = fuse.gather %w, %i axis = 0 : tensor<5x2x4x7xi8>, tensor<3xi64> -> tensor<3x2x4x7xi8>
  %1 = fuse.cast %0 : tensor<3x2x4x7xi8> -> tensor<3x2x4x7xf32>
  %2 = fuse.gather %s, %i axis = 0 : tensor<5x2x7xf32>, tensor<3xi64> -> tensor<3x2x7xf32>
  %3 = fuse.broadcast %2 dims = [0, 1, 3] : tensor<3x2x7xf32> -> tensor<3x2x4x7xf32>
  %4 = fuse.mul %1, %3 : tensor<3x2x4x7xf32>
  %5 = fuse.reshape %4 : tensor<3x2x4x7xf32> -> tensor<3x8x7xf32>
  %6 = fuse.contract %x, %5 maps = [#x, #w, #y] : tensor<3x2x8xf32>, tensor<3x8x7xf32> -> tensor<3x2x7xf32>
  return %6 : tensor<3x2x7xf32>
}
