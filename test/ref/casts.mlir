// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Conversions: floats round to nearest even, truncate to integers; integers
// wrap; anything to boolean compares with zero. 2049 and 1 + 2^-11 lie midway
// between two f16; 65520 rounds to infinity there, 1e-8 to zero.
func.func @main() -> (tensor<4xi32>, tensor<4xi64>, tensor<4xui8>,
    tensor<4xi1>, tensor<4xi1>, tensor<4xi32>,
    tensor<7xf16>, tensor<7xbf16>, tensor<4xf16>,
    tensor<4xi8>, tensor<4xui8>, tensor<4xf32>,
    tensor<4xi64>, tensor<4xi1>, tensor<3xi32>,
    tensor<3xf32>, tensor<2xf32>, tensor<2xi32>,
    tensor<2xi32>, tensor<2xi8>, tensor<2xf32>) {
  %f = fuse.constant dense<[-1.9, 0.0, 2.9, 300.5]> : tensor<4xf32>
  %n = fuse.constant dense<[0x7FC00000, 0x7F800000, -1.0e+30, -0.0]> : tensor<4xf32>
  %h = fuse.constant dense<[2049.0, 2051.0, 65519.0, 65520.0, 1.0e-8, 6.0e-8, 1.00048828125]> : tensor<7xf32>
  %i = fuse.constant dense<[-1, 0, 256, 513]> : tensor<4xi32>
  %l = fuse.constant dense<[4294967297, -2147483649, 16777217]> : tensor<3xi64>
  %b = fuse.constant dense<[true, false]> : tensor<2xi1>
  %p = fuse.constant dense<[255, 128]> : tensor<2xui8>
  %k = fuse.constant dense<[1.0, -2.5]> : tensor<2xf16>

  // CHECK: output0: i32[4] = [-1, 0, 2, 300]
  %r0 = fuse.cast %f : tensor<4xf32> -> tensor<4xi32>

  // CHECK-NEXT: output1: i64[4] = [-1, 0, 2, 300]
  %r1 = fuse.cast %f : tensor<4xf32> -> tensor<4xi64>

  // CHECK-NEXT: output2: u8[4] = [255, 0, 2, 44]
  %r2 = fuse.cast %f : tensor<4xf32> -> tensor<4xui8>

  // CHECK-NEXT: output3: bool[4] = [true, false, true, true]
  %r3 = fuse.cast %f : tensor<4xf32> -> tensor<4xi1>

  // CHECK-NEXT: output4: bool[4] = [true, true, true, false]
  %r4 = fuse.cast %n : tensor<4xf32> -> tensor<4xi1>

  // CHECK-NEXT: output5: i32[4] = [-2147483648, -2147483648, -2147483648, 0]
  %r5 = fuse.cast %n : tensor<4xf32> -> tensor<4xi32>

  // CHECK-NEXT: output6: f16[7] = [2048, 2052, 65504, inf, 0, 5.96046448e-08, 1]
  %r6 = fuse.cast %h : tensor<7xf32> -> tensor<7xf16>

  // CHECK-NEXT: output7: bf16[7] = [2048, 2048, 65536, 65536, 1.00117177e-08, 6.00703061e-08, 1]
  %r7 = fuse.cast %h : tensor<7xf32> -> tensor<7xbf16>

  // CHECK-NEXT: output8: f16[4] = [nan, inf, -inf, -0]
  %r8 = fuse.cast %n : tensor<4xf32> -> tensor<4xf16>

  // CHECK-NEXT: output9: i8[4] = [-1, 0, 0, 1]
  %r9 = fuse.cast %i : tensor<4xi32> -> tensor<4xi8>

  // CHECK-NEXT: output10: u8[4] = [255, 0, 0, 1]
  %r10 = fuse.cast %i : tensor<4xi32> -> tensor<4xui8>

  // CHECK-NEXT: output11: f32[4] = [-1, 0, 256, 513]
  %r11 = fuse.cast %i : tensor<4xi32> -> tensor<4xf32>

  // CHECK-NEXT: output12: i64[4] = [-1, 0, 256, 513]
  %r12 = fuse.cast %i : tensor<4xi32> -> tensor<4xi64>

  // CHECK-NEXT: output13: bool[4] = [true, false, true, true]
  %r13 = fuse.cast %i : tensor<4xi32> -> tensor<4xi1>

  // CHECK-NEXT: output14: i32[3] = [1, 2147483647, 16777217]
  %r14 = fuse.cast %l : tensor<3xi64> -> tensor<3xi32>

  // CHECK-NEXT: output15: f32[3] = [4.2949673e+09, -2.14748365e+09, 16777216]
  %r15 = fuse.cast %l : tensor<3xi64> -> tensor<3xf32>

  // CHECK-NEXT: output16: f32[2] = [1, 0]
  %r16 = fuse.cast %b : tensor<2xi1> -> tensor<2xf32>

  // CHECK-NEXT: output17: i32[2] = [1, 0]
  %r17 = fuse.cast %b : tensor<2xi1> -> tensor<2xi32>

  // CHECK-NEXT: output18: i32[2] = [255, 128]
  %r18 = fuse.cast %p : tensor<2xui8> -> tensor<2xi32>

  // CHECK-NEXT: output19: i8[2] = [-1, -128]
  %r19 = fuse.cast %p : tensor<2xui8> -> tensor<2xi8>

  // CHECK-NEXT: output20: f32[2] = [1, -2.5]
  %r20 = fuse.cast %k : tensor<2xf16> -> tensor<2xf32>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7,
    %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15,
    %r16, %r17, %r18, %r19, %r20
    : tensor<4xi32>, tensor<4xi64>, tensor<4xui8>,
    tensor<4xi1>, tensor<4xi1>, tensor<4xi32>,
    tensor<7xf16>, tensor<7xbf16>, tensor<4xf16>,
    tensor<4xi8>, tensor<4xui8>, tensor<4xf32>,
    tensor<4xi64>, tensor<4xi1>, tensor<3xi32>,
    tensor<3xf32>, tensor<2xf32>, tensor<2xi32>,
    tensor<2xi32>, tensor<2xi8>, tensor<2xf32>
}
