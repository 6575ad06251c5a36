// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is printed of the composites parses to the same text.
// RUN: fusec-opt %s -o %t.first && fusec-opt %t.first -o %t.second
// RUN: diff %t.first %t.second && FileCheck %s --input-file %t.second

// CHECK-LABEL: func.func @extremes
func.func @extremes(%x: tensor<4x8xf32>) {
  // CHECK: fuse.arg_max %{{.*}} {axis = 1 : i64} : tensor<4x8xf32> -> tensor<4x1xi64>
  %0 = fuse.arg_max %x {axis = 1 : i64} : tensor<4x8xf32> -> tensor<4x1xi64>
  // CHECK: fuse.arg_min %{{.*}} {axis = 0 : i64, last} : tensor<4x8xf32> -> tensor<1x8xi64>
  %1 = fuse.arg_min %x {axis = 0 : i64, last} : tensor<4x8xf32> -> tensor<1x8xi64>
  // CHECK: fuse.hardmax %{{.*}} {axis = 1 : i64} : tensor<4x8xf32>
  %2 = fuse.hardmax %x {axis = 1 : i64} : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @samples
func.func @samples(%x: tensor<1x2x4x6xf32>, %g: tensor<1x3x5x2xf32>, %r: tensor<3x4xf32>, %n: tensor<3xi64>) {
  // CHECK: fuse.resize nearest %{{.*}} asymmetric lengths = [1.000000e+00, 2.000000e+00, 8.500000e+00, 6.000000e+00] {rounding = #fuse<nearest_rounding floor>} : tensor<1x2x4x6xf32> -> tensor<1x2x8x6xf32>
  %0 = fuse.resize nearest %x asymmetric lengths = [1.0, 2.0, 8.5, 6.0] {rounding = #fuse<nearest_rounding floor>} : tensor<1x2x4x6xf32> -> tensor<1x2x8x6xf32>
  // CHECK: fuse.resize cubic %{{.*}} half_pixel lengths = {{.*}} {antialias, cubic_a = -5.000000e-01 : f64, exclude_outside} :
  %1 = fuse.resize cubic %x half_pixel lengths = [1.0, 2.0, 2.0, 6.0] {antialias, cubic_a = -0.5 : f64, exclude_outside} : tensor<1x2x4x6xf32> -> tensor<1x2x2x6xf32>
  // CHECK: fuse.resize linear %{{.*}} tf_crop_and_resize lengths = {{.*}} {extrapolation = 1.000000e+00 : f64, roi = array<f64: 0.000000e+00, 0.000000e+00, 2.500000e-01, 0.000000e+00, 1.000000e+00, 1.000000e+00, 7.500000e-01, 1.000000e+00>} :
  %2 = fuse.resize linear %x tf_crop_and_resize lengths = [1.0, 2.0, 3.0, 6.0] {extrapolation = 1.0 : f64, roi = array<f64: 0.0, 0.0, 0.25, 0.0, 1.0, 1.0, 0.75, 1.0>} : tensor<1x2x4x6xf32> -> tensor<1x2x3x6xf32>
  // CHECK: fuse.grid_sample linear %{{.*}}, %{{.*}} reflection {align_corners} : (tensor<1x2x4x6xf32>, tensor<1x3x5x2xf32>) -> tensor<1x2x3x5xf32>
  %3 = fuse.grid_sample linear %x, %g reflection {align_corners} : (tensor<1x2x4x6xf32>, tensor<1x3x5x2xf32>) -> tensor<1x2x3x5xf32>
  // CHECK: fuse.roi_align %{{.*}}, %{{.*}}, %{{.*}} {half_pixel, maximum, points = 2 : i64, scale = 5.000000e-01 : f64} : (tensor<1x2x4x6xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x2x2x3xf32>
  %4 = fuse.roi_align %x, %r, %n {half_pixel, maximum, points = 2 : i64, scale = 0.5 : f64} : (tensor<1x2x4x6xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x2x2x3xf32>
  return
}

// CHECK-LABEL: func.func @norms
func.func @norms(%x: tensor<2x4x5xf32>, %p: tensor<4xf32>, %s: tensor<5xf32>) {
  // CHECK: fuse.group_norm %{{.*}}, %{{.*}}, %{{.*}} {epsilon = 1.000000e-05 : f64, groups = 2 : i64} : (tensor<2x4x5xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x5xf32>
  %0 = fuse.group_norm %x, %p, %p {groups = 2 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x4x5xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x5xf32>
  // CHECK: fuse.rms_norm %{{.*}}, %{{.*}} {axis = 2 : i64, epsilon = 1.000000e-05 : f64} :
  %1 = fuse.rms_norm %x, %s {axis = 2 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x4x5xf32>, tensor<5xf32>) -> tensor<2x4x5xf32>
  // CHECK: fuse.lp_norm %{{.*}} {axis = 1 : i64, p = 1 : i64} : tensor<2x4x5xf32>
  %2 = fuse.lp_norm %x {axis = 1 : i64, p = 1 : i64} : tensor<2x4x5xf32>
  return
}
