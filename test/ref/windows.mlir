// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Transposed convolutions and poolings beyond sums and maxima.
func.func @main() -> (tensor<1x1x7xf32>, tensor<1x1x5xf32>, tensor<1x2x4xi32>, tensor<1x1x3xf32>,
    tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>, tensor<1x1x2x2xi64>) {
  %x = fuse.constant dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>
  %w = fuse.constant dense<[[[1.0, 10.0, 100.0]]]> : tensor<1x1x3xf32>
  %b = fuse.constant dense<[0.5]> : tensor<1xf32>
  %i = fuse.constant dense<[[[1, 2], [3, 4]]]> : tensor<1x2x2xi32>
  %k = fuse.constant dense<[[[1, 10]], [[1, 10]]]> : tensor<2x1x2xi32>
  %p = fuse.constant dense<[[[3.0, -4.0, 0.0, 1.0]]]> : tensor<1x1x4xf32>
  %m = fuse.constant dense<[[[[1.0, 5.0, 5.0], [5.0, 2.0, 0.0], [7.0, 7.0, 7.0]]]]> : tensor<1x1x3x3xf32>

  // CHECK: output0: f32[1x1x7] = [1, 10, 102, 20, 203, 30, 300]
  %r0 = fuse.conv_transpose %x, %w {strides = array<i64: 2>, dilations = array<i64: 1>, pad_low = array<i64: 0>, groups = 1 : i64} : (tensor<1x1x3xf32>, tensor<1x1x3xf32>) -> tensor<1x1x7xf32>

  // Dilated by 3, cut by 2 in front; the last position is out of reach of none.
  // CHECK-NEXT: output1: f32[1x1x5] = [3.5, 10.5, 20.5, 30.5, 100.5]
  %r1 = fuse.conv_transpose %x, %w, %b {strides = array<i64: 1>, dilations = array<i64: 3>, pad_low = array<i64: 2>, groups = 1 : i64} : (tensor<1x1x3xf32>, tensor<1x1x3xf32>, tensor<1xf32>) -> tensor<1x1x5xf32>

  // Two groups of one channel; nothing reaches the last position.
  // CHECK-NEXT: output2: i32[1x2x4] = [1, 12, 20, 0, 3, 34, 40, 0]
  %r2 = fuse.conv_transpose %i, %k {strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>, groups = 2 : i64} : (tensor<1x2x2xi32>, tensor<2x1x2xi32>) -> tensor<1x2x4xi32>

  // CHECK-NEXT: output3: f32[1x1x3] = [3, 4, 1]
  %r3 = fuse.lp_pool %p {sizes = array<i64: 2>, strides = array<i64: 2>, dilations = array<i64: 1>, pad_low = array<i64: 1>, p = 2 : i64} : tensor<1x1x4xf32> -> tensor<1x1x3xf32>

  // The first of equal maxima.
  // CHECK-NEXT: output4: f32[1x1x2x2] = [5, 5, 7, 7]
  // CHECK-NEXT: output5: i64[1x1x2x2] = [1, 1, 6, 7]
  %r4, %r5 = fuse.max_pool_indices %m {sizes = array<i64: 2, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pad_low = array<i64: 0, 0>} : tensor<1x1x3x3xf32> -> tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>

  // The same, counted by columns.
  // CHECK-NEXT: output6: i64[1x1x2x2] = [3, 3, 2, 5]
  %r6, %r7 = fuse.max_pool_indices %m {sizes = array<i64: 2, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, column_major} : tensor<1x1x3x3xf32> -> tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r7 : tensor<1x1x7xf32>, tensor<1x1x5xf32>, tensor<1x2x4xi32>, tensor<1x1x3xf32>,
    tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>, tensor<1x1x2x2xi64>
}
