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
