// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposed convolutions by phases, and poolings with more than one result.
// RUN: fusec-opt %s --fuse-expand-composites --split-input-file | FileCheck %s

// Two phases of two taps: w = r + 2 t. The last tap comes first; a pad of 1 cuts
// the first of the 2 * 6 positions.
// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d3, d5)>
// CHECK-DAG: #[[WEIGHT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d1, d5, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @phases
// CHECK: %[[WIN:.*]] = fuse.window %{{.*}} sizes = [2] strides = [1] dilations = [1] pad_low = [1] fill = 0.000000e+00 : f32 : tensor<1x4x5xf32> -> tensor<1x4x6x2xf32>
// CHECK: %[[TAPS:.*]] = fuse.reshape %{{.*}} : tensor<4x3x4xf32> -> tensor<4x3x2x2xf32>
// CHECK: fuse.slice %[[TAPS]] offsets = [0, 0, 1, 0] strides = [1, 1, -1, 1]
// CHECK: %[[C:.*]] = fuse.contract %{{.*}} maps = [#[[IN]], #[[WEIGHT]], #[[OUT]]] : tensor<1x4x6x2xf32>, tensor<4x3x2x2xf32> -> tensor<1x3x2x6xf32>
// CHECK: %[[T:.*]] = fuse.transpose %{{.*}} -> tensor<1x3x6x2xf32>
// CHECK: %[[Y:.*]] = fuse.reshape %[[T]] : tensor<1x3x6x2xf32> -> tensor<1x3x12xf32>
// CHECK: fuse.slice %[[Y]] offsets = [0, 0, 1] strides = [1, 1, 1] : tensor<1x3x12xf32> -> tensor<1x3x10xf32>
func.func @phases(%x: tensor<1x4x5xf32>, %w: tensor<4x3x4xf32>) -> tensor<1x3x10xf32> {
  %0 = fuse.conv_transpose %x, %w {strides = array<i64: 2>, dilations = array<i64: 1>, pad_low = array<i64: 1>, groups = 1 : i64}
    : (tensor<1x4x5xf32>, tensor<4x3x4xf32>) -> tensor<1x3x10xf32>
  return %0 : tensor<1x3x10xf32>
}

// -----

// A window no longer than the stride reads one element: no window is left, and
// neither is a cut.
// CHECK-LABEL: func.func @one_tap
// CHECK-NOT: fuse.window
// CHECK: fuse.contract %{{.*}} : tensor<1x4x5xf32>, tensor<4x3x2xf32> -> tensor<1x3x2x5xf32>
// CHECK-NOT: fuse.slice
// CHECK: return
func.func @one_tap(%x: tensor<1x4x5xf32>, %w: tensor<4x3x2xf32>) -> tensor<1x3x10xf32> {
  %0 = fuse.conv_transpose %x, %w {strides = array<i64: 2>, dilations = array<i64: 1>, pad_low = array<i64: 0>, groups = 1 : i64}
    : (tensor<1x4x5xf32>, tensor<4x3x2xf32>) -> tensor<1x3x10xf32>
  return %0 : tensor<1x3x10xf32>
}

// -----

// A dilated window is spread by zeros.
// CHECK-LABEL: func.func @dilated
// CHECK: %[[P:.*]] = fuse.pad %{{.*}} low = [0, 0, 0, 0] high = [0, 0, 0, 1]
// CHECK: %[[S:.*]] = fuse.reshape %[[P]] : tensor<4x3x3x2xf32> -> tensor<4x3x6xf32>
// CHECK: fuse.slice %[[S]] offsets = [0, 0, 0] strides = [1, 1, 1] : tensor<4x3x6xf32> -> tensor<4x3x5xf32>
func.func @dilated(%x: tensor<1x4x5xf32>, %w: tensor<4x3x3xf32>) -> tensor<1x3x9xf32> {
  %0 = fuse.conv_transpose %x, %w {strides = array<i64: 1>, dilations = array<i64: 2>, pad_low = array<i64: 0>, groups = 1 : i64}
    : (tensor<1x4x5xf32>, tensor<4x3x3xf32>) -> tensor<1x3x9xf32>
  return %0 : tensor<1x3x9xf32>
}

// -----

// CHECK-LABEL: func.func @lp_pool
// CHECK: %[[WIN:.*]] = fuse.window
// CHECK: %[[SQ:.*]] = fuse.mul %[[WIN]], %[[WIN]]
// CHECK: %[[S:.*]] = fuse.reduce(%[[SQ]])
// CHECK: fuse.sqrt %[[S]]
func.func @lp_pool(%x: tensor<1x4x9xf32>) -> tensor<1x4x7xf32> {
  %0 = fuse.lp_pool %x {sizes = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>, p = 2 : i64} : tensor<1x4x9xf32> -> tensor<1x4x7xf32>
  return %0 : tensor<1x4x7xf32>
}

// -----

// What lies in the padding is no candidate; without padding none is left out.
// CHECK-LABEL: func.func @indices
// CHECK: %[[WIN:.*]] = fuse.window
// CHECK: %[[MAX:.*]] = fuse.reduce(%[[WIN]])
// CHECK: fuse.cmp lt %[[WIN]]
// CHECK: fuse.cmp ge
// CHECK-NOT: fuse.cmp
// CHECK: fuse.reduce
// CHECK: arith.minsi
// CHECK-LABEL: func.func @indices_inside
// CHECK: fuse.cmp lt
// CHECK-NOT: fuse.cmp
// CHECK: return
func.func @indices(%x: tensor<1x4x9xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xi64>) {
  %0, %1 = fuse.max_pool_indices %x {sizes = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 1>} : tensor<1x4x9xf32> -> tensor<1x4x8xf32>, tensor<1x4x8xi64>
  return %0, %1 : tensor<1x4x8xf32>, tensor<1x4x8xi64>
}
func.func @indices_inside(%x: tensor<1x4x9xf32>) -> (tensor<1x4x7xf32>, tensor<1x4x7xi64>) {
  %0, %1 = fuse.max_pool_indices %x {sizes = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>} : tensor<1x4x9xf32> -> tensor<1x4x7xf32>, tensor<1x4x7xi64>
  return %0, %1 : tensor<1x4x7xf32>, tensor<1x4x7xi64>
}
