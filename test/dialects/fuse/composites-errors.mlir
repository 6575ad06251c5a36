// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @matmul_inner(%x: tensor<4x8xf32>, %y: tensor<7x4xf32>) {
  // expected-error @below {{'fuse.matmul' op contracts 8 with 7}}
  %0 = fuse.matmul %x, %y : tensor<4x8xf32>, tensor<7x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @matmul_batch(%x: tensor<2x4x8xf32>, %y: tensor<3x8x4xf32>) {
  // expected-error @below {{'fuse.matmul' op cannot broadcast batch extents 2 and 3}}
  %0 = fuse.matmul %x, %y : tensor<2x4x8xf32>, tensor<3x8x4xf32> -> tensor<3x4x4xf32>
  return
}

// -----

func.func @matmul_shape(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>) {
  // expected-error @below {{'fuse.matmul' op has result shape [4, 4] but computes [4, 5]}}
  %0 = fuse.matmul %x, %y : tensor<4x8xf32>, tensor<8x5xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @gemm_rank(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.gemm' op needs matrices}}
  %0 = fuse.gemm %x, %x {alpha = 1.0 : f64, beta = 1.0 : f64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @gemm_bias(%x: tensor<4x4xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{'fuse.gemm' op cannot broadcast a bias of shape [3] to [4, 4]}}
  %0 = fuse.gemm %x, %x, %b {alpha = 1.0 : f64, beta = 1.0 : f64} : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<3xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @conv_rank(%x: tensor<4x4xf32>) {
  // expected-error @below {{'fuse.conv' op needs input, weight and result of one rank, 3 or more}}
  %0 = fuse.conv %x, %x {strides = array<i64>, dilations = array<i64>, pad_low = array<i64>, pad_high = array<i64>, groups = 1 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @conv_groups(%x: tensor<1x4x9xf32>, %w: tensor<8x4x3xf32>) {
  // expected-error @below {{'fuse.conv' op cannot split 4 input and 8 output channels into 2 groups with 4 input channels each}}
  %0 = fuse.conv %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, groups = 2 : i64} : (tensor<1x4x9xf32>, tensor<8x4x3xf32>) -> tensor<1x8x7xf32>
  return
}

// -----

func.func @conv_shape(%x: tensor<1x4x9xf32>, %w: tensor<8x4x3xf32>) {
  // expected-error @below {{'fuse.conv' op has result shape [1, 8, 9] but computes [1, 8, 7]}}
  %0 = fuse.conv %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, groups = 1 : i64} : (tensor<1x4x9xf32>, tensor<8x4x3xf32>) -> tensor<1x8x9xf32>
  return
}

// -----

func.func @reduction_dims(%x: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.reduction' op needs increasing dims below the rank 2, has [1, 0]}}
  %0 = fuse.reduction sum %x dims = [1, 0] : tensor<4x8xf32> -> tensor<1x1xf32>
  return
}

// -----

func.func @reduction_shape(%x: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.reduction' op has result shape [4] but computes [4, 1]}}
  %0 = fuse.reduction sum %x dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @pool_count(%x: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.pool' op needs strides, dilations and pads for 1 windowed dimensions}}
  %0 = fuse.pool max %x {sizes = array<i64: 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>} : tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @batch_norm(%x: tensor<1x4x8xf32>, %p: tensor<8xf32>) {
  // expected-error @below {{'fuse.batch_norm' op needs parameters of 4 elements, one per channel}}
  %0 = fuse.batch_norm %x, %p, %p, %p, %p {epsilon = 1.0e-5 : f64} : (tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @cumulate_kind(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.cumulate' op accumulates sums and products, not max}}
  %0 = fuse.cumulate max %x axis = 0 : tensor<4xf32>
  return
}

// -----

func.func @cumulate_axis(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.cumulate' op has axis 1 at rank 1}}
  %0 = fuse.cumulate sum %x axis = 1 : tensor<4xf32>
  return
}

// -----

func.func @arg_axis(%x: tensor<4x9xf32>) {
  // expected-error @below {{'fuse.arg_max' op has axis 2 at rank 2}}
  %0 = fuse.arg_max %x {axis = 2 : i64} : tensor<4x9xf32> -> tensor<4x1xi64>
  return
}

// -----

func.func @arg_of_nothing(%x: tensor<4x0xf32>) {
  // expected-error @below {{'fuse.arg_min' op looks for an extreme of no elements}}
  %0 = fuse.arg_min %x {axis = 1 : i64} : tensor<4x0xf32> -> tensor<4x1xi64>
  return
}

// -----

func.func @arg_shape(%x: tensor<4x9xf32>) {
  // expected-error @below {{'fuse.arg_max' op needs a result of i64 and shape [4, 1]}}
  %0 = fuse.arg_max %x {axis = 1 : i64} : tensor<4x9xf32> -> tensor<4xi64>
  return
}

// -----

func.func @arg_type(%x: tensor<4x9xf32>) {
  // expected-error @below {{'fuse.arg_max' op needs a result of i64 and shape [4, 1]}}
  %0 = fuse.arg_max %x {axis = 1 : i64} : tensor<4x9xf32> -> tensor<4x1xi32>
  return
}
