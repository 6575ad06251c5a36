// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Norms over groups of channels, windows of channels and single axes.
func.func @main() -> (tensor<1x4x2xf32>, tensor<1x4x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>,
    tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x3x1xf32>, tensor<2x3xf32>, tensor<3x0xf32>) {
  %x = fuse.constant dense<[[[1.0, 3.0], [5.0, 7.0], [0.0, 0.0], [2.0, -2.0]]]> : tensor<1x4x2xf32>
  %scale = fuse.constant dense<[1.0, 2.0, 1.0, 0.5]> : tensor<4xf32>
  %bias = fuse.constant dense<[0.0, 0.0, 10.0, 0.0]> : tensor<4xf32>
  %m = fuse.constant dense<[[3.0, 4.0], [0.0, 0.0]]> : tensor<2x2xf32>
  %ones = fuse.constant dense<1.0> : tensor<2xf32>
  %c = fuse.constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>
  %h = fuse.constant dense<[[1.0, 3.0, 3.0], [2.0, 2.0, -1.0]]> : tensor<2x3xf32>

  // Mean 4, variance 5 of channels 0 and 1; mean 0, variance 2 of the others.
  // CHECK: output0: f32[1x4x2] = [-1.34164083, -0.44721359, 0.89442718, 2.68328166, 10, 10, 0.707106769, -0.707106769]
  %r0 = fuse.group_norm %x, %scale, %bias {groups = 2 : i64, epsilon = 0.0 : f64} : (tensor<1x4x2xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x2xf32>

  // As many groups as channels; an epsilon of 3 makes each deviation 2 or sqrt 7.
  // CHECK-NEXT: output1: f32[1x4x2] = [-0.5, 0.5, -1, 1, 10, 10, 0.377964467, -0.377964467]
  %r1 = fuse.group_norm %x, %scale, %bias {groups = 4 : i64, epsilon = 3.0 : f64} : (tensor<1x4x2xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x2xf32>

  // CHECK-NEXT: output2: f32[2x2] = [0.848528147, 1.1313709, 0, 0]
  %r2 = fuse.rms_norm %m, %ones {axis = 1 : i64, epsilon = 1.0e-30 : f64} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>

  // Mean 1.75, variance 3.1875 of all.
  // CHECK-NEXT: output3: f32[2x2] = [0.700140059, 1.26025212, -0.980196059, -0.980196059]
  %r3 = fuse.mean_variance_norm %m dims = [0, 1] {epsilon = 0.0 : f64} : tensor<2x2xf32>

  // CHECK-NEXT: output4: f32[2x2] = [0.600000024, 0.800000012, 0, 0]
  %r4 = fuse.lp_norm %m {axis = 1 : i64, p = 2 : i64} : tensor<2x2xf32>

  // CHECK-NEXT: output5: f32[2x2] = [1, 1, 0, 0]
  %r5 = fuse.lp_norm %m {axis = 0 : i64, p = 1 : i64} : tensor<2x2xf32>

  // Of size 2: the channel and the next one.
  // CHECK-NEXT: output6: f32[1x3x1] = [0.166666672, 0.142857149, 0.300000012]
  %r6 = fuse.local_response_norm %c {size = 2 : i64, alpha = 2.0 : f64, beta = 1.0 : f64, bias = 1.0 : f64} : tensor<1x3x1xf32>

  // CHECK-NEXT: output7: f32[2x3] = [0, 1, 0, 1, 0, 0]
  %r7 = fuse.hardmax %h {axis = 1 : i64} : tensor<2x3xf32>

  // No row has a largest element.
  // CHECK-NEXT: output8: f32[3x0] = []
  %none = fuse.constant dense<0.0> : tensor<3x0xf32>
  %r8 = fuse.hardmax %none {axis = 1 : i64} : tensor<3x0xf32>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8 : tensor<1x4x2xf32>, tensor<1x4x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>,
    tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x3x1xf32>, tensor<2x3xf32>, tensor<3x0xf32>
}
