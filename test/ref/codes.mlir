// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Elements of 8 bits and fewer. 17 and 19 lie midway between two f8E4M3FN, 2.5 and
// 5 between two f4E2M1FN; what is too large becomes NaN, an infinity, or the
// largest number, by what the type has.
func.func @main() -> (tensor<7xf8E4M3FN>, tensor<7xf8E5M2>, tensor<7xf8E4M3FNUZ>,
    tensor<7xf8E5M2FNUZ>, tensor<5xf4E2M1FN>, tensor<4xi4>, tensor<4xui4>,
    tensor<4xi2>, tensor<4xui2>, tensor<4xf32>, tensor<3xf8E4M3FN>, tensor<3xf32>,
    tensor<2xi4>, tensor<6xf8E8M0FNU>, tensor<5xf6E2M3FN>, tensor<5xf6E3M2FN>,
    tensor<5xf8E4M3FN>, tensor<5xf8E5M2>, tensor<5xf8E5M2FNUZ>) {
  %x = fuse.constant dense<[17.0, 19.0, -0.0, 1.0e-3, 1.0e+6, 0x7FC00000, -464.0]> : tensor<7xf32>

  // CHECK: output0: f8E4M3FN[7] = [16, 20, -0, 0.001953125, nan, nan, -448]
  %r0 = fuse.cast %x : tensor<7xf32> -> tensor<7xf8E4M3FN>

  // CHECK-NEXT: output1: f8E5M2[7] = [16, 20, -0, 0.0009765625, inf, nan, -448]
  %r1 = fuse.cast %x : tensor<7xf32> -> tensor<7xf8E5M2>

  // CHECK-NEXT: output2: f8E4M3FNUZ[7] = [16, 20, 0, 0.0009765625, nan, nan, nan]
  %r2 = fuse.cast %x : tensor<7xf32> -> tensor<7xf8E4M3FNUZ>

  // CHECK-NEXT: output3: f8E5M2FNUZ[7] = [16, 20, 0, 0.0009765625, nan, nan, -448]
  %r3 = fuse.cast %x : tensor<7xf32> -> tensor<7xf8E5M2FNUZ>

  // CHECK-NEXT: output4: f4E2M1FN[5] = [2, -4, 0.5, 6, -6]
  %small = fuse.constant dense<[2.5, -5.0, 0.5, 1.0e+3, -6.5]> : tensor<5xf32>
  %r4 = fuse.cast %small : tensor<5xf32> -> tensor<5xf4E2M1FN>

  // CHECK-NEXT: output5: i4[4] = [-8, 7, -1, 1]
  // CHECK-NEXT: output6: u4[4] = [8, 7, 15, 1]
  // CHECK-NEXT: output7: i2[4] = [0, -1, -1, 1]
  // CHECK-NEXT: output8: u2[4] = [0, 3, 3, 1]
  %n = fuse.constant dense<[8, 7, -1, 17]> : tensor<4xi32>
  %r5 = fuse.cast %n : tensor<4xi32> -> tensor<4xi4>
  %r6 = fuse.cast %n : tensor<4xi32> -> tensor<4xui4>
  %r7 = fuse.cast %n : tensor<4xi32> -> tensor<4xi2>
  %r8 = fuse.cast %n : tensor<4xi32> -> tensor<4xui2>

  // CHECK-NEXT: output9: f32[4] = [-8, 7, -1, 1]
  %r9 = fuse.cast %r5 : tensor<4xi4> -> tensor<4xf32>

  // CHECK-NEXT: output10: f8E4M3FN[3] = [2, -448, 448]
  // CHECK-NEXT: output11: f32[3] = [1, -224, 224]
  // CHECK-NEXT: output12: i4[2] = [7, -8]
  %half = fuse.constant dense<0.5> : tensor<f32>
  %q = fuse.constant dense<[1.0, -1000.0, 224.0]> : tensor<3xf32>
  %r10 = fuse.quantize %q, %half : (tensor<3xf32>, tensor<f32>) -> tensor<3xf8E4M3FN>
  %r11 = fuse.dequantize %r10, %half : (tensor<3xf8E4M3FN>, tensor<f32>) -> tensor<3xf32>
  %p = fuse.constant dense<[3.4, -9.0]> : tensor<2xf32>
  %r12 = fuse.quantize %p, %half : (tensor<2xf32>, tensor<f32>) -> tensor<2xi4>

  // Powers of two: the nearest, ties up; 0 has the lowest, and no sign.
  // CHECK-NEXT: output13: f8E8M0FNU[6] = [2, 2, 1, 5.87747175e-39, nan, nan]
  %s = fuse.constant dense<[2.9, 1.5, 1.4, 0.0, -1.0, 0x7F800000]> : tensor<6xf32>
  %r13 = fuse.cast %s : tensor<6xf32> -> tensor<6xf8E8M0FNU>

  // CHECK-NEXT: output14: f6E2M3FN[5] = [2.5, -5, 0.5, 7.5, -6.5]
  // CHECK-NEXT: output15: f6E3M2FN[5] = [2.5, -5, 0.5, 28, -6]
  %r14 = fuse.cast %small : tensor<5xf32> -> tensor<5xf6E2M3FN>
  %r15 = fuse.cast %small : tensor<5xf32> -> tensor<5xf6E3M2FN>

  // 232 / 0.5 lies midway between 448 and what would be the next number.
  // CHECK-NEXT: output16: f8E4M3FN[5] = [2, 448, nan, nan, nan]
  // CHECK-NEXT: output17: f8E5M2[5] = [2, 448, 448, -inf, inf]
  // CHECK-NEXT: output18: f8E5M2FNUZ[5] = [2, 448, 448, nan, nan]
  %large = fuse.constant dense<[1.0, 232.0, 233.0, -1.0e+6, 0x7F800000]> : tensor<5xf32>
  %r16 = fuse.quantize %large, %half {unsaturated} : (tensor<5xf32>, tensor<f32>) -> tensor<5xf8E4M3FN>
  %zero = fuse.constant dense<0.0> : tensor<f8E5M2>
  %r17 = fuse.quantize %large, %half, %zero {unsaturated} : (tensor<5xf32>, tensor<f32>, tensor<f8E5M2>) -> tensor<5xf8E5M2>
  %r18 = fuse.quantize %large, %half {unsaturated} : (tensor<5xf32>, tensor<f32>) -> tensor<5xf8E5M2FNUZ>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18 :
    tensor<7xf8E4M3FN>, tensor<7xf8E5M2>, tensor<7xf8E4M3FNUZ>, tensor<7xf8E5M2FNUZ>,
    tensor<5xf4E2M1FN>, tensor<4xi4>, tensor<4xui4>, tensor<4xi2>, tensor<4xui2>,
    tensor<4xf32>, tensor<3xf8E4M3FN>, tensor<3xf32>, tensor<2xi4>, tensor<6xf8E8M0FNU>,
    tensor<5xf6E2M3FN>, tensor<5xf6E3M2FN>, tensor<5xf8E4M3FN>, tensor<5xf8E5M2>, tensor<5xf8E5M2FNUZ>
}
