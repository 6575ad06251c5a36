// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// matmul, gemm, conv and contract on values small enough to check by hand.
// 16777216 + 1 - 16777216 is 1: sums are not rounded to f32 on the way. An
// empty sum is zero; 0 times infinity is NaN.
func.func @main() -> (tensor<2x2xf32>, tensor<2xf32>, tensor<3xf32>,
    tensor<f32>, tensor<2x1x2xf32>, tensor<1x1xf32>,
    tensor<2x3xf32>, tensor<1x1xf32>, tensor<2x2xi32>,
    tensor<1x1xf16>, tensor<2x2xf32>, tensor<2x2xf32>,
    tensor<2x2xf32>, tensor<2x2xi32>, tensor<1x1x2x2xf32>,
    tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>, tensor<1x2x3xf32>,
    tensor<2x2xf32>, tensor<2xf32>, tensor<3x2xf32>,
    tensor<2xf32>, tensor<2x2xi32>) {
  %a = fuse.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = fuse.constant dense<[[1.0, 0.0], [0.0, 1.0], [2.0, -1.0]]> : tensor<3x2xf32>
  %v = fuse.constant dense<[1.0, -1.0, 1.0]> : tensor<3xf32>
  %w = fuse.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %l = fuse.constant dense<[[16777216.0, 1.0, -16777216.0]]> : tensor<1x3xf32>
  %ones = fuse.constant dense<[[1.0], [1.0], [1.0]]> : tensor<3x1xf32>
  %z0 = fuse.constant dense<[[], []]> : tensor<2x0xf32>
  %z1 = fuse.constant dense<> : tensor<0x3xf32>
  %batch = fuse.constant dense<[[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]]> : tensor<2x1x3xf32>
  %inf = fuse.constant dense<[[0x7F800000, 1.0, 1.0]]> : tensor<1x3xf32>
  %m0 = fuse.constant dense<[[0.0], [1.0], [1.0]]> : tensor<3x1xf32>
  %i = fuse.constant dense<[[100, -100], [2147483647, 2]]> : tensor<2x2xi32>
  %j = fuse.constant dense<[[1, 0], [2, 1]]> : tensor<2x2xi32>
  %h = fuse.constant dense<[[2048.0, 1.0, 1.0]]> : tensor<1x3xf16>
  %hones = fuse.constant dense<[[1.0], [1.0], [1.0]]> : tensor<3x1xf16>
  %x = fuse.constant dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<1x1x3x3xf32>
  %k = fuse.constant dense<[[[[1.0, 0.0], [0.0, -1.0]]]]> : tensor<1x1x2x2xf32>
  %bias = fuse.constant dense<[10.0]> : tensor<1xf32>
  %x1 = fuse.constant dense<[[[1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 1.0, 1.0, 1.0, 1.0]]]> : tensor<1x2x5xf32>
  %k1 = fuse.constant dense<[[[1.0, 1.0]], [[2.0, -1.0]]]> : tensor<2x1x2xf32>
  %bias2 = fuse.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %sq = fuse.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>

  // CHECK: output0: f32[2x2] = [7, -1, 16, -1]
  %r0 = fuse.matmul %a, %b : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2x2xf32>

  // CHECK-NEXT: output1: f32[2] = [2, 5]
  %r1 = fuse.matmul %a, %v : tensor<2x3xf32>, tensor<3xf32> -> tensor<2xf32>

  // CHECK-NEXT: output2: f32[3] = [9, 12, 15]
  %r2 = fuse.matmul %w, %a : tensor<2xf32>, tensor<2x3xf32> -> tensor<3xf32>

  // CHECK-NEXT: output3: f32[] = [3]
  %r3 = fuse.matmul %v, %v : tensor<3xf32>, tensor<3xf32> -> tensor<f32>

  // CHECK-NEXT: output4: f32[2x1x2] = [7, -1, 16, -1]
  %r4 = fuse.matmul %batch, %b : tensor<2x1x3xf32>, tensor<3x2xf32> -> tensor<2x1x2xf32>

  // CHECK-NEXT: output5: f32[1x1] = [1]
  %r5 = fuse.matmul %l, %ones : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>

  // CHECK-NEXT: output6: f32[2x3] = [0, 0, 0, 0, 0, 0]
  %r6 = fuse.matmul %z0, %z1 : tensor<2x0xf32>, tensor<0x3xf32> -> tensor<2x3xf32>

  // CHECK-NEXT: output7: f32[1x1] = [nan]
  %r7 = fuse.matmul %inf, %m0 : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>

  // CHECK-NEXT: output8: i32[2x2] = [-100, -100, -2147483645, 2]
  %r8 = fuse.matmul %i, %j : tensor<2x2xi32>, tensor<2x2xi32> -> tensor<2x2xi32>

  // CHECK-NEXT: output9: f16[1x1] = [2050]
  %r9 = fuse.matmul %h, %hones : tensor<1x3xf16>, tensor<3x1xf16> -> tensor<1x1xf16>

  // CHECK-NEXT: output10: f32[2x2] = [5.5, 3.5, 10, 3.5]
  %r10 = fuse.gemm %a, %b, %w {alpha = 0.5 : f64, beta = 2.0 : f64} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>

  // CHECK-NEXT: output11: f32[2x2] = [7, 16, -1, -1]
  %r11 = fuse.gemm %b, %a {alpha = 1.0 : f64, beta = 1.0 : f64, trans_lhs, trans_rhs} : (tensor<3x2xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>

  // CHECK-NEXT: output12: f32[2x2] = [4, 9, 8, 21]
  %r12 = fuse.gemm %sq, %sq, %sq {alpha = 1.0 : f64, beta = -1.0 : f64, trans_rhs} : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>

  // CHECK-NEXT: output13: i32[2x2] = [-200, -200, 6, 4]
  %r13 = fuse.gemm %i, %j {alpha = 2.0 : f64, beta = 1.0 : f64} : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>

  // CHECK-NEXT: output14: f32[1x1x2x2] = [-4, -4, -4, -4]
  %r14 = fuse.conv %x, %k {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pad_low = array<i64: 0, 0>,
    pad_high = array<i64: 0, 0>, groups = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>

  // CHECK-NEXT: output15: f32[1x1x2x2] = [9, 7, 3, 6]
  %r15 = fuse.conv %x, %k, %bias {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pad_low = array<i64: 1, 1>,
    pad_high = array<i64: 0, 0>, groups = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>, tensor<1xf32>) -> tensor<1x1x2x2xf32>

  // CHECK-NEXT: output16: f32[1x1x1x1] = [-8]
  %r16 = fuse.conv %x, %k {strides = array<i64: 1, 1>, dilations = array<i64: 2, 2>, pad_low = array<i64: 0, 0>,
    pad_high = array<i64: 0, 0>, groups = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>

  // CHECK-NEXT: output17: f32[1x2x3] = [3, 7, 5, 2, 2, 3]
  %r17 = fuse.conv %x1, %k1, %bias2 {strides = array<i64: 2>, dilations = array<i64: 1>, pad_low = array<i64: 0>,
    pad_high = array<i64: 1>, groups = 2 : i64} : (tensor<1x2x5xf32>, tensor<2x1x2xf32>, tensor<2xf32>) -> tensor<1x2x3xf32>

  // CHECK-NEXT: output18: f32[2x2] = [7, -1, 16, -1]
  %r18 = fuse.contract %a, %b maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2x2xf32>

  // CHECK-NEXT: output19: f32[2] = [7, 22]
  %r19 = fuse.contract %sq, %sq maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k, m)>, affine_map<(m, k) -> (m)>]
    : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2xf32>

  // CHECK-NEXT: output20: f32[3x2] = [1, 2, -1, -2, 1, 2]
  %r20 = fuse.contract %w, %v maps = [affine_map<(n, m) -> (m)>, affine_map<(n, m) -> (n)>, affine_map<(n, m) -> (n, m)>]
    : tensor<2xf32>, tensor<3xf32> -> tensor<3x2xf32>

  // CHECK-NEXT: output21: f32[2] = [21, 42]
  %r21 = fuse.contract %a, %w maps = [affine_map<(k, m, j) -> (m, j)>, affine_map<(k, m, j) -> (k)>, affine_map<(k, m, j) -> (k)>]
    : tensor<2x3xf32>, tensor<2xf32> -> tensor<2xf32>

  // CHECK-NEXT: output22: i32[2x2] = [-100, -100, -2147483645, 2]
  %r22 = fuse.contract %i, %j maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    : tensor<2x2xi32>, tensor<2x2xi32> -> tensor<2x2xi32>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7,
    %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15,
    %r16, %r17, %r18, %r19, %r20, %r21, %r22
    : tensor<2x2xf32>, tensor<2xf32>, tensor<3xf32>,
    tensor<f32>, tensor<2x1x2xf32>, tensor<1x1xf32>,
    tensor<2x3xf32>, tensor<1x1xf32>, tensor<2x2xi32>,
    tensor<1x1xf16>, tensor<2x2xf32>, tensor<2x2xf32>,
    tensor<2x2xf32>, tensor<2x2xi32>, tensor<1x1x2x2xf32>,
    tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>, tensor<1x2x3xf32>,
    tensor<2x2xf32>, tensor<2xf32>, tensor<3x2xf32>,
    tensor<2xf32>, tensor<2x2xi32>
}
