// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Attention with heads that share keys, masks and caps; rotations; losses.
func.func @main() -> (tensor<1x2x1x1xf32>, tensor<1x2x1x2xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>,
    tensor<1x2x1x2xf32>, tensor<1x1x1x5xf32>, tensor<1x1x1x5xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>) {
  %q = fuse.constant dense<[[[[0.0]], [[1.0]]]]> : tensor<1x2x1x1xf32>
  %k = fuse.constant dense<[[[[0.0], [2.0]]]]> : tensor<1x1x2x1xf32>
  %v = fuse.constant dense<[[[[10.0], [20.0]]]]> : tensor<1x1x2x1xf32>
  %first = fuse.constant dense<[[[[true, false]]]]> : tensor<1x1x1x2xi1>
  %none = fuse.constant dense<[[[[0xFF800000, 0xFF800000]]]]> : tensor<1x1x1x2xf32>
  %x = fuse.constant dense<[[[[1.0, 2.0, 3.0, 4.0, 5.0]]]]> : tensor<1x1x1x5xf32>
  %cos = fuse.constant dense<[[[0.0, 1.0]]]> : tensor<1x1x2xf32>
  %sin = fuse.constant dense<[[[1.0, 0.0]]]> : tensor<1x1x2xf32>
  %p = fuse.constant dense<[[-1.0, -2.0, -4.0], [-0.5, -0.25, -0.125]]> : tensor<2x3xf32>
  %t = fuse.constant dense<[2, 0]> : tensor<2xi64>
  %w = fuse.constant dense<[1.0, 1.0, 3.0]> : tensor<3xf32>

  // The first head's scores are equal, the second's ln 3 apart.
  // CHECK: output0: f32[1x2x1x1] = [15, 17.5]
  // CHECK-NEXT: output1: f32[1x2x1x2] = [0.5, 0.5, 0.25, 0.75]
  %r0, %r1 = fuse.attention %q, %k, %v {scale = 0.54930614433405489 : f64, softcap = 0.0 : f64, stage = #fuse<attention_stage softmax>}
    : (tensor<1x2x1x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2x1x2xf32>)

  // CHECK-NEXT: output2: f32[1x2x1x1] = [10, 10]
  %r2 = fuse.attention %q, %k, %v allowed %first {scale = 1.0 : f64, softcap = 0.0 : f64}
    : (tensor<1x2x1x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x1x2xi1>) -> tensor<1x2x1x1xf32>

  // No key is left: zeros, not NaN. A cap of 1 keeps scores below tanh 2.
  // CHECK-NEXT: output3: f32[1x2x1x1] = [0, 0]
  // CHECK-NEXT: output4: f32[1x2x1x2] = [0, 0, 0, 0.964027584]
  %r3, %r4 = fuse.attention %q, %k, %v bias %none {scale = 1.0 : f64, softcap = 1.0 : f64, stage = #fuse<attention_stage capped>}
    : (tensor<1x2x1x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x1x2xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2x1x2xf32>)

  // (1, 3) turned by a right angle, (2, 4) and 5 left alone.
  // CHECK-NEXT: output5: f32[1x1x1x5] = [-3, 2, 1, 4, 5]
  %r5 = fuse.rotary_embedding %x, %cos, %sin : (tensor<1x1x1x5xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> tensor<1x1x1x5xf32>

  // (1, 2) turned, (3, 4) not.
  // CHECK-NEXT: output6: f32[1x1x1x5] = [-2, 1, 3, 4, 5]
  %r6 = fuse.rotary_embedding %x, %cos, %sin {interleaved} : (tensor<1x1x1x5xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> tensor<1x1x1x5xf32>

  // CHECK-NEXT: output7: f32[2] = [12, 0.5]
  %r7 = fuse.nll_loss none %p, %t, %w : (tensor<2x3xf32>, tensor<2xi64>, tensor<3xf32>) -> tensor<2xf32>

  // CHECK-NEXT: output8: f32[] = [3.125]
  %r8 = fuse.nll_loss mean %p, %t, %w : (tensor<2x3xf32>, tensor<2xi64>, tensor<3xf32>) -> tensor<f32>

  // CHECK-NEXT: output9: f32[] = [0.5]
  %r9 = fuse.nll_loss sum %p, %t {ignore_index = 2 : i64} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<f32>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9 : tensor<1x2x1x1xf32>, tensor<1x2x1x2xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>,
    tensor<1x2x1x2xf32>, tensor<1x1x1x5xf32>, tensor<1x1x1x5xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>
}
