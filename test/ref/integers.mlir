// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Integer arithmetic: exact, wrapping at the width; x / 0 is 0.
func.func @main() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
    tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
    tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
    tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
    tensor<4xui8>, tensor<4xui8>, tensor<4xui8>,
    tensor<4xui8>, tensor<4xi8>, tensor<4xi8>,
    tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) {
  %a = fuse.constant dense<[-7, 7, -2147483648, 5]> : tensor<4xi32>
  %b = fuse.constant dense<[3, -3, -1, 0]> : tensor<4xi32>
  %e = fuse.constant dense<[3, 2, 31, 0]> : tensor<4xi32>
  %m = fuse.constant dense<[2, -3, 2, 0]> : tensor<4xi32>
  %p = fuse.constant dense<[200, 255, 0, 7]> : tensor<4xui8>
  %q = fuse.constant dense<[100, 1, 1, 7]> : tensor<4xui8>
  %s = fuse.constant dense<[-128, 127, 100, -1]> : tensor<4xi8>
  %u = fuse.constant dense<[-1, 1, 100, 2]> : tensor<4xi8>
  %v = fuse.constant dense<[9223372036854775807, -9223372036854775808]> : tensor<2xi64>
  %w = fuse.constant dense<[1, -1]> : tensor<2xi64>

  // CHECK: output0: i32[4] = [-4, 4, 2147483647, 5]
  %r0 = fuse.add %a, %b : tensor<4xi32>

  // CHECK-NEXT: output1: i32[4] = [-10, 10, -2147483647, 5]
  %r1 = fuse.sub %a, %b : tensor<4xi32>

  // CHECK-NEXT: output2: i32[4] = [-21, -21, -2147483648, 0]
  %r2 = fuse.mul %a, %b : tensor<4xi32>

  // CHECK-NEXT: output3: i32[4] = [-2, -2, -2147483648, 0]
  %r3 = fuse.div %a, %b : tensor<4xi32>

  // CHECK-NEXT: output4: i32[4] = [2, -2, 0, 0]
  %r4 = fuse.mod %a, %b : tensor<4xi32>

  // CHECK-NEXT: output5: i32[4] = [-1, 1, 0, 0]
  %r5 = fuse.fmod %a, %b : tensor<4xi32>

  // CHECK-NEXT: output6: i32[4] = [8, 9, -2147483648, 1]
  %r6 = fuse.pow %m, %e : tensor<4xi32>

  // CHECK-NEXT: output7: i32[4] = [3, 7, -1, 5]
  %r7 = fuse.maximum %a, %b : tensor<4xi32>

  // CHECK-NEXT: output8: i32[4] = [-7, -3, -2147483648, 0]
  %r8 = fuse.minimum %a, %b : tensor<4xi32>

  // CHECK-NEXT: output9: i32[4] = [7, 7, -2147483648, 5]
  %r9 = fuse.abs %a : tensor<4xi32>

  // CHECK-NEXT: output10: i32[4] = [7, -7, -2147483648, -5]
  %r10 = fuse.neg %a : tensor<4xi32>

  // CHECK-NEXT: output11: i32[4] = [-1, 1, -1, 1]
  %r11 = fuse.sign %a : tensor<4xi32>

  // CHECK-NEXT: output12: u8[4] = [44, 0, 1, 14]
  %r12 = fuse.add %p, %q : tensor<4xui8>

  // CHECK-NEXT: output13: u8[4] = [100, 254, 255, 0]
  %r13 = fuse.sub %p, %q : tensor<4xui8>

  // CHECK-NEXT: output14: u8[4] = [32, 255, 0, 49]
  %r14 = fuse.mul %p, %q : tensor<4xui8>

  // CHECK-NEXT: output15: u8[4] = [2, 255, 0, 1]
  %r15 = fuse.div %p, %q : tensor<4xui8>

  // CHECK-NEXT: output16: i8[4] = [127, -128, -56, 1]
  %r16 = fuse.add %s, %u : tensor<4xi8>

  // CHECK-NEXT: output17: i8[4] = [-128, 127, 16, -2]
  %r17 = fuse.mul %s, %u : tensor<4xi8>

  // CHECK-NEXT: output18: i64[2] = [-9223372036854775808, 9223372036854775807]
  %r18 = fuse.add %v, %w : tensor<2xi64>

  // CHECK-NEXT: output19: i64[2] = [9223372036854775807, -9223372036854775808]
  %r19 = fuse.div %v, %w : tensor<2xi64>

  // CHECK-NEXT: output20: i64[2] = [9223372036854775807, -9223372036854775808]
  %r20 = fuse.mul %v, %w : tensor<2xi64>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7,
    %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15,
    %r16, %r17, %r18, %r19, %r20
    : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
    tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
    tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
    tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
    tensor<4xui8>, tensor<4xui8>, tensor<4xui8>,
    tensor<4xui8>, tensor<4xi8>, tensor<4xi8>,
    tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
}
