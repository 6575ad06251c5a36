// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Named reductions: every kind, integers, NaN, empty ranges. The largest and
// smallest of nothing are the infinities; log_sum_exp does not overflow.
func.func @main() -> (tensor<2x1xf32>, tensor<1x3xf32>, tensor<1x1xf32>,
    tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>,
    tensor<1x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>,
    tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
    tensor<1xf32>, tensor<1xf32>, tensor<2x1xf32>,
    tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
    tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>,
    tensor<2x1xf32>, tensor<2x1xf32>, tensor<f32>,
    tensor<1xf16>, tensor<2x1xi32>, tensor<2x1xi32>,
    tensor<1x2xi32>, tensor<1x2xi32>, tensor<2x1xi32>) {
  %x = fuse.constant dense<[[1.0, -2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %p = fuse.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %n = fuse.constant dense<[1.0, 0x7FC00000, 0x7F800000]> : tensor<3xf32>
  %big = fuse.constant dense<[1000.0, 1000.0, 1000.0]> : tensor<3xf32>
  %ninf = fuse.constant dense<[0xFF800000, 0xFF800000]> : tensor<2xf32>
  %i = fuse.constant dense<[[-7, 2], [2147483647, 1]]> : tensor<2x2xi32>
  %j = fuse.constant dense<[[-7, 2], [9, 2]]> : tensor<2x2xi32>
  %e = fuse.constant dense<[[], []]> : tensor<2x0xf32>
  %s = fuse.constant dense<4.0> : tensor<f32>
  %h = fuse.constant dense<[60000.0, 60000.0, -60000.0]> : tensor<3xf16>

  // CHECK: output0: f32[2x1] = [2, 15]
  %r0 = fuse.reduction sum %x dims = [1] : tensor<2x3xf32> -> tensor<2x1xf32>

  // CHECK-NEXT: output1: f32[1x3] = [5, 3, 9]
  %r1 = fuse.reduction sum %x dims = [0] : tensor<2x3xf32> -> tensor<1x3xf32>

  // CHECK-NEXT: output2: f32[1x1] = [17]
  %r2 = fuse.reduction sum %x dims = [0, 1] : tensor<2x3xf32> -> tensor<1x1xf32>

  // CHECK-NEXT: output3: f32[2x3] = [1, -2, 3, 4, 5, 6]
  %r3 = fuse.reduction sum %x dims = [] : tensor<2x3xf32> -> tensor<2x3xf32>

  // CHECK-NEXT: output4: f32[2x1] = [0.666666687, 5]
  %r4 = fuse.reduction mean %x dims = [1] : tensor<2x3xf32> -> tensor<2x1xf32>

  // CHECK-NEXT: output5: f32[2x1] = [3, 6]
  %r5 = fuse.reduction max %x dims = [1] : tensor<2x3xf32> -> tensor<2x1xf32>

  // CHECK-NEXT: output6: f32[1x3] = [1, -2, 3]
  %r6 = fuse.reduction min %x dims = [0] : tensor<2x3xf32> -> tensor<1x3xf32>

  // CHECK-NEXT: output7: f32[2x1] = [-6, 120]
  %r7 = fuse.reduction prod %x dims = [1] : tensor<2x3xf32> -> tensor<2x1xf32>

  // CHECK-NEXT: output8: f32[2x1] = [6, 15]
  %r8 = fuse.reduction l1 %x dims = [1] : tensor<2x3xf32> -> tensor<2x1xf32>

  // CHECK-NEXT: output9: f32[1] = [3.7416575]
  %r9 = fuse.reduction l2 %p dims = [0] : tensor<3xf32> -> tensor<1xf32>

  // CHECK-NEXT: output10: f32[1] = [1.79175949]
  %r10 = fuse.reduction log_sum %p dims = [0] : tensor<3xf32> -> tensor<1xf32>

  // CHECK-NEXT: output11: f32[1] = [3.40760589]
  %r11 = fuse.reduction log_sum_exp %p dims = [0] : tensor<3xf32> -> tensor<1xf32>

  // CHECK-NEXT: output12: f32[1] = [1001.09863]
  %r12 = fuse.reduction log_sum_exp %big dims = [0] : tensor<3xf32> -> tensor<1xf32>

  // CHECK-NEXT: output13: f32[1] = [-inf]
  %r13 = fuse.reduction log_sum_exp %ninf dims = [0] : tensor<2xf32> -> tensor<1xf32>

  // CHECK-NEXT: output14: f32[2x1] = [14, 77]
  %r14 = fuse.reduction sum_square %x dims = [1] : tensor<2x3xf32> -> tensor<2x1xf32>

  // CHECK-NEXT: output15: f32[1] = [nan]
  %r15 = fuse.reduction max %n dims = [0] : tensor<3xf32> -> tensor<1xf32>

  // CHECK-NEXT: output16: f32[1] = [nan]
  %r16 = fuse.reduction min %n dims = [0] : tensor<3xf32> -> tensor<1xf32>

  // CHECK-NEXT: output17: f32[1] = [nan]
  %r17 = fuse.reduction sum %n dims = [0] : tensor<3xf32> -> tensor<1xf32>

  // CHECK-NEXT: output18: f32[2x1] = [0, 0]
  %r18 = fuse.reduction sum %e dims = [1] : tensor<2x0xf32> -> tensor<2x1xf32>

  // CHECK-NEXT: output19: f32[2x1] = [1, 1]
  %r19 = fuse.reduction prod %e dims = [1] : tensor<2x0xf32> -> tensor<2x1xf32>

  // CHECK-NEXT: output20: f32[2x1] = [-inf, -inf]
  %r20 = fuse.reduction max %e dims = [1] : tensor<2x0xf32> -> tensor<2x1xf32>

  // CHECK-NEXT: output21: f32[2x1] = [inf, inf]
  %r21 = fuse.reduction min %e dims = [1] : tensor<2x0xf32> -> tensor<2x1xf32>

  // CHECK-NEXT: output22: f32[2x1] = [nan, nan]
  %r22 = fuse.reduction mean %e dims = [1] : tensor<2x0xf32> -> tensor<2x1xf32>

  // CHECK-NEXT: output23: f32[] = [4]
  %r23 = fuse.reduction sum %s dims = [] : tensor<f32> -> tensor<f32>

  // CHECK-NEXT: output24: f16[1] = [60000]
  %r24 = fuse.reduction sum %h dims = [0] : tensor<3xf16> -> tensor<1xf16>

  // CHECK-NEXT: output25: i32[2x1] = [-5, -2147483648]
  %r25 = fuse.reduction sum %i dims = [1] : tensor<2x2xi32> -> tensor<2x1xi32>

  // CHECK-NEXT: output26: i32[2x1] = [-2, 5]
  %r26 = fuse.reduction mean %j dims = [1] : tensor<2x2xi32> -> tensor<2x1xi32>

  // CHECK-NEXT: output27: i32[1x2] = [2147483647, 2]
  %r27 = fuse.reduction max %i dims = [0] : tensor<2x2xi32> -> tensor<1x2xi32>

  // CHECK-NEXT: output28: i32[1x2] = [-7, 1]
  %r28 = fuse.reduction min %i dims = [0] : tensor<2x2xi32> -> tensor<1x2xi32>

  // CHECK-NEXT: output29: i32[2x1] = [9, -2147483648]
  %r29 = fuse.reduction l1 %i dims = [1] : tensor<2x2xi32> -> tensor<2x1xi32>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7,
    %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15,
    %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23,
    %r24, %r25, %r26, %r27, %r28, %r29
    : tensor<2x1xf32>, tensor<1x3xf32>, tensor<1x1xf32>,
    tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>,
    tensor<1x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>,
    tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
    tensor<1xf32>, tensor<1xf32>, tensor<2x1xf32>,
    tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
    tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>,
    tensor<2x1xf32>, tensor<2x1xf32>, tensor<f32>,
    tensor<1xf16>, tensor<2x1xi32>, tensor<2x1xi32>,
    tensor<1x2xi32>, tensor<1x2xi32>, tensor<2x1xi32>
}
