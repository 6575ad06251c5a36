// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Activations by their formulas; expected values from Python's math, rounded
// to f32. The second constant checks NaN, infinities and large arguments.
func.func @main() -> (tensor<4xf32>, tensor<5xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<5xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<5xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<5xf32>, tensor<3xi32>,
    tensor<3xi32>) {
  %x = fuse.constant dense<[-1.5, 0.0, 0.5, 2.0]> : tensor<4xf32>
  %s = fuse.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 100.0, -100.0]> : tensor<5xf32>
  %slope = fuse.constant dense<[0.5, 0.5, 9.0, 9.0]> : tensor<4xf32>
  %low = fuse.constant dense<-1.0> : tensor<f32>
  %high = fuse.constant dense<1.0> : tensor<f32>
  %i = fuse.constant dense<[-3, 0, 9]> : tensor<3xi32>
  %four = fuse.constant dense<4> : tensor<i32>

  // CHECK: output0: f32[4] = [0, 0, 0.5, 2]
  %r0 = fuse.relu %x : tensor<4xf32>

  // CHECK-NEXT: output1: f32[5] = [nan, inf, 0, 100, 0]
  %r1 = fuse.relu %s : tensor<5xf32>

  // CHECK-NEXT: output2: f32[4] = [-0.150000006, 0, 0.5, 2]
  %r2 = fuse.leaky_relu %x {alpha = 0.1} : tensor<4xf32>

  // CHECK-NEXT: output3: f32[4] = [-0.388434917, 0, 0.5, 2]
  %r3 = fuse.elu %x {alpha = 0.5} : tensor<4xf32>

  // CHECK-NEXT: output4: f32[4] = [-1.36224127, 0, 0.524999976, 2.0999999]
  %r4 = fuse.selu %x {alpha = 1.67, gamma = 1.05} : tensor<4xf32>

  // CHECK-NEXT: output5: f32[4] = [-1.05526686, 0, 0.5, 2]
  %r5 = fuse.celu %x {alpha = 2.0} : tensor<4xf32>

  // CHECK-NEXT: output6: f32[4] = [0.182425529, 0.5, 0.622459352, 0.880797088]
  %r6 = fuse.sigmoid %x : tensor<4xf32>

  // CHECK-NEXT: output7: f32[5] = [nan, 1, 0, 1, 3.78350585e-44]
  %r7 = fuse.sigmoid %s : tensor<5xf32>

  // CHECK-NEXT: output8: f32[4] = [0.200000003, 0.5, 0.600000024, 0.899999976]
  %r8 = fuse.hard_sigmoid %x {alpha = 0.2, beta = 0.5} : tensor<4xf32>

  // CHECK-NEXT: output9: f32[4] = [-0.375, 0, 0.291666657, 1.66666663]
  %r9 = fuse.hard_swish %x : tensor<4xf32>

  // CHECK-NEXT: output10: f32[4] = [-0.273638278, 0, 0.311229676, 1.76159418]
  %r10 = fuse.swish %x : tensor<4xf32>

  // CHECK-NEXT: output11: f32[4] = [-0.0711388066, 0, 0.365529299, 1.96402752]
  %r11 = fuse.swish %x {alpha = 2.0} : tensor<4xf32>

  // CHECK-NEXT: output12: f32[4] = [-0.298099756, 0, 0.375245214, 1.943959]
  %r12 = fuse.mish %x : tensor<4xf32>

  // CHECK-NEXT: output13: f32[4] = [0.201413274, 0.693147182, 0.974076986, 2.12692809]
  %r13 = fuse.softplus %x : tensor<4xf32>

  // CHECK-NEXT: output14: f32[5] = [nan, inf, 0, 100, 3.78350585e-44]
  %r14 = fuse.softplus %s : tensor<5xf32>

  // CHECK-NEXT: output15: f32[4] = [-0.600000024, 0, 0.333333343, 0.666666687]
  %r15 = fuse.softsign %x : tensor<4xf32>

  // CHECK-NEXT: output16: f32[4] = [0, 0, 0, 2]
  %r16 = fuse.thresholded_relu %x {alpha = 1.0} : tensor<4xf32>

  // CHECK-NEXT: output17: f32[4] = [-0.666666687, inf, 2, 0.5]
  %r17 = fuse.reciprocal %x : tensor<4xf32>

  // CHECK-NEXT: output18: f32[4] = [-0.100210801, 0, 0.345731229, 1.95449972]
  %r18 = fuse.gelu %x : tensor<4xf32>

  // CHECK-NEXT: output19: f32[4] = [-0.100428425, 0, 0.345714003, 1.95459771]
  %r19 = fuse.gelu %x {tanh} : tensor<4xf32>

  // CHECK-NEXT: output20: f32[4] = [-0.75, 0, 0.5, 2]
  %r20 = fuse.prelu %x, %slope : tensor<4xf32>

  // CHECK-NEXT: output21: f32[4] = [-1, 0, 0.5, 1]
  %r21 = fuse.clip %x low %low : tensor<f32> high %high : tensor<f32> : tensor<4xf32>

  // CHECK-NEXT: output22: f32[5] = [nan, 1, -inf, 1, -100]
  %r22 = fuse.clip %s high %high : tensor<f32> : tensor<5xf32>

  // CHECK-NEXT: output23: i32[3] = [-3, 0, 4]
  %r23 = fuse.clip %i high %four : tensor<i32> : tensor<3xi32>

  // CHECK-NEXT: output24: i32[3] = [0, 0, 9]
  %r24 = fuse.relu %i : tensor<3xi32>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7,
    %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15,
    %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23,
    %r24
    : tensor<4xf32>, tensor<5xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<5xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<5xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<5xf32>, tensor<3xi32>,
    tensor<3xi32>
}
