// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @group_norm_groups(%x: tensor<1x6x4xf32>, %c: tensor<6xf32>) {
  // expected-error @below {{'fuse.group_norm' op cannot split 6 channels into 4 groups}}
  %0 = fuse.group_norm %x, %c, %c {groups = 4 : i64, epsilon = 1.0e-5 : f64} : (tensor<1x6x4xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @group_norm_rank(%x: tensor<6xf32>) {
  // expected-error @below {{'fuse.group_norm' op needs an input of rank 2 or more}}
  %0 = fuse.group_norm %x, %x, %x {groups = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @group_norm_parameters(%x: tensor<1x6x4xf32>, %c: tensor<2xf32>) {
  // expected-error @below {{'fuse.group_norm' op needs parameters of 6 elements, one per channel}}
  %0 = fuse.group_norm %x, %c, %c {groups = 2 : i64, epsilon = 1.0e-5 : f64} : (tensor<1x6x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @rms_norm_axis(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error @below {{'fuse.rms_norm' op has axis 2 at rank 2}}
  %0 = fuse.rms_norm %x, %s {axis = 2 : i64, epsilon = 1.0e-5 : f64} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_scale(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error @below {{'fuse.rms_norm' op needs a scale of shape [4, 8]}}
  %0 = fuse.rms_norm %x, %s {axis = 0 : i64, epsilon = 1.0e-5 : f64} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @mean_variance_dims(%x: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.mean_variance_norm' op needs increasing dims below the rank 2, has [1, 0]}}
  %0 = fuse.mean_variance_norm %x dims = [1, 0] {epsilon = 1.0e-9 : f64} : tensor<4x8xf32>
  return
}

// -----

func.func @lp_norm_order(%x: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.lp_norm' op has the order 3, which is neither 1 nor 2}}
  %0 = fuse.lp_norm %x {axis = 0 : i64, p = 3 : i64} : tensor<4x8xf32>
  return
}

// -----

func.func @lp_norm_axis(%x: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.lp_norm' op has axis -1 at rank 2}}
  %0 = fuse.lp_norm %x {axis = -1 : i64, p = 2 : i64} : tensor<4x8xf32>
  return
}

// -----

func.func @lrn_size(%x: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.local_response_norm' op needs an operand with channels and a positive size}}
  %0 = fuse.local_response_norm %x {size = 0 : i64, alpha = 1.0 : f64, beta = 1.0 : f64, bias = 1.0 : f64} : tensor<4x8xf32>
  return
}

// -----

func.func @hardmax_axis(%x: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.hardmax' op has axis 2 at rank 2}}
  %0 = fuse.hardmax %x {axis = 2 : i64} : tensor<4x8xf32>
  return
}
