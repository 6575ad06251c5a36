// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Windows with padding, dilation and hang-over (the last output of %x at
// stride 3 reads one element inside, one of padding, one beyond it).
func.func @main() -> (tensor<1x3xf32>, tensor<2x2xf32>, tensor<1x1xf32>,
    tensor<1x3xf32>, tensor<1x3xi8>, tensor<1x3xf32>,
    tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xui8>) {
  %x = fuse.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
  %y = fuse.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32>
  %n = fuse.constant dense<[[1.0, 0x7FC00000, 3.0, 0xFF800000]]> : tensor<1x4xf32>
  %i = fuse.constant dense<[[-128, -3, -5, -120]]> : tensor<1x4xi8>
  %u = fuse.constant dense<[[1, 2, 4, 255]]> : tensor<1x4xui8>

  // CHECK: output0: f32[1x3] = [2, 3, 4]
  %r0 = fuse.pool max %x {sizes = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>,
    pad_low = array<i64: 0>, pad_high = array<i64: 0>} : tensor<1x4xf32> -> tensor<1x3xf32>

  // CHECK-NEXT: output1: f32[2x2] = [1, 3, 7, 9]
  %r1 = fuse.pool max %y {sizes = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
    pad_low = array<i64: 1, 1>, pad_high = array<i64: 0, 0>} : tensor<3x3xf32> -> tensor<2x2xf32>

  // CHECK-NEXT: output2: f32[1x1] = [9]
  %r2 = fuse.pool max %y {sizes = array<i64: 2, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 2, 2>,
    pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>} : tensor<3x3xf32> -> tensor<1x1xf32>

  // CHECK-NEXT: output3: f32[1x3] = [nan, nan, 3]
  %r3 = fuse.pool max %n {sizes = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>,
    pad_low = array<i64: 0>, pad_high = array<i64: 0>} : tensor<1x4xf32> -> tensor<1x3xf32>

  // CHECK-NEXT: output4: i8[1x3] = [-128, -3, -120]
  %r4 = fuse.pool max %i {sizes = array<i64: 2>, strides = array<i64: 2>, dilations = array<i64: 1>,
    pad_low = array<i64: 1>, pad_high = array<i64: 1>} : tensor<1x4xi8> -> tensor<1x3xi8>

  // CHECK-NEXT: output5: f32[1x3] = [1.5, 2.5, 3.5]
  %r5 = fuse.pool average %x {sizes = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>,
    pad_low = array<i64: 0>, pad_high = array<i64: 0>} : tensor<1x4xf32> -> tensor<1x3xf32>

  // CHECK-NEXT: output6: f32[1x3] = [1, 2.5, 4]
  %r6 = fuse.pool average %x {sizes = array<i64: 2>, strides = array<i64: 2>, dilations = array<i64: 1>,
    pad_low = array<i64: 1>, pad_high = array<i64: 1>} : tensor<1x4xf32> -> tensor<1x3xf32>

  // CHECK-NEXT: output7: f32[1x3] = [0.5, 2.5, 2]
  %r7 = fuse.pool average %x {sizes = array<i64: 2>, strides = array<i64: 2>, dilations = array<i64: 1>,
    pad_low = array<i64: 1>, pad_high = array<i64: 1>, count_pad} : tensor<1x4xf32> -> tensor<1x3xf32>

  // CHECK-NEXT: output8: f32[1x2] = [2, 4]
  %r8 = fuse.pool average %x {sizes = array<i64: 3>, strides = array<i64: 3>, dilations = array<i64: 1>,
    pad_low = array<i64: 0>, pad_high = array<i64: 1>} : tensor<1x4xf32> -> tensor<1x2xf32>

  // CHECK-NEXT: output9: f32[1x2] = [2, 2]
  %r9 = fuse.pool average %x {sizes = array<i64: 3>, strides = array<i64: 3>, dilations = array<i64: 1>,
    pad_low = array<i64: 0>, pad_high = array<i64: 1>, count_pad} : tensor<1x4xf32> -> tensor<1x2xf32>

  // CHECK-NEXT: output10: u8[1x2] = [1, 129]
  %r10 = fuse.pool average %u {sizes = array<i64: 2>, strides = array<i64: 2>, dilations = array<i64: 1>,
    pad_low = array<i64: 0>, pad_high = array<i64: 0>} : tensor<1x4xui8> -> tensor<1x2xui8>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7,
    %r8, %r9, %r10
    : tensor<1x3xf32>, tensor<2x2xf32>, tensor<1x1xf32>,
    tensor<1x3xf32>, tensor<1x3xi8>, tensor<1x3xf32>,
    tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xui8>
}
