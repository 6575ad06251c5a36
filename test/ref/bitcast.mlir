// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Bits as another type, of elements that share a byte in files too.
func.func @main() -> (tensor<3xi32>, tensor<2xf64>, tensor<3xui16>, tensor<2xf8E5M2>, tensor<3xi4>, tensor<3xf4E2M1FN>) {
  %a = fuse.constant dense<[1.0, -0.0, 0x7F800000]> : tensor<3xf32>
  %b = fuse.constant dense<[4607182418800017408, 1]> : tensor<2xi64>
  %c = fuse.constant dense<[1.0, -2.0, 5.96046448e-08]> : tensor<3xf16>
  %d = fuse.constant dense<[60, -68]> : tensor<2xi8>
  %e = fuse.constant dense<[1.0, -1.0, -6.0]> : tensor<3xf4E2M1FN>
  %f = fuse.constant dense<[2, -6, -1]> : tensor<3xi4>
  // CHECK: output0: i32[3] = [1065353216, -2147483648, 2139095040]
  %r0 = fuse.bitcast %a : tensor<3xf32> -> tensor<3xi32>
  // CHECK-NEXT: output1: f64[2] = [1, 4.9406564584124654e-324]
  %r1 = fuse.bitcast %b : tensor<2xi64> -> tensor<2xf64>
  // CHECK-NEXT: output2: u16[3] = [15360, 49152, 1]
  %r2 = fuse.bitcast %c : tensor<3xf16> -> tensor<3xui16>
  // CHECK-NEXT: output3: f8E5M2[2] = [1, -1]
  %r3 = fuse.bitcast %d : tensor<2xi8> -> tensor<2xf8E5M2>
  // CHECK-NEXT: output4: i4[3] = [2, -6, -1]
  %r4 = fuse.bitcast %e : tensor<3xf4E2M1FN> -> tensor<3xi4>
  // CHECK-NEXT: output5: f4E2M1FN[3] = [1, -1, -6]
  %r5 = fuse.bitcast %f : tensor<3xi4> -> tensor<3xf4E2M1FN>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<3xi32>, tensor<2xf64>, tensor<3xui16>, tensor<2xf8E5M2>, tensor<3xi4>, tensor<3xf4E2M1FN>
}
