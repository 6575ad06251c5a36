// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Pooled regions. The image is 0 1 2 / 3 4 5 / 6 7 8.

// One point at (1, 1); four, at 0.5 and 1.5; no size, no point; (-3, 1) and
// (-2, 1), which count as 0, (-1, 1) and (0, 1); image 9 is the last.
// CHECK: mean: f32[5x1x1x1] = [4, 4, 0, 1.5, -4]
// The largest weighted element of these points.
// CHECK-NEXT: most: f32[5x1x1x1] = [4, 2, 0, 3, -0]
// Half a pixel on: one point at (1.5, 1.5); four; one, as the size is 1 at least;
// four from (-2.5, 1.5) to (0.5, 1.5).
// CHECK-NEXT: least: f32[5x1x1x1] = [6, 6, 6, 2.375, -6]
// All; a row; one column, as 0.5 is rounded away from 0; outside; no numbers.
// CHECK-NEXT: pool: f32[5x1x1x2] = [7, 8, 4, 5, 4, 4, 0, 0, 0, 0]
func.func @main() -> (tensor<5x1x1x1xf32> {fuse.name = "mean"}, tensor<5x1x1x1xf32> {fuse.name = "most"},
    tensor<5x1x1x1xf32> {fuse.name = "least"}, tensor<5x1x1x2xf32> {fuse.name = "pool"}) {
  %x = fuse.constant dense<[[[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]], [[[0.0, -1.0, -2.0], [-3.0, -4.0, -5.0], [-6.0, -7.0, -8.0]]]]> : tensor<2x1x3x3xf32>
  %c = fuse.constant dense<[[1.0, 1.0, 2.0, 2.0], [0.5, 0.5, 2.5, 2.5], [1.0, 1.0, 1.0, 1.0], [-3.0, 1.0, 1.0, 2.0], [1.0, 1.0, 2.0, 2.0]]> : tensor<5x4xf32>
  %n = fuse.constant dense<[0, 0, 0, -7, 9]> : tensor<5xi64>
  %mean = fuse.call @roi_align(%x, %c, %n) {half_pixel = true, maximum = false} : (tensor<2x1x3x3xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<5x1x1x1xf32>
  %most = fuse.call @roi_align(%x, %c, %n) {half_pixel = true, maximum = true} : (tensor<2x1x3x3xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<5x1x1x1xf32>
  %least = fuse.call @roi_align(%x, %c, %n) {half_pixel = false, maximum = false} : (tensor<2x1x3x3xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<5x1x1x1xf32>
  %r = fuse.constant dense<[[0.0, 0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 1.0, 2.0, 1.0], [0.0, 0.5, -0.4, 0.5, 1.4], [1.0, 7.0, 7.0, 9.0, 9.0], [0.0, 0x7FC00000, 0.0, 0x7F800000, 2.0]]> : tensor<5x5xf32>
  %pool = fuse.call @max_roi_pool(%x, %r) {} : (tensor<2x1x3x3xf32>, tensor<5x5xf32>) -> tensor<5x1x1x2xf32>
  return %mean, %most, %least, %pool : tensor<5x1x1x1xf32>, tensor<5x1x1x1xf32>, tensor<5x1x1x1xf32>, tensor<5x1x1x2xf32>
}
