// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @resize_rank(%x: tensor<1x4x9xf32>) {
  // expected-error @below {{'fuse.resize' op needs a result of the input's rank and element type}}
  %0 = fuse.resize linear %x half_pixel lengths = [1.0, 4.0, 18.0] : tensor<1x4x9xf32> -> tensor<4x18xf32>
  return
}

// -----

func.func @resize_type(%x: tensor<4x9xf32>) {
  // expected-error @below {{'fuse.resize' op needs a result of the input's rank and element type}}
  %0 = fuse.resize linear %x half_pixel lengths = [4.0, 18.0] : tensor<4x9xf32> -> tensor<4x18xf16>
  return
}

// -----

func.func @resize_booleans(%x: tensor<4x9xi1>) {
  // expected-error @below {{'fuse.resize' op cannot interpolate booleans}}
  %0 = fuse.resize linear %x half_pixel lengths = [4.0, 18.0] : tensor<4x9xi1> -> tensor<4x18xi1>
  return
}

// -----

func.func @resize_lengths(%x: tensor<4x9xf32>) {
  // expected-error @below {{'fuse.resize' op needs 2 lengths of 0 or more}}
  %0 = fuse.resize linear %x half_pixel lengths = [4.0] : tensor<4x9xf32> -> tensor<4x18xf32>
  return
}

// -----

func.func @resize_negative(%x: tensor<4x9xf32>) {
  // expected-error @below {{'fuse.resize' op needs 2 lengths of 0 or more}}
  %0 = fuse.resize linear %x half_pixel lengths = [4.0, -1.0] : tensor<4x9xf32> -> tensor<4x18xf32>
  return
}

// -----

func.func @resize_no_roi(%x: tensor<4x9xf32>) {
  // expected-error @below {{'fuse.resize' op needs a roi of 4 numbers if it crops, and none if not}}
  %0 = fuse.resize linear %x tf_crop_and_resize lengths = [4.0, 18.0] : tensor<4x9xf32> -> tensor<4x18xf32>
  return
}

// -----

func.func @resize_short_roi(%x: tensor<4x9xf32>) {
  // expected-error @below {{'fuse.resize' op needs a roi of 4 numbers if it crops, and none if not}}
  %0 = fuse.resize linear %x tf_crop_and_resize lengths = [4.0, 18.0] {roi = array<f64: 0.0, 1.0>} : tensor<4x9xf32> -> tensor<4x18xf32>
  return
}

// -----

func.func @resize_needless_roi(%x: tensor<9xf32>) {
  // expected-error @below {{'fuse.resize' op needs a roi of 2 numbers if it crops, and none if not}}
  %0 = fuse.resize linear %x half_pixel lengths = [18.0] {roi = array<f64: 0.0, 1.0>} : tensor<9xf32> -> tensor<18xf32>
  return
}

// -----

func.func @resize_nothing(%x: tensor<4x0xf32>) {
  // expected-error @below {{'fuse.resize' op computes 3 positions of a dimension without elements}}
  %0 = fuse.resize linear %x half_pixel lengths = [4.0, 3.0] : tensor<4x0xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @grid_rank(%x: tensor<1x2x4x4xf32>, %g: tensor<1x3x3x3xf32>) {
  // expected-error @below {{'fuse.grid_sample' op needs an input [N, C, in_1..in_k] and a grid [N, out_1..out_k, k]}}
  %0 = fuse.grid_sample linear %x, %g zeros : (tensor<1x2x4x4xf32>, tensor<1x3x3x3xf32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

func.func @grid_type(%x: tensor<1x2x4x4xf32>, %g: tensor<1x3x3x2xi32>) {
  // expected-error @below {{'fuse.grid_sample' op needs a grid of floats}}
  %0 = fuse.grid_sample linear %x, %g zeros : (tensor<1x2x4x4xf32>, tensor<1x3x3x2xi32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

func.func @grid_result(%x: tensor<1x2x4x4xf32>, %g: tensor<1x3x3x2xf32>) {
  // expected-error @below {{'fuse.grid_sample' op needs a result [N, C, out_1..out_k] of the input's element type}}
  %0 = fuse.grid_sample linear %x, %g zeros : (tensor<1x2x4x4xf32>, tensor<1x3x3x2xf32>) -> tensor<1x2x3x4xf32>
  return
}

// -----

func.func @grid_nothing(%x: tensor<1x2x0x4xf32>, %g: tensor<1x3x3x2xf32>) {
  // expected-error @below {{'fuse.grid_sample' op samples an input without elements}}
  %0 = fuse.grid_sample linear %x, %g zeros : (tensor<1x2x0x4xf32>, tensor<1x3x3x2xf32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

func.func @roi_rank(%x: tensor<1x2x4xf32>, %r: tensor<3x4xf32>, %n: tensor<3xi64>) {
  // expected-error @below {{'fuse.roi_align' op needs an input [N, C, H, W] and regions [R, 4]}}
  %0 = fuse.roi_align %x, %r, %n {points = 1 : i64, scale = 1.0 : f64} : (tensor<1x2x4xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x2x1x1xf32>
  return
}

// -----

func.func @roi_images(%x: tensor<1x2x4x4xf32>, %r: tensor<3x4xf32>, %n: tensor<2xi64>) {
  // expected-error @below {{'fuse.roi_align' op needs an image of i32 or i64 for each of 3 regions}}
  %0 = fuse.roi_align %x, %r, %n {points = 1 : i64, scale = 1.0 : f64} : (tensor<1x2x4x4xf32>, tensor<3x4xf32>, tensor<2xi64>) -> tensor<3x2x1x1xf32>
  return
}

// -----

func.func @roi_result(%x: tensor<1x2x4x4xf32>, %r: tensor<3x4xf32>, %n: tensor<3xi64>) {
  // expected-error @below {{'fuse.roi_align' op needs a result [R, C, bins, bins] of the input's element type}}
  %0 = fuse.roi_align %x, %r, %n {points = 1 : i64, scale = 1.0 : f64} : (tensor<1x2x4x4xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x3x1x1xf32>
  return
}

// -----

func.func @roi_points(%x: tensor<1x2x4x4xf32>, %r: tensor<3x4xf32>, %n: tensor<3xi64>) {
  // expected-error @below {{'fuse.roi_align' op needs a point in each bin}}
  %0 = fuse.roi_align %x, %r, %n {points = 0 : i64, scale = 1.0 : f64} : (tensor<1x2x4x4xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x2x1x1xf32>
  return
}

// -----

func.func @roi_nothing(%x: tensor<1x2x0x4xf32>, %r: tensor<3x4xf32>, %n: tensor<3xi64>) {
  // expected-error @below {{'fuse.roi_align' op samples an input without elements}}
  %0 = fuse.roi_align %x, %r, %n {points = 1 : i64, scale = 1.0 : f64} : (tensor<1x2x0x4xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x2x1x1xf32>
  return
}
