// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Where extremes lie: the first or the last of equal ones; NaN exceeds numbers,
// zeros are equal, and 64 bits may have no sign.
func.func @main() -> (tensor<3x1xi64>, tensor<3x1xi64>, tensor<3x1xi64>, tensor<3x1xi64>, tensor<1x3xi64>,
    tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) {
  %x = fuse.constant dense<[[1.0, 3.0, 3.0], [0x7FC00000, 5.0, 0x7FC00000], [-0.0, 0.0, -1.0]]> : tensor<3x3xf32>
  %u = fuse.constant dense<[1, 18446744073709551615, 9223372036854775808]> : tensor<3xui64>
  %i = fuse.constant dense<[-3, 7, -128]> : tensor<3xi8>

  // CHECK: output0: i64[3x1] = [1, 0, 0]
  %r0 = fuse.arg_max %x {axis = 1 : i64} : tensor<3x3xf32> -> tensor<3x1xi64>

  // CHECK-NEXT: output1: i64[3x1] = [2, 2, 1]
  %r1 = fuse.arg_max %x {axis = 1 : i64, last} : tensor<3x3xf32> -> tensor<3x1xi64>

  // CHECK-NEXT: output2: i64[3x1] = [0, 0, 2]
  %r2 = fuse.arg_min %x {axis = 1 : i64} : tensor<3x3xf32> -> tensor<3x1xi64>

  // CHECK-NEXT: output3: i64[3x1] = [0, 2, 2]
  %r3 = fuse.arg_min %x {axis = 1 : i64, last} : tensor<3x3xf32> -> tensor<3x1xi64>

  // CHECK-NEXT: output4: i64[1x3] = [1, 1, 1]
  %r4 = fuse.arg_max %x {axis = 0 : i64} : tensor<3x3xf32> -> tensor<1x3xi64>

  // CHECK-NEXT: output5: i64[1] = [1]
  %r5 = fuse.arg_max %u {axis = 0 : i64} : tensor<3xui64> -> tensor<1xi64>

  // CHECK-NEXT: output6: i64[1] = [0]
  %r6 = fuse.arg_min %u {axis = 0 : i64} : tensor<3xui64> -> tensor<1xi64>

  // CHECK-NEXT: output7: i64[1] = [2]
  %r7 = fuse.arg_min %i {axis = 0 : i64} : tensor<3xi8> -> tensor<1xi64>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7 : tensor<3x1xi64>, tensor<3x1xi64>, tensor<3x1xi64>, tensor<3x1xi64>, tensor<1x3xi64>,
    tensor<1xi64>, tensor<1xi64>, tensor<1xi64>
}
