// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Primitives that move elements; empty tensors and rank 0 included.
func.func @main() -> (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x2xf32>,
    tensor<2x2x2xi8>, tensor<0x2xf32>, tensor<3x2xf32>,
    tensor<2x2xf32>, tensor<1x3xf32>, tensor<0x3xf32>,
    tensor<5xf32>, tensor<2x3xi8>, tensor<2xf32>,
    tensor<3x2xf32>, tensor<1x2x2x2xf32>, tensor<2x2x2xf32>,
    tensor<2x4xf32>, tensor<4xf32>, tensor<2x2x2xf32>,
    tensor<3xf32>, tensor<2x3xi64>, tensor<2x2xf16>,
    tensor<3x1x2xf32>, tensor<1xf32>, tensor<0x7xf32>) {
  %a = fuse.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = fuse.constant dense<[7.0, 8.0]> : tensor<2xf32>
  %s = fuse.constant dense<9.0> : tensor<f32>
  %e = fuse.constant dense<[]> : tensor<0xf32>
  %i = fuse.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi32>
  %k = fuse.constant dense<1> : tensor<i64>
  %u = fuse.constant dense<[[1], [2]]> : tensor<2x1xi8>
  %r0a = fuse.reshape %b : tensor<2xf32> -> tensor<2x1xf32>
  %w = fuse.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>

  // CHECK: output0: f32[2x3] = [7, 7, 7, 8, 8, 8]
  %r0 = fuse.broadcast %b dims = [0] : tensor<2xf32> -> tensor<2x3xf32>

  // CHECK-NEXT: output1: f32[3x2] = [7, 8, 7, 8, 7, 8]
  %r1 = fuse.broadcast %b dims = [1] : tensor<2xf32> -> tensor<3x2xf32>

  // CHECK-NEXT: output2: f32[2x2] = [9, 9, 9, 9]
  %r2 = fuse.broadcast %s dims = [] : tensor<f32> -> tensor<2x2xf32>

  // CHECK-NEXT: output3: i8[2x2x2] = [1, 1, 2, 2, 1, 1, 2, 2]
  %r3 = fuse.broadcast %u dims = [1, 2] : tensor<2x1xi8> -> tensor<2x2x2xi8>

  // CHECK-NEXT: output4: f32[0x2] = []
  %r4 = fuse.broadcast %s dims = [] : tensor<f32> -> tensor<0x2xf32>

  // CHECK-NEXT: output5: f32[3x2] = [1, 4, 2, 5, 3, 6]
  %r5 = fuse.transpose %a perm = [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>

  // CHECK-NEXT: output6: f32[2x2] = [3, 1, 6, 4]
  %r6 = fuse.slice %a offsets = [0, 2] strides = [1, -2] : tensor<2x3xf32> -> tensor<2x2xf32>

  // CHECK-NEXT: output7: f32[1x3] = [4, 5, 6]
  %r7 = fuse.slice %a offsets = [1, 0] strides = [1, 1] : tensor<2x3xf32> -> tensor<1x3xf32>

  // CHECK-NEXT: output8: f32[0x3] = []
  %r8 = fuse.slice %a offsets = [0, 0] strides = [1, 1] : tensor<2x3xf32> -> tensor<0x3xf32>

  // CHECK-NEXT: output9: f32[5] = [-inf, 7, 8, -inf, -inf]
  %r9 = fuse.pad %b low = [1] high = [2] fill = 0xFF800000 : f32 : tensor<2xf32> -> tensor<5xf32>

  // CHECK-NEXT: output10: i8[2x3] = [-1, 1, -1, -1, 2, -1]
  %r10 = fuse.pad %u low = [0, 1] high = [0, 1] fill = -1 : i8 : tensor<2x1xi8> -> tensor<2x3xi8>

  // CHECK-NEXT: output11: f32[2] = [0.5, 0.5]
  %r11 = fuse.pad %e low = [1] high = [1] fill = 0.5 : f32 : tensor<0xf32> -> tensor<2xf32>

  // CHECK-NEXT: output12: f32[3x2] = [0, 2, 1, 3, 2, 4]
  %r12 = fuse.window %w sizes = [2] strides = [1] dilations = [2] pad_low = [1] fill = 0.0 : f32 : tensor<4xf32> -> tensor<3x2xf32>

  // CHECK-NEXT: output13: f32[1x2x2x2] = [1, 2, 4, 5, 2, 3, 5, 6]
  %r13 = fuse.window %a sizes = [2, 2] strides = [1, 1] dilations = [1, 1] pad_low = [0, 0] fill = 0.0 : f32 : tensor<2x3xf32> -> tensor<1x2x2x2xf32>

  // CHECK-NEXT: output14: f32[2x2x2] = [1, 2, 3, 0, 4, 5, 6, 0]
  %r14 = fuse.window %a sizes = [2] strides = [2] dilations = [1] pad_low = [0] fill = 0.0 : f32 : tensor<2x3xf32> -> tensor<2x2x2xf32>

  // CHECK-NEXT: output15: f32[2x4] = [1, 2, 3, 7, 4, 5, 6, 8]
  %r15 = fuse.concat %a, %r0a axis = 1 : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x4xf32>

  // CHECK-NEXT: output16: f32[4] = [7, 8, 7, 8]
  %r16 = fuse.concat %b, %e, %b axis = 0 : tensor<2xf32>, tensor<0xf32>, tensor<2xf32> -> tensor<4xf32>

  // CHECK-NEXT: output17: f32[2x2x2] = [3, 1, 2, 2, 6, 4, 5, 5]
  %r17 = fuse.gather %a, %i axis = 1 : tensor<2x3xf32>, tensor<2x2xi32> -> tensor<2x2x2xf32>

  // CHECK-NEXT: output18: f32[3] = [4, 5, 6]
  %r18 = fuse.gather %a, %k axis = 0 : tensor<2x3xf32>, tensor<i64> -> tensor<3xf32>

  // CHECK-NEXT: output19: i64[2x3] = [0, 1, 2, 0, 1, 2]
  %r19 = fuse.iota axis = 1 : tensor<2x3xi64>

  // CHECK-NEXT: output20: f16[2x2] = [0, 0, 1, 1]
  %r20 = fuse.iota axis = 0 : tensor<2x2xf16>

  // CHECK-NEXT: output21: f32[3x1x2] = [1, 2, 3, 4, 5, 6]
  %r21 = fuse.reshape %a : tensor<2x3xf32> -> tensor<3x1x2xf32>

  // CHECK-NEXT: output22: f32[1] = [9]
  %r22 = fuse.reshape %s : tensor<f32> -> tensor<1xf32>

  // CHECK-NEXT: output23: f32[0x7] = []
  %r23 = fuse.reshape %e : tensor<0xf32> -> tensor<0x7xf32>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7,
    %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15,
    %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23
    : tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x2xf32>,
    tensor<2x2x2xi8>, tensor<0x2xf32>, tensor<3x2xf32>,
    tensor<2x2xf32>, tensor<1x3xf32>, tensor<0x3xf32>,
    tensor<5xf32>, tensor<2x3xi8>, tensor<2xf32>,
    tensor<3x2xf32>, tensor<1x2x2x2xf32>, tensor<2x2x2xf32>,
    tensor<2x4xf32>, tensor<4xf32>, tensor<2x2x2xf32>,
    tensor<3xf32>, tensor<2x3xi64>, tensor<2x2xf16>,
    tensor<3x1x2xf32>, tensor<1xf32>, tensor<0x7xf32>
}
