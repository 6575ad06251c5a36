// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Elementwise primitives on floats, NaN and infinities included. Expected
// values: Python's math, rounded to f32.
func.func @main() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<5xf32>, tensor<5xf32>,
    tensor<5xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<3xf32>,
    tensor<4xf32>, tensor<3xf32>, tensor<3xf32>,
    tensor<4xf32>, tensor<3xf32>, tensor<3xf32>,
    tensor<3xf32>, tensor<3xf32>, tensor<3xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %x = fuse.constant dense<[-1.5, 0.0, 0.5, 2.0]> : tensor<4xf32>
  %y = fuse.constant dense<[0.25, 0.5, 1.0]> : tensor<3xf32>
  %z = fuse.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %h = fuse.constant dense<[-2.5, -0.5, 0.5, 1.5, 2.5]> : tensor<5xf32>
  %s = fuse.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0]> : tensor<4xf32>
  %a = fuse.constant dense<[1.0, 0x7FC00000, 0x7F800000, -7.0]> : tensor<4xf32>
  %b = fuse.constant dense<[2.0, 1.0, 0x7F800000, 3.0]> : tensor<4xf32>

  // CHECK: output0: f32[4] = [1.5, 0, 0.5, 2]
  %r0 = fuse.abs %x : tensor<4xf32>

  // CHECK-NEXT: output1: f32[4] = [1.5, -0, -0.5, -2]
  %r1 = fuse.neg %x : tensor<4xf32>

  // CHECK-NEXT: output2: f32[4] = [-1, 0, 1, 1]
  %r2 = fuse.sign %x : tensor<4xf32>

  // CHECK-NEXT: output3: f32[4] = [nan, 1, -1, -0]
  %r3 = fuse.sign %s : tensor<4xf32>

  // CHECK-NEXT: output4: f32[5] = [-2, -0, 1, 2, 3]
  %r4 = fuse.ceil %h : tensor<5xf32>

  // CHECK-NEXT: output5: f32[5] = [-3, -1, 0, 1, 2]
  %r5 = fuse.floor %h : tensor<5xf32>

  // CHECK-NEXT: output6: f32[5] = [-2, -0, 0, 2, 2]
  %r6 = fuse.round %h : tensor<5xf32>

  // CHECK-NEXT: output7: f32[4] = [0.223130167, 1, 1.64872122, 7.38905621]
  %r7 = fuse.exp %x : tensor<4xf32>

  // CHECK-NEXT: output8: f32[4] = [nan, inf, 0, 1]
  %r8 = fuse.exp %s : tensor<4xf32>

  // CHECK-NEXT: output9: f32[4] = [-0.776869833, 0, 0.648721278, 6.38905621]
  %r9 = fuse.expm1 %x : tensor<4xf32>

  // CHECK-NEXT: output10: f32[4] = [-0.966105163, 0, 0.520499885, 0.995322287]
  %r10 = fuse.erf %x : tensor<4xf32>

  // CHECK-NEXT: output11: f32[4] = [-0.905148268, 0, 0.462117165, 0.964027584]
  %r11 = fuse.tanh %x : tensor<4xf32>

  // CHECK-NEXT: output12: f32[4] = [nan, 1, -1, -0]
  %r12 = fuse.tanh %s : tensor<4xf32>

  // CHECK-NEXT: output13: f32[4] = [-0.997494996, 0, 0.47942555, 0.909297407]
  %r13 = fuse.sin %x : tensor<4xf32>

  // CHECK-NEXT: output14: f32[4] = [0.070737198, 1, 0.87758255, -0.416146845]
  %r14 = fuse.cos %x : tensor<4xf32>

  // CHECK-NEXT: output15: f32[4] = [-14.1014204, 0, 0.546302497, -2.18503976]
  %r15 = fuse.tan %x : tensor<4xf32>

  // CHECK-NEXT: output16: f32[4] = [-0.982793748, 0, 0.463647604, 1.10714877]
  %r16 = fuse.atan %x : tensor<4xf32>

  // CHECK-NEXT: output17: f32[4] = [-1.19476318, 0, 0.481211811, 1.44363546]
  %r17 = fuse.asinh %x : tensor<4xf32>

  // CHECK-NEXT: output18: f32[4] = [-2.12927938, 0, 0.521095276, 3.62686038]
  %r18 = fuse.sinh %x : tensor<4xf32>

  // CHECK-NEXT: output19: f32[4] = [2.3524096, 1, 1.12762594, 3.76219559]
  %r19 = fuse.cosh %x : tensor<4xf32>

  // CHECK-NEXT: output20: f32[3] = [-1.38629436, -0.693147182, 0]
  %r20 = fuse.log %y : tensor<3xf32>

  // CHECK-NEXT: output21: f32[4] = [nan, inf, nan, -inf]
  %r21 = fuse.log %s : tensor<4xf32>

  // CHECK-NEXT: output22: f32[3] = [0.223143548, 0.405465096, 0.693147182]
  %r22 = fuse.log1p %y : tensor<3xf32>

  // CHECK-NEXT: output23: f32[3] = [0.5, 0.707106769, 1]
  %r23 = fuse.sqrt %y : tensor<3xf32>

  // CHECK-NEXT: output24: f32[4] = [nan, 0, 0.707106769, 1.41421354]
  %r24 = fuse.sqrt %x : tensor<4xf32>

  // CHECK-NEXT: output25: f32[3] = [2, 1.41421354, 1]
  %r25 = fuse.rsqrt %y : tensor<3xf32>

  // CHECK-NEXT: output26: f32[3] = [1.31811607, 1.04719758, 0]
  %r26 = fuse.acos %y : tensor<3xf32>

  // CHECK-NEXT: output27: f32[3] = [0.252680242, 0.52359879, 1.57079637]
  %r27 = fuse.asin %y : tensor<3xf32>

  // CHECK-NEXT: output28: f32[3] = [0.255412817, 0.549306154, inf]
  %r28 = fuse.atanh %y : tensor<3xf32>

  // CHECK-NEXT: output29: f32[3] = [0, 1.31695795, 2.06343699]
  %r29 = fuse.acosh %z : tensor<3xf32>

  // CHECK-NEXT: output30: f32[4] = [3, nan, inf, -4]
  %r30 = fuse.add %a, %b : tensor<4xf32>

  // CHECK-NEXT: output31: f32[4] = [-1, nan, nan, -10]
  %r31 = fuse.sub %a, %b : tensor<4xf32>

  // CHECK-NEXT: output32: f32[4] = [2, nan, inf, -21]
  %r32 = fuse.mul %a, %b : tensor<4xf32>

  // CHECK-NEXT: output33: f32[4] = [0.5, nan, nan, -2.33333325]
  %r33 = fuse.div %a, %b : tensor<4xf32>

  // CHECK-NEXT: output34: f32[4] = [1, nan, inf, -343]
  %r34 = fuse.pow %a, %b : tensor<4xf32>

  // CHECK-NEXT: output35: f32[4] = [1, nan, nan, 2]
  %r35 = fuse.mod %a, %b : tensor<4xf32>

  // CHECK-NEXT: output36: f32[4] = [1, nan, nan, -1]
  %r36 = fuse.fmod %a, %b : tensor<4xf32>

  // CHECK-NEXT: output37: f32[4] = [2, nan, inf, 3]
  %r37 = fuse.maximum %a, %b : tensor<4xf32>

  // CHECK-NEXT: output38: f32[4] = [1, nan, inf, -7]
  %r38 = fuse.minimum %a, %b : tensor<4xf32>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7,
    %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15,
    %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23,
    %r24, %r25, %r26, %r27, %r28, %r29, %r30, %r31,
    %r32, %r33, %r34, %r35, %r36, %r37, %r38
    : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<5xf32>, tensor<5xf32>,
    tensor<5xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<3xf32>,
    tensor<4xf32>, tensor<3xf32>, tensor<3xf32>,
    tensor<4xf32>, tensor<3xf32>, tensor<3xf32>,
    tensor<3xf32>, tensor<3xf32>, tensor<3xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
