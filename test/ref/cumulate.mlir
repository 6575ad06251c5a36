// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Sums and products along a row, from either end; narrow integers wrap.
func.func @main() -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi8>) {
  %a = fuse.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = fuse.constant dense<[[100, 30, 3], [-1, 5, 60]]> : tensor<2x3xi8>

  // CHECK: output0: f32[2x3] = [1, 3, 6, 4, 9, 15]
  %0 = fuse.cumulate sum %a axis = 1 : tensor<2x3xf32>
  // CHECK-NEXT: output1: f32[2x3] = [0, 0, 0, 1, 2, 3]
  %1 = fuse.cumulate sum %a axis = 0 exclusive : tensor<2x3xf32>
  // CHECK-NEXT: output2: f32[2x3] = [6, 6, 3, 120, 30, 6]
  %2 = fuse.cumulate prod %a axis = 1 reverse : tensor<2x3xf32>
  // CHECK-NEXT: output3: f32[2x3] = [6, 3, 1, 30, 6, 1]
  %3 = fuse.cumulate prod %a axis = 1 exclusive reverse : tensor<2x3xf32>
  // CHECK-NEXT: output4: i8[2x3] = [100, -126, -123, -1, 4, 64]
  %4 = fuse.cumulate sum %b axis = 1 : tensor<2x3xi8>
  return %0, %1, %2, %3, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi8>
}
