// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Comparison (only `ne` holds for NaN), selection and logic.
func.func @main() -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>,
    tensor<4xi1>, tensor<4xi1>, tensor<4xi1>,
    tensor<4xi1>, tensor<4xi1>, tensor<4xi1>,
    tensor<4xf32>, tensor<4xi32>, tensor<4xi1>,
    tensor<4xi1>, tensor<4xi1>, tensor<4xi1>,
    tensor<4xi32>, tensor<4xi32>, tensor<4xui8>) {
  %a = fuse.constant dense<[1.0, 0x7FC00000, -0.0, 3.0]> : tensor<4xf32>
  %b = fuse.constant dense<[2.0, 0x7FC00000, 0.0, 3.0]> : tensor<4xf32>
  %c = fuse.constant dense<[true, false, true, false]> : tensor<4xi1>
  %d = fuse.constant dense<[true, true, false, false]> : tensor<4xi1>
  %i = fuse.constant dense<[-5, 3, 7, 12]> : tensor<4xi32>
  %j = fuse.constant dense<[-5, 4, 6, 10]> : tensor<4xi32>
  %p = fuse.constant dense<[200, 3, 7, 12]> : tensor<4xui8>
  %q = fuse.constant dense<[100, 4, 6, 10]> : tensor<4xui8>

  // CHECK: output0: bool[4] = [false, false, true, true]
  %r0 = fuse.cmp eq %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>

  // CHECK-NEXT: output1: bool[4] = [true, true, false, false]
  %r1 = fuse.cmp ne %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>

  // CHECK-NEXT: output2: bool[4] = [true, false, false, false]
  %r2 = fuse.cmp lt %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>

  // CHECK-NEXT: output3: bool[4] = [true, false, true, true]
  %r3 = fuse.cmp le %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>

  // CHECK-NEXT: output4: bool[4] = [false, false, false, false]
  %r4 = fuse.cmp gt %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>

  // CHECK-NEXT: output5: bool[4] = [false, false, true, true]
  %r5 = fuse.cmp ge %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>

  // CHECK-NEXT: output6: bool[4] = [false, true, false, false]
  %r6 = fuse.cmp lt %i, %j : tensor<4xi32>, tensor<4xi32> -> tensor<4xi1>

  // CHECK-NEXT: output7: bool[4] = [true, false, true, true]
  %r7 = fuse.cmp gt %p, %q : tensor<4xui8>, tensor<4xui8> -> tensor<4xi1>

  // CHECK-NEXT: output8: bool[4] = [false, false, true, false]
  %r8 = fuse.cmp gt %c, %d : tensor<4xi1>, tensor<4xi1> -> tensor<4xi1>

  // CHECK-NEXT: output9: f32[4] = [1, nan, -0, 3]
  %r9 = fuse.select %c, %a, %b : tensor<4xi1>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>

  // CHECK-NEXT: output10: i32[4] = [-5, 4, 7, 10]
  %r10 = fuse.select %c, %i, %j : tensor<4xi1>, tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>

  // CHECK-NEXT: output11: bool[4] = [true, false, false, false]
  %r11 = fuse.and %c, %d : tensor<4xi1>

  // CHECK-NEXT: output12: bool[4] = [true, true, true, false]
  %r12 = fuse.or %c, %d : tensor<4xi1>

  // CHECK-NEXT: output13: bool[4] = [false, true, true, false]
  %r13 = fuse.xor %c, %d : tensor<4xi1>

  // CHECK-NEXT: output14: bool[4] = [false, true, false, true]
  %r14 = fuse.not %c : tensor<4xi1>

  // CHECK-NEXT: output15: i32[4] = [4, -4, -8, -13]
  %r15 = fuse.not %i : tensor<4xi32>

  // CHECK-NEXT: output16: i32[4] = [-5, 0, 6, 8]
  %r16 = fuse.and %i, %j : tensor<4xi32>

  // CHECK-NEXT: output17: u8[4] = [172, 7, 1, 6]
  %r17 = fuse.xor %p, %q : tensor<4xui8>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7,
    %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15,
    %r16, %r17
    : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>,
    tensor<4xi1>, tensor<4xi1>, tensor<4xi1>,
    tensor<4xi1>, tensor<4xi1>, tensor<4xi1>,
    tensor<4xf32>, tensor<4xi32>, tensor<4xi1>,
    tensor<4xi1>, tensor<4xi1>, tensor<4xi1>,
    tensor<4xi32>, tensor<4xi32>, tensor<4xui8>
}
