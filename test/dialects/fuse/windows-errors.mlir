// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @transposed_rank(%x: tensor<4x4xf32>) {
  // expected-error @below {{'fuse.conv_transpose' op needs input, weight and result of one rank, 3 or more}}
  %0 = fuse.conv_transpose %x, %x {strides = array<i64>, dilations = array<i64>, pad_low = array<i64>, groups = 1 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @transposed_lists(%x: tensor<1x4x9xf32>, %w: tensor<4x8x3xf32>) {
  // expected-error @below {{'fuse.conv_transpose' op needs strides, dilations and pads for 1 spatial dimensions}}
  %0 = fuse.conv_transpose %x, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>, groups = 1 : i64} : (tensor<1x4x9xf32>, tensor<4x8x3xf32>) -> tensor<1x8x11xf32>
  return
}

// -----

func.func @transposed_stride(%x: tensor<1x4x9xf32>, %w: tensor<4x8x3xf32>) {
  // expected-error @below {{'fuse.conv_transpose' op needs positive strides, dilations and windows, and pads of 0 or more}}
  %0 = fuse.conv_transpose %x, %w {strides = array<i64: 0>, dilations = array<i64: 1>, pad_low = array<i64: 0>, groups = 1 : i64} : (tensor<1x4x9xf32>, tensor<4x8x3xf32>) -> tensor<1x8x11xf32>
  return
}

// -----

func.func @transposed_groups(%x: tensor<1x4x9xf32>, %w: tensor<4x8x3xf32>) {
  // expected-error @below {{'fuse.conv_transpose' op cannot split 4 input channels into 3 groups for a weight of 4}}
  %0 = fuse.conv_transpose %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>, groups = 3 : i64} : (tensor<1x4x9xf32>, tensor<4x8x3xf32>) -> tensor<1x8x11xf32>
  return
}

// -----

func.func @transposed_result(%x: tensor<1x4x9xf32>, %w: tensor<4x8x3xf32>) {
  // expected-error @below {{'fuse.conv_transpose' op needs a result of 1 x 16 images}}
  %0 = fuse.conv_transpose %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>, groups = 2 : i64} : (tensor<1x4x9xf32>, tensor<4x8x3xf32>) -> tensor<1x8x11xf32>
  return
}

// -----

func.func @transposed_bias(%x: tensor<1x4x9xf32>, %w: tensor<4x8x3xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'fuse.conv_transpose' op needs a bias of 8 elements}}
  %0 = fuse.conv_transpose %x, %w, %b {strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>, groups = 1 : i64} : (tensor<1x4x9xf32>, tensor<4x8x3xf32>, tensor<4xf32>) -> tensor<1x8x11xf32>
  return
}

// -----

func.func @lp_pool_order(%x: tensor<1x4x9xf32>) {
  // expected-error @below {{'fuse.lp_pool' op has the order 0; it needs one above 0}}
  %0 = fuse.lp_pool %x {sizes = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>, p = 0 : i64} : tensor<1x4x9xf32> -> tensor<1x4x7xf32>
  return
}

// -----

func.func @lp_pool_lists(%x: tensor<1x4x9xf32>) {
  // expected-error @below {{'fuse.lp_pool' op needs strides, dilations and pads for 1 windowed dimensions}}
  %0 = fuse.lp_pool %x {sizes = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64>, p = 2 : i64} : tensor<1x4x9xf32> -> tensor<1x4x7xf32>
  return
}

// -----

func.func @lp_pool_sizes(%x: tensor<1x4x9xf32>) {
  // expected-error @below {{'fuse.lp_pool' op needs positive sizes, strides and dilations}}
  %0 = fuse.lp_pool %x {sizes = array<i64: 0>, strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>, p = 2 : i64} : tensor<1x4x9xf32> -> tensor<1x4x7xf32>
  return
}

// -----

func.func @lp_pool_rank(%x: tensor<9xf32>) {
  // expected-error @below {{'fuse.lp_pool' op windows 2 dimensions at rank 1}}
  %0 = fuse.lp_pool %x {sizes = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, p = 2 : i64} : tensor<9xf32> -> tensor<9xf32>
  return
}

// -----

func.func @lp_pool_outer(%x: tensor<1x4x9xf32>) {
  // expected-error @below {{'fuse.lp_pool' op changes a dimension that it does not window}}
  %0 = fuse.lp_pool %x {sizes = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>, p = 2 : i64} : tensor<1x4x9xf32> -> tensor<1x5x7xf32>
  return
}

// -----

func.func @indices_type(%x: tensor<1x4x9xf32>) {
  // expected-error @below {{'fuse.max_pool_indices' op needs i64 indices of the result's shape}}
  %0, %1 = fuse.max_pool_indices %x {sizes = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>} : tensor<1x4x9xf32> -> tensor<1x4x7xf32>, tensor<1x4x7xi32>
  return
}

// -----

func.func @indices_rank(%x: tensor<1x4x9xf32>) {
  // expected-error @below {{'fuse.max_pool_indices' op needs to window all dimensions but the first two}}
  %0, %1 = fuse.max_pool_indices %x {sizes = array<i64: 1, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pad_low = array<i64: 0, 0>} : tensor<1x4x9xf32> -> tensor<1x4x7xf32>, tensor<1x4x7xi64>
  return
}
