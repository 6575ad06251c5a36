// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// 64 bits without a sign: order, division, shifts, conversions. And doubles,
// which no f32 holds.
func.func @main() -> (tensor<3xi1>, tensor<3xui64>, tensor<3xui64>,
    tensor<3xui64>, tensor<3xui64>, tensor<3xui64>, tensor<3xui64>,
    tensor<3xf64>, tensor<2xui64>, tensor<2xui32>, tensor<2xi64>, tensor<ui64>,
    tensor<ui64>, tensor<2xf64>, tensor<2xui8>) {
  %a = fuse.constant dense<[18446744073709551615, 1, 9223372036854775808]> : tensor<3xui64>
  %b = fuse.constant dense<[2, 5, 63]> : tensor<3xui64>

  // CHECK: output0: bool[3] = [false, true, false]
  %r0 = fuse.cmp lt %a, %b : tensor<3xui64>, tensor<3xui64> -> tensor<3xi1>

  // CHECK-NEXT: output1: u64[3] = [18446744073709551615, 5, 9223372036854775808]
  %r1 = fuse.maximum %a, %b : tensor<3xui64>

  // CHECK-NEXT: output2: u64[3] = [2, 1, 63]
  %r2 = fuse.minimum %a, %b : tensor<3xui64>

  // CHECK-NEXT: output3: u64[3] = [9223372036854775807, 0, 146402730743726600]
  %r3 = fuse.div %a, %b : tensor<3xui64>

  // CHECK-NEXT: output4: u64[3] = [1, 1, 8]
  %r4 = fuse.mod %a, %b : tensor<3xui64>

  // CHECK-NEXT: output5: u64[3] = [18446744073709551612, 32, 0]
  %r5 = fuse.shl %a, %b : tensor<3xui64>

  // CHECK-NEXT: output6: u64[3] = [4611686018427387903, 0, 1]
  %r6 = fuse.shr %a, %b : tensor<3xui64>

  // CHECK-NEXT: output7: f64[3] = [1.8446744073709552e+19, 1, 9.2233720368547758e+18]
  %r7 = fuse.cast %a : tensor<3xui64> -> tensor<3xf64>

  // CHECK-NEXT: output8: u64[2] = [9223372036854775808, 3]
  // CHECK-NEXT: output9: u32[2] = [0, 3]
  %f = fuse.constant dense<[9223372036854775808.0, 3.9]> : tensor<2xf64>
  %r8 = fuse.cast %f : tensor<2xf64> -> tensor<2xui64>
  %g = fuse.constant dense<[4294967296.0, 3.9]> : tensor<2xf64>
  %r9 = fuse.cast %g : tensor<2xf64> -> tensor<2xui32>

  // CHECK-NEXT: output10: i64[2] = [4294967295, 7]
  %n = fuse.constant dense<[4294967295, 7]> : tensor<2xui32>
  %r10 = fuse.cast %n : tensor<2xui32> -> tensor<2xi64>

  // CHECK-NEXT: output11: u64[] = [18446744073709551615]
  // CHECK-NEXT: output12: u64[] = [1]
  %max = fuse.reduction max %a dims = [0] : tensor<3xui64> -> tensor<1xui64>
  %r11 = fuse.reshape %max : tensor<1xui64> -> tensor<ui64>
  %min = fuse.reduction min %a dims = [0] : tensor<3xui64> -> tensor<1xui64>
  %r12 = fuse.reshape %min : tensor<1xui64> -> tensor<ui64>

  // CHECK-NEXT: output13: f64[2] = [1e-300, 2.0000000000000001e+300]
  %d = fuse.constant dense<[1.0e-300, 2.0e+300]> : tensor<2xf64>
  %zero = fuse.constant dense<0.0> : tensor<2xf64>
  %r13 = fuse.add %d, %zero : tensor<2xf64>

  // CHECK-NEXT: output14: u8[2] = [0, 128]
  %s = fuse.constant dense<[128, 1]> : tensor<2xui8>
  %k = fuse.constant dense<[1, 7]> : tensor<2xui8>
  %r14 = fuse.shl %s, %k : tensor<2xui8>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14
    : tensor<3xi1>, tensor<3xui64>, tensor<3xui64>,
    tensor<3xui64>, tensor<3xui64>, tensor<3xui64>, tensor<3xui64>,
    tensor<3xf64>, tensor<2xui64>, tensor<2xui32>, tensor<2xi64>, tensor<ui64>,
    tensor<ui64>, tensor<2xf64>, tensor<2xui8>
}
