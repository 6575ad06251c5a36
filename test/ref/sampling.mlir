// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Samples in the middle of an image and on two of its corners; regions.
func.func @main() -> (tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>,
    tensor<1x1x1x3xf32>, tensor<1x1x1x1xf32>, tensor<2x1x1x1xf32>, tensor<2x1x1x1xf32>, tensor<2x1x1x1xf32>) {
  %x = fuse.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  // x, y in [-1, 1]
  %g = fuse.constant dense<[[[[0.0, 0.0], [-1.0, -1.0], [1.0, -1.0]]]]> : tensor<1x1x3x2xf32>
  %c = fuse.constant dense<[[[[0.0, 0.0]]]]> : tensor<1x1x1x2xf32>
  %r = fuse.constant dense<[[0.0, 0.0, 1.0, 1.0], [8.0, 0.0, 9.0, 1.0]]> : tensor<2x4xf32>
  %n = fuse.constant dense<[0, 0]> : tensor<2xi64>

  // Coordinates 1/2, 1/2 and -1/2, -1/2 and 3/2, -1/2.
  // CHECK: output0: f32[1x1x1x3] = [2.5, 0.25, 0.5]
  %0 = fuse.grid_sample linear %x, %g zeros : (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x1x3xf32>
  // CHECK-NEXT: output1: f32[1x1x1x3] = [2.5, 1, 2]
  %1 = fuse.grid_sample linear %x, %g border : (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x1x3xf32>
  // CHECK-NEXT: output2: f32[1x1x1x3] = [2.5, 1, 2]
  %2 = fuse.grid_sample linear %x, %g reflection : (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x1x3xf32>
  // CHECK-NEXT: output3: f32[1x1x1x3] = [2.5, 1, 2]
  %3 = fuse.grid_sample linear %x, %g zeros {align_corners} : (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x1x3xf32>
  // Halves go to even numbers.
  // CHECK-NEXT: output4: f32[1x1x1x3] = [1, 1, 0]
  %4 = fuse.grid_sample nearest %x, %g zeros : (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x1x3xf32>
  // 10 (19/32)^2
  // CHECK-NEXT: output5: f32[1x1x1x1] = [3.52539062]
  %5 = fuse.grid_sample cubic %x, %c zeros : (tensor<1x1x2x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x1x1x1xf32>

  // One point in the middle of the first region; the second lies outside.
  // CHECK-NEXT: output6: f32[2x1x1x1] = [2.5, 0]
  %6 = fuse.roi_align %x, %r, %n {points = 1 : i64, scale = 1.0 : f64} : (tensor<1x1x2x2xf32>, tensor<2x4xf32>, tensor<2xi64>) -> tensor<2x1x1x1xf32>
  // CHECK-NEXT: output7: f32[2x1x1x1] = [1, 0]
  %7 = fuse.roi_align %x, %r, %n {points = 1 : i64, scale = 1.0 : f64, maximum} : (tensor<1x1x2x2xf32>, tensor<2x4xf32>, tensor<2xi64>) -> tensor<2x1x1x1xf32>
  // Twice the size, from -1/2 on: points at 0 and 1.
  // CHECK-NEXT: output8: f32[2x1x1x1] = [2.5, 0]
  %8 = fuse.roi_align %x, %r, %n {points = 2 : i64, scale = 2.0 : f64, half_pixel} : (tensor<1x1x2x2xf32>, tensor<2x4xf32>, tensor<2xi64>) -> tensor<2x1x1x1xf32>

  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>,
    tensor<1x1x1x3xf32>, tensor<1x1x1x1xf32>, tensor<2x1x1x1xf32>, tensor<2x1x1x1xf32>, tensor<2x1x1x1xf32>
}
