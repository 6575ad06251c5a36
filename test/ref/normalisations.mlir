// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Softmax and the norms. A row that holds NaN, or is -inf throughout, is NaN;
// large arguments do not overflow.
func.func @main() -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
    tensor<4x2xf32>, tensor<2x0xf32>, tensor<2x3xf32>,
    tensor<1x2xf32>, tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %x = fuse.constant dense<[[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]> : tensor<2x3xf32>
  %n = fuse.constant dense<[[1.0, 0x7FC00000], [0xFF800000, 0xFF800000], [0xFF800000, 5.0], [10000.0, 10000.0]]> : tensor<4x2xf32>
  %z = fuse.constant dense<[[], []]> : tensor<2x0xf32>
  %r = fuse.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = fuse.constant dense<[[1.0, 2.0, 3.0, 6.0], [-1.0, -1.0, 1.0, 1.0]]> : tensor<2x4xf32>
  %scale = fuse.constant dense<[1.0, 2.0, 0.5, 1.0]> : tensor<4xf32>
  %bias = fuse.constant dense<[0.0, 1.0, 0.0, -1.0]> : tensor<4xf32>
  %t = fuse.constant dense<[[1.0, 3.0]]> : tensor<1x2xf32>
  %s2 = fuse.constant dense<[2.0, -1.0]> : tensor<2xf32>
  %b2 = fuse.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %m2 = fuse.constant dense<[0.5, 0.0]> : tensor<2xf32>
  %v2 = fuse.constant dense<[0.25, 4.0]> : tensor<2xf32>

  // CHECK: output0: f32[2x3] = [0.0900305733, 0.244728476, 0.665240943, 0.333333343, 0.333333343, 0.333333343]
  %r0 = fuse.softmax %x {axis = 1 : i64} : tensor<2x3xf32>

  // CHECK-NEXT: output1: f32[2x3] = [0.0900305733, 0.244728476, 0.665240943, 0.333333343, 0.333333343, 0.333333343]
  %r1 = fuse.softmax %x {axis = -1 : i64} : tensor<2x3xf32>

  // CHECK-NEXT: output2: f32[2x3] = [0.731058598, 0.880797088, 0.952574134, 0.268941432, 0.119202919, 0.0474258736]
  %r2 = fuse.softmax %x {axis = 0 : i64} : tensor<2x3xf32>

  // CHECK-NEXT: output3: f32[4x2] = [nan, nan, nan, nan, 0, 1, 0.5, 0.5]
  %r3 = fuse.softmax %n {axis = 1 : i64} : tensor<4x2xf32>

  // CHECK-NEXT: output4: f32[2x0] = []
  %r4 = fuse.softmax %z {axis = 1 : i64} : tensor<2x0xf32>

  // CHECK-NEXT: output5: f32[2x3] = [-2.40760589, -1.40760601, -0.407605976, -1.09861231, -1.09861231, -1.09861231]
  %r5 = fuse.log_softmax %x {axis = 1 : i64} : tensor<2x3xf32>

  // CHECK-NEXT: output6: f32[1x2] = [2.96116138, -1.49812853]
  %r6 = fuse.batch_norm %t, %s2, %b2, %m2, %v2 {epsilon = 0.01 : f64}
    : (tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2xf32>

  // CHECK-NEXT: output7: f32[2x4] = [-1.0690434, -0.0690434426, 0, 0.603565156, -0.999994993, -0.999989986, 0.499997497, -4.99996258e-06]
  %r7 = fuse.layer_norm %y, %scale, %bias {axis = 1 : i64, epsilon = 1.0e-5 : f64, resultSegmentSizes = array<i32: 1, 0, 0>}
    : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>

  %ln:3 = fuse.layer_norm %y, %scale {axis = 1 : i64, epsilon = 1.0e-5 : f64, resultSegmentSizes = array<i32: 1, 1, 1>}
    : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x1xf32>)

  // CHECK-NEXT: output8: f32[2x1] = [3, 0]
  // CHECK-NEXT: output9: f32[2x1] = [0.534521699, 0.999994993]
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %ln#1, %ln#2
    : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
    tensor<4x2xf32>, tensor<2x0xf32>, tensor<2x3xf32>,
    tensor<1x2xf32>, tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}
