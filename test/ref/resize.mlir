// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Each coordinate transformation, rounding and kernel, by hand.
func.func @main() -> (tensor<8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<8xf32>,
    tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<4xf32>, tensor<1xf32>, tensor<7xf32>,
    tensor<2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1x1xf32>, tensor<2xf32>, tensor<8xi32>, tensor<2xui8>, tensor<8xi8>) {
  %x = fuse.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %i = fuse.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %m = fuse.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>

  // CHECK: output0: f32[8] = [1, 1, 2, 2, 3, 3, 4, 4]
  %r0 = fuse.resize nearest %x asymmetric lengths = [8.0] {rounding = #fuse<nearest_rounding floor>} : tensor<4xf32> -> tensor<8xf32>

  // Coordinates 1/2 and 5/2.
  // CHECK-NEXT: output1: i32[2] = [1, 3]
  %r1 = fuse.resize nearest %i half_pixel lengths = [2.0] : tensor<4xi32> -> tensor<2xi32>
  // CHECK-NEXT: output2: i32[2] = [2, 4]
  %r2 = fuse.resize nearest %i half_pixel lengths = [2.0] {rounding = #fuse<nearest_rounding round_prefer_ceil>} : tensor<4xi32> -> tensor<2xi32>
  // CHECK-NEXT: output3: i32[2] = [1, 3]
  %r3 = fuse.resize nearest %i half_pixel lengths = [2.0] {rounding = #fuse<nearest_rounding floor>} : tensor<4xi32> -> tensor<2xi32>
  // Coordinates 1 and 3.
  // CHECK-NEXT: output4: i32[2] = [2, 4]
  %r4 = fuse.resize nearest %i tf_half_pixel_for_nn lengths = [2.0] {rounding = #fuse<nearest_rounding ceil>} : tensor<4xi32> -> tensor<2xi32>

  // CHECK-NEXT: output5: f32[8] = [1, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4]
  %r5 = fuse.resize linear %x half_pixel lengths = [8.0] : tensor<4xf32> -> tensor<8xf32>

  // Weights 1/4, 3/4, 3/4, 1/4 around 1/2 and 5/2; without what is outside, 7/4 is left.
  // CHECK-NEXT: output6: f32[2] = [1.625, 3.375]
  %r6 = fuse.resize linear %x half_pixel lengths = [2.0] {antialias} : tensor<4xf32> -> tensor<2xf32>
  // CHECK-NEXT: output7: f32[2] = [1.71428573, 3.28571439]
  %r7 = fuse.resize linear %x half_pixel lengths = [2.0] {antialias, exclude_outside} : tensor<4xf32> -> tensor<2xf32>

  // Weights -3/32, 19/32, 19/32, -3/32; with A = -1/2: -1/16, 9/16, 9/16, -1/16.
  // CHECK-NEXT: output8: f32[2] = [1.40625, 3.59375]
  %r8 = fuse.resize cubic %x half_pixel lengths = [2.0] : tensor<4xf32> -> tensor<2xf32>
  // CHECK-NEXT: output9: f32[2] = [1.4375, 3.5625]
  %r9 = fuse.resize cubic %x half_pixel lengths = [2.0] {cubic_a = -0.5 : f64} : tensor<4xf32> -> tensor<2xf32>

  // Coordinates 3/2, 5/2, 7/2, 9/2; the last two lie outside.
  // CHECK-NEXT: output10: f32[4] = [2.5, 3.5, -1, -1]
  %r10 = fuse.resize linear %x tf_crop_and_resize lengths = [4.0] {roi = array<f64: 0.5, 1.5>, extrapolation = -1.0 : f64} : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: output11: f32[1] = [2.5]
  %r11 = fuse.resize linear %x tf_crop_and_resize lengths = [1.0] {roi = array<f64: 0.25, 0.75>} : tensor<4xf32> -> tensor<1xf32>

  // CHECK-NEXT: output12: f32[7] = [1, 1.5, 2, 2.5, 3, 3.5, 4]
  %r12 = fuse.resize linear %x align_corners lengths = [7.0] : tensor<4xf32> -> tensor<7xf32>
  // A length of 5/2, of which the 2 positions count: 3 elements over one step.
  // CHECK-NEXT: output13: f32[2] = [1, 4]
  %r13 = fuse.resize linear %x align_corners lengths = [2.5] : tensor<4xf32> -> tensor<2xf32>

  // The same coordinate as half_pixel, 3/2, but for one position.
  // CHECK-NEXT: output14: f32[1] = [1]
  %r14 = fuse.resize linear %x pytorch_half_pixel lengths = [1.0] : tensor<4xf32> -> tensor<1xf32>
  // CHECK-NEXT: output15: f32[1] = [2.5]
  %r15 = fuse.resize linear %x half_pixel lengths = [1.0] : tensor<4xf32> -> tensor<1xf32>

  // CHECK-NEXT: output16: f32[1x1] = [2.5]
  %r16 = fuse.resize linear %m half_pixel lengths = [1.0, 1.0] : tensor<2x2xf32> -> tensor<1x1xf32>

  // Coordinates 3/4 and 9/4.
  // CHECK-NEXT: output17: f32[2] = [1.75, 3.25]
  %r17 = fuse.resize linear %x half_pixel_symmetric lengths = [2.6666666666666665] : tensor<4xf32> -> tensor<2xf32>

  // 10, 5, -5, -15/2, -5/2, 3/4, 9/4, 3; 13/8 and 27/8; and what goes 9 and 27
  // beyond the ends of a type.
  %d = fuse.constant dense<[10, -10, 0, 3]> : tensor<4xi32>
  %u = fuse.constant dense<[1, 2, 3, 4]> : tensor<4xui8>
  %s = fuse.constant dense<[127, 127, -128, -128]> : tensor<4xi8>
  // CHECK-NEXT: output18: i32[8] = [10, 5, -5, -7, -2, 0, 2, 3]
  %r18 = fuse.resize linear %d half_pixel lengths = [8.0] : tensor<4xi32> -> tensor<8xi32>
  // CHECK-NEXT: output19: u8[2] = [2, 3]
  %r19 = fuse.resize linear %u half_pixel lengths = [2.0] {antialias} : tensor<4xui8> -> tensor<2xui8>
  // CHECK-NEXT: output20: i8[8] = [127, 127, 127, 69, -70, -128, -128, -128]
  %r20 = fuse.resize cubic %s half_pixel lengths = [8.0] : tensor<4xi8> -> tensor<8xi8>

  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20 : tensor<8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<8xf32>,
    tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<4xf32>, tensor<1xf32>, tensor<7xf32>,
    tensor<2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1x1xf32>, tensor<2xf32>,
    tensor<8xi32>, tensor<2xui8>, tensor<8xi8>
}
