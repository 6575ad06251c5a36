// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Quantised composites. Ties go to the even code, what is out of range
// saturates, padding of an integer convolution counts as the zero point.
func.func @main() -> (tensor<6xui8>, tensor<2x3xi8>, tensor<3xf32>,
    tensor<4xui8>, tensor<f32>, tensor<ui8>, tensor<2x2xi32>,
    tensor<1x1x3xi32>, tensor<2x2xui8>, tensor<1x2x2xi8>) {
  %half = fuse.constant dense<0.5> : tensor<f32>
  %scales = fuse.constant dense<[[0.5], [2.0]]> : tensor<2x1xf32>
  %x = fuse.constant dense<[-100.0, 0.25, 0.75, 1.0, 300.0, -0.25]> : tensor<6xf32>
  %rows = fuse.constant dense<[[0.25, 0.75, 100.0], [1.0, 3.0, -1000.0]]> : tensor<2x3xf32>
  %zero = fuse.constant dense<10> : tensor<ui8>
  %minus = fuse.constant dense<[[1], [-1]]> : tensor<2x1xi8>

  // CHECK: output0: u8[6] = [0, 10, 12, 12, 255, 10]
  %r0 = fuse.quantize %x, %half, %zero : (tensor<6xf32>, tensor<f32>, tensor<ui8>) -> tensor<6xui8>

  // CHECK-NEXT: output1: i8[2x3] = [1, 3, 127, -1, 1, -128]
  %r1 = fuse.quantize %rows, %scales, %minus : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xi8>) -> tensor<2x3xi8>

  // CHECK-NEXT: output2: f32[3] = [-5, 0, 122.5]
  %codes = fuse.constant dense<[0, 10, 255]> : tensor<3xui8>
  %r2 = fuse.dequantize %codes, %half, %zero : (tensor<3xui8>, tensor<f32>, tensor<ui8>) -> tensor<3xf32>

  // The range [-1, 4] has the scale 5 / 255 and the zero point 51.
  // CHECK-NEXT: output3: u8[4] = [0, 51, 102, 255]
  // CHECK-NEXT: output4: f32[] = [0.0196078438]
  // CHECK-NEXT: output5: u8[] = [51]
  %d = fuse.constant dense<[-1.0, 0.0, 1.0, 4.0]> : tensor<4xf32>
  %r3, %r4, %r5 = fuse.dynamic_quantize %d : (tensor<4xf32>) -> (tensor<4xui8>, tensor<f32>, tensor<ui8>)

  // ([200, 0] - 10) ([[1, 2], [3, -4]] - [1, -1])
  // CHECK-NEXT: output6: i32[2x2] = [-20, 600, -20, 30]
  %a = fuse.constant dense<[[200, 0], [10, 0]]> : tensor<2x2xui8>
  %b = fuse.constant dense<[[1, 2], [3, -4]]> : tensor<2x2xi8>
  %columns = fuse.constant dense<[1, -1]> : tensor<2xi8>
  %r6 = fuse.matmul_integer %a, %b lhs_zero %zero : tensor<ui8> rhs_zero %columns : tensor<2xi8> : tensor<2x2xui8>, tensor<2x2xi8> -> tensor<2x2xi32>

  // CHECK-NEXT: output7: i32[1x1x3] = [10, 15, 0]
  %ci = fuse.constant dense<[[[20, 15, 5]]]> : tensor<1x1x3xui8>
  %cw = fuse.constant dense<[[[1, 1]]]> : tensor<1x1x2xui8>
  %r7 = fuse.conv_integer %ci, %cw input_zero %zero : tensor<ui8> {strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 1>, pad_high = array<i64: 0>, groups = 1 : i64} : tensor<1x1x3xui8>, tensor<1x1x2xui8> -> tensor<1x1x3xi32>

  // The sums [[160, 420], [-30, 40]] by 1 / 16.
  // CHECK-NEXT: output8: u8[2x2] = [20, 36, 8, 12]
  %quarter = fuse.constant dense<0.25> : tensor<f32>
  %two = fuse.constant dense<2.0> : tensor<f32>
  %none = fuse.constant dense<0> : tensor<i8>
  %r8 = fuse.qlinear_matmul %a, %half, %zero, %b, %quarter, %none, %two, %zero : (tensor<2x2xui8>, tensor<f32>, tensor<ui8>, tensor<2x2xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<ui8>) -> tensor<2x2xui8>

  // The sums [[9, -3], [-13, 5]] by 1 / 4 and 1 / 2.
  // CHECK-NEXT: output9: i8[1x2x2] = [2, -1, -6, 2]
  %qi = fuse.constant dense<[[[4, -2]]]> : tensor<1x1x2xi8>
  %qw = fuse.constant dense<[[[2]], [[-3]]]> : tensor<2x1x1xi8>
  %ws = fuse.constant dense<[[[0.5]], [[1.0]]]> : tensor<2x1x1xf32>
  %one = fuse.constant dense<1.0> : tensor<f32>
  %bias = fuse.constant dense<[1, -1]> : tensor<2xi32>
  %r9 = fuse.qlinear_conv %qi, %one, %none, %qw, %ws, %none, %two, %none, %bias {strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, groups = 1 : i64} : (tensor<1x1x2xi8>, tensor<f32>, tensor<i8>, tensor<2x1x1xi8>, tensor<2x1x1xf32>, tensor<i8>, tensor<f32>, tensor<i8>, tensor<2xi32>) -> tensor<1x2x2xi8>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9 : tensor<6xui8>, tensor<2x3xi8>, tensor<3xf32>,
    tensor<4xui8>, tensor<f32>, tensor<ui8>, tensor<2x2xi32>,
    tensor<1x1x3xi32>, tensor<2x2xui8>, tensor<1x2x2xi8>
}
