// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @broadcast_type(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.broadcast' op has an operand of element type 'f32' but a result of 'f16'}}
  %0 = fuse.broadcast %x dims = [0] : tensor<4xf32> -> tensor<4xf16>
  return
}

// -----

func.func @broadcast_count(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.broadcast' op needs 1 dims, has 2}}
  %0 = fuse.broadcast %x dims = [0, 1] : tensor<4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_order(%x: tensor<4x4xf32>) {
  // expected-error @below {{'fuse.broadcast' op needs increasing dims below the result's rank 2, has [1, 0]}}
  %0 = fuse.broadcast %x dims = [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_extent(%x: tensor<3xf32>) {
  // expected-error @below {{'fuse.broadcast' op cannot repeat dimension 0 of extent 3 to 4}}
  %0 = fuse.broadcast %x dims = [0] : tensor<3xf32> -> tensor<4xf32>
  return
}

// -----

func.func @transpose_permutation(%x: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.transpose' op needs a permutation, has [0, 0]}}
  %0 = fuse.transpose %x perm = [0, 0] : tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @transpose_shape(%x: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.transpose' op has result shape [4, 8] but computes [8, 4]}}
  %0 = fuse.transpose %x perm = [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_bounds(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.slice' op reads [2, 4] of dimension 0, whose extent is 4}}
  %0 = fuse.slice %x offsets = [2] strides = [1] : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @slice_strides(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.slice' op needs 1 strides, has 0}}
  %0 = fuse.slice %x offsets = [2] strides = [] : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @pad_negative(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.pad' op cannot pad by a negative amount; crop with a slice}}
  %0 = fuse.pad %x low = [-1] high = [0] fill = 0.0 : f32 : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @pad_fill(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.pad' op has a fill of type 'i32' for elements of 'f32'}}
  %0 = fuse.pad %x low = [1] high = [0] fill = 0 : i32 : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @pad_shape(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.pad' op has result shape [4] but computes [5]}}
  %0 = fuse.pad %x low = [1] high = [0] fill = 0.0 : f32 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @window_rank(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.window' op windows 2 dimensions of an operand of rank 1}}
  %0 = fuse.window %x sizes = [2, 2] strides = [1, 1] dilations = [1, 1] pad_low = [0, 0] fill = 0.0 : f32 : tensor<4xf32> -> tensor<3x3x2x2xf32>
  return
}

// -----

func.func @window_stride(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.window' op needs positive sizes, strides and dilations}}
  %0 = fuse.window %x sizes = [2] strides = [0] dilations = [1] pad_low = [0] fill = 0.0 : f32 : tensor<4xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @window_sizes(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.window' op needs the window sizes [2] as last result dimensions}}
  %0 = fuse.window %x sizes = [2] strides = [1] dilations = [1] pad_low = [0] fill = 0.0 : f32 : tensor<4xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @window_outer(%x: tensor<5x4xf32>) {
  // expected-error @below {{'fuse.window' op changes a dimension that it does not window}}
  %0 = fuse.window %x sizes = [2] strides = [1] dilations = [1] pad_low = [0] fill = 0.0 : f32 : tensor<5x4xf32> -> tensor<6x3x2xf32>
  return
}

// -----

func.func @concat_axis(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.concat' op has axis 1 at rank 1}}
  %0 = fuse.concat %x, %x axis = 1 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @concat_rank(%x: tensor<4xf32>, %y: tensor<1x4xf32>) {
  // expected-error @below {{'fuse.concat' op has operands of different ranks}}
  %0 = fuse.concat %x, %y axis = 0 : tensor<4xf32>, tensor<1x4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @concat_extents(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) {
  // expected-error @below {{'fuse.concat' op has operands that differ in dimension 1}}
  %0 = fuse.concat %x, %y axis = 0 : tensor<4x2xf32>, tensor<4x3xf32> -> tensor<8x2xf32>
  return
}

// -----

func.func @gather_index_type(%x: tensor<4xf32>, %i: tensor<2xf32>) {
  // expected-error @below {{'fuse.gather' op needs i32 or i64 indices}}
  %0 = fuse.gather %x, %i axis = 0 : tensor<4xf32>, tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @gather_shape(%x: tensor<4x8xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{'fuse.gather' op has result shape [2] but computes [2, 8]}}
  %0 = fuse.gather %x, %i axis = 0 : tensor<4x8xf32>, tensor<2xi64> -> tensor<2xf32>
  return
}

// -----

func.func @gather_axis(%x: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{has axis 1 at rank 1}}
  %0 = fuse.gather %x, %i axis = 1 : tensor<4xf32>, tensor<2xi64> -> tensor<2xf32>
  return
}

// -----

func.func @gather_tensors(%x: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{needs one operand and one index tensor with an axis}}
  %0 = fuse.gather %x, %i, %i axis = 0 : tensor<4xf32>, tensor<2xi64>, tensor<2xi64> -> tensor<2xf32>
  return
}

// -----

func.func @gather_nothing(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.gather' op needs an index tensor}}
  %0 = fuse.gather %x maps = [affine_map<(d0) -> (d0)>] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @gather_element(%x: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{'fuse.gather' op changes the element type}}
  %0 = fuse.gather %x, %i axis = 0 : tensor<4xf32>, tensor<2xi64> -> tensor<2xf16>
  return
}

// -----

func.func @gather_maps(%x: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{'fuse.gather' op needs a map for the operand and for each of its 1 index tensors}}
  %0 = fuse.gather %x, %i maps = [affine_map<(d0)[s0] -> (s0)>] : tensor<4xf32>, tensor<2xi64> -> tensor<2xf32>
  return
}

// -----

func.func @gather_symbols(%x: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{'fuse.gather' op needs map 0 to take 1 dims and 1 symbols to 1 subscripts}}
  %0 = fuse.gather %x, %i maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] : tensor<4xf32>, tensor<2xi64> -> tensor<2xf32>
  return
}

// -----

func.func @gather_outside(%x: tensor<4x8xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{'fuse.gather' op leads outside dimension 1, of extent 8, by map 0}}
  %0 = fuse.gather %x, %i maps = [affine_map<(d0)[s0] -> (s0, d0 + 7)>, affine_map<(d0) -> (d0)>] : tensor<4x8xf32>, tensor<2xi64> -> tensor<2xf32>
  return
}

// -----

func.func @gather_index_outside(%x: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{'fuse.gather' op leads outside dimension 0, of extent 2, by map 1}}
  %0 = fuse.gather %x, %i maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0) -> (d0 - 1)>] : tensor<4xf32>, tensor<2xi64> -> tensor<2xf32>
  return
}

// -----

func.func @iota_axis() {
  // expected-error @below {{'fuse.iota' op has axis 1 at rank 1}}
  %0 = fuse.iota axis = 1 : tensor<4xi64>
  return
}

// -----

func.func @reshape_elements(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.reshape' op has 4 elements in and 6 out}}
  %0 = fuse.reshape %x : tensor<4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @bitcast_width(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.bitcast' op takes the bits of 'f32' as 'i64', which is of another width}}
  %0 = fuse.bitcast %x : tensor<4xf32> -> tensor<4xi64>
  return
}
