// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-expand-composites --split-input-file | FileCheck %s
// RUN: fusec-opt %s --fuse-expand-composites=remarks --split-input-file \
// RUN:   --verify-diagnostics -o /dev/null

// CHECK-LABEL: func.func @relu
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
// CHECK: %[[ZERO:.*]] = fuse.constant dense<0.000000e+00> : tensor<f32>
// CHECK: %[[B:.*]] = fuse.broadcast %[[ZERO]] dims = [] : tensor<f32> -> tensor<4x8xf32>
// CHECK: %[[Y:.*]] = fuse.maximum %[[X]], %[[B]] : tensor<4x8xf32>
// CHECK: return %[[Y]]
func.func @relu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = fuse.relu %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Half precision is computed in f32, and the maximum is subtracted.
// CHECK-LABEL: func.func @softmax_f16
// CHECK: %[[X:.*]] = fuse.cast %{{.*}} : tensor<4x8xf16> -> tensor<4x8xf32>
// CHECK: %[[M:.*]] = fuse.reduce(%[[X]]) inits = [0xFF800000 : f32] dims = [1]
// CHECK: arith.maximumf
// CHECK: %[[MB:.*]] = fuse.broadcast %[[M]] dims = [0]
// CHECK: %[[D:.*]] = fuse.sub %[[X]], %[[MB]]
// CHECK: %[[E:.*]] = fuse.exp %[[D]]
// CHECK: %[[S:.*]] = fuse.reduce(%[[E]]) inits = [0.000000e+00 : f32] dims = [1]
// CHECK: %[[SB:.*]] = fuse.broadcast %[[S]] dims = [0]
// CHECK: %[[Y:.*]] = fuse.div %[[E]], %[[SB]]
// CHECK: fuse.cast %[[Y]] : tensor<4x8xf32> -> tensor<4x8xf16>
func.func @softmax_f16(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %0 = fuse.softmax %x {axis = 1 : i64} : tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// -----

// A grouped convolution splits the channels; the window is an access.
// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d5, d3, d4, d6, d7)>
// CHECK-DAG: #[[WEIGHT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d2, d5, d6, d7)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4)>
// CHECK-LABEL: func.func @grouped
// CHECK: %[[X:.*]] = fuse.reshape %{{.*}} -> tensor<1x2x2x9x9xf32>
// CHECK: %[[WIN:.*]] = fuse.window %[[X]] sizes = [3, 3]
// CHECK-SAME: -> tensor<1x2x2x9x9x3x3xf32>
// CHECK: %[[W:.*]] = fuse.reshape %{{.*}} -> tensor<2x4x2x3x3xf32>
// CHECK: %[[C:.*]] = fuse.contract %[[WIN]], %[[W]] maps = [#[[IN]], #[[WEIGHT]], #[[OUT]]]
// CHECK: fuse.reshape %[[C]] : tensor<1x2x4x9x9xf32> -> tensor<1x8x9x9xf32>
func.func @grouped(%x: tensor<1x4x9x9xf32>, %w: tensor<8x2x3x3xf32>) -> tensor<1x8x9x9xf32> {
  %0 = fuse.conv %x, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, groups = 2 : i64}
    : (tensor<1x4x9x9xf32>, tensor<8x2x3x3xf32>) -> tensor<1x8x9x9xf32>
  return %0 : tensor<1x8x9x9xf32>
}

// -----

// Depthwise: the group is a parallel iterator, only the window is summed.
// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
// CHECK-DAG: #[[WEIGHT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d4, d5)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @depthwise
// CHECK: fuse.window
// CHECK: fuse.contract {{.*}} maps = [#[[IN]], #[[WEIGHT]], #[[OUT]]]
// CHECK-NEXT: return
func.func @depthwise(%x: tensor<1x4x9x9xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<1x4x7x7xf32> {
  %0 = fuse.conv %x, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, groups = 4 : i64}
    : (tensor<1x4x9x9xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x7x7xf32>
  return %0 : tensor<1x4x7x7xf32>
}

// -----

// A pointwise convolution needs no window; its stride is a slice.
// CHECK-LABEL: func.func @pointwise
// CHECK: %[[S:.*]] = fuse.slice %{{.*}} offsets = [0, 0, 0, 0] strides = [1, 1, 2, 2]
// CHECK: fuse.contract %[[S]],
func.func @pointwise(%x: tensor<1x4x9x9xf32>, %w: tensor<8x4x1x1xf32>) -> tensor<1x8x5x5xf32> {
  %0 = fuse.conv %x, %w {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
      pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, groups = 1 : i64}
    : (tensor<1x4x9x9xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x5x5xf32>
  return %0 : tensor<1x8x5x5xf32>
}

// -----

// A repeated batch is left out of the map, not materialised.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d4, d3)>
// CHECK-LABEL: func.func @matmul
// CHECK: %[[R:.*]] = fuse.reshape %{{.*}} : tensor<1x3x5x6xf32> -> tensor<3x5x6xf32>
// CHECK: fuse.contract %{{.*}}, %[[R]] maps = [#[[LHS]], #[[RHS]],
func.func @matmul(%x: tensor<2x3x4x5xf32>, %w: tensor<1x3x5x6xf32>) -> tensor<2x3x4x6xf32> {
  %0 = fuse.matmul %x, %w : tensor<2x3x4x5xf32>, tensor<1x3x5x6xf32> -> tensor<2x3x4x6xf32>
  return %0 : tensor<2x3x4x6xf32>
}

// -----

// CHECK-LABEL: func.func @max_pool
// CHECK: %[[W:.*]] = fuse.window %{{.*}} fill = 0xFF800000 : f32
// CHECK: fuse.reduce(%[[W]]) inits = [0xFF800000 : f32] dims = [3, 4]
func.func @max_pool(%x: tensor<4x9x9xf32>) -> tensor<4x4x4xf32> {
  %0 = fuse.pool max %x {sizes = array<i64: 3, 3>, strides = array<i64: 2, 2>,
      dilations = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>}
    : tensor<4x9x9xf32> -> tensor<4x4x4xf32>
  return %0 : tensor<4x4x4xf32>
}

// -----

// The refusal: an average whose windows hang over keeps its formula where the
// counts would be no constant.
// CHECK-LABEL: func.func @average_hangs_over
// CHECK: fuse.iota axis = 0 : tensor<100xi32>
// CHECK: fuse.div
func.func @average_hangs_over(%x: tensor<4x100xf32>) -> tensor<4x100xf32> {
  // expected-remark @below {{divisor stays a formula of the index: windows along dimension 1 count differently and its extent 100 exceeds a constant's 64 elements}}
  %0 = fuse.pool average %x {sizes = array<i64: 3>, strides = array<i64: 1>,
      dilations = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: 1>}
    : tensor<4x100xf32> -> tensor<4x100xf32>
  return %0 : tensor<4x100xf32>
}

// -----

// Padding of 2^31 positions: they are not counted one by one, and 32 bits do not
// reach them.
// CHECK-LABEL: func.func @average_of_padding
// CHECK: fuse.iota axis = 0 : tensor<2147483651xi64>
// CHECK: fuse.div
func.func @average_of_padding(%x: tensor<5xf32>) -> tensor<2147483651xf32> {
  // expected-remark @below {{divisor stays a formula of the index: windows along dimension 0 count differently}}
  %0 = fuse.pool average %x {sizes = array<i64: 3>, strides = array<i64: 1>,
      dilations = array<i64: 1>, pad_low = array<i64: 2147483647>, pad_high = array<i64: 1>}
    : tensor<5xf32> -> tensor<2147483651xf32>
  return %0 : tensor<2147483651xf32>
}

// -----

// A short row: all pairs, those that do not count being the neutral element.
// CHECK-LABEL: func.func @cumulate_short
// CHECK: %[[OWN:.*]] = fuse.iota axis = 1 : tensor<3x5x5x1xi32>
// CHECK: %[[OTHER:.*]] = fuse.iota axis = 2 : tensor<3x5x5x1xi32>
// CHECK: fuse.cmp gt %[[OTHER]], %[[OWN]]
// CHECK: fuse.constant dense<1.000000e+00> : tensor<f32>
// CHECK: fuse.reduce(%{{.*}}) inits = [1.000000e+00 : f32] dims = [2]
// CHECK: arith.mulf
// CHECK-NOT: fuse.reduce(
func.func @cumulate_short(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = fuse.cumulate prod %x axis = 1 exclusive reverse : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// A long row: blocks of 32, each after what the blocks before amount to.
// CHECK-LABEL: func.func @cumulate_long
// CHECK: fuse.pad %{{.*}} low = [0, 0, 0] high = [0, 28, 0] fill = 0.000000e+00 : f32 : tensor<1x100x1xf32> -> tensor<1x128x1xf32>
// CHECK: fuse.reduce(%{{.*}}) inits = [0.000000e+00 : f32] dims = [2] : (tensor<1x4x32x1xf32>) -> tensor<1x4x1xf32>
// CHECK: fuse.cmp lt
// CHECK: fuse.reduce(%{{.*}}) inits = [0.000000e+00 : f32] dims = [2] : (tensor<1x4x4x1xf32>) -> tensor<1x4x1xf32>
// CHECK: fuse.cmp le
// CHECK: fuse.reduce(%{{.*}}) inits = [0.000000e+00 : f32] dims = [3] : (tensor<1x4x32x32x1xf32>) -> tensor<1x4x32x1xf32>
// CHECK: fuse.add
// CHECK: fuse.slice %{{.*}} : tensor<1x128x1xf32> -> tensor<1x100x1xf32>
func.func @cumulate_long(%x: tensor<100xf32>) -> tensor<100xf32> {
  %0 = fuse.cumulate sum %x axis = 0 : tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// A window of 2^31 - 1 positions is counted, not walked through.
// CHECK-LABEL: func.func @huge_window
// CHECK: fuse.window
func.func @huge_window(%x: tensor<2x12xf32>) -> tensor<2x6xf32> {
  %0 = fuse.pool average %x {dilations = array<i64: 1>, pad_high = array<i64: 1073741823>, pad_low = array<i64: 1073741822>, sizes = array<i64: 2147483647>, strides = array<i64: 2>} : tensor<2x12xf32> -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
