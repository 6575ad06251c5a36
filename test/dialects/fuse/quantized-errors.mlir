// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @scale_type(%x: tensor<4xf32>, %s: tensor<i32>) -> tensor<4xui8> {
  // expected-error @below {{needs a scale of floats, has 'i32'}}
  %0 = fuse.quantize %x, %s : (tensor<4xf32>, tensor<i32>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// -----

func.func @scale_shape(%x: tensor<4xf32>, %s: tensor<3xf32>) -> tensor<4xui8> {
  // expected-error @below {{cannot broadcast a scale of shape [3] to [4]}}
  %0 = fuse.quantize %x, %s : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// -----

func.func @coded_type(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf16> {
  // expected-error @below {{cannot use 'f16' as a quantised type; it takes integers}}
  %0 = fuse.quantize %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

func.func @zero_type(%x: tensor<4xui8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4xf32> {
  // expected-error @below {{needs a zero point of type 'ui8', has 'i8'}}
  %0 = fuse.dequantize %x, %s, %z : (tensor<4xui8>, tensor<f32>, tensor<i8>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @real_type(%x: tensor<4xui8>, %s: tensor<f32>) -> tensor<4xi32> {
  // expected-error @below {{needs a result of floats, has 'i32'}}
  %0 = fuse.dequantize %x, %s : (tensor<4xui8>, tensor<f32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @shapes(%x: tensor<4xui8>, %s: tensor<f32>) -> tensor<5xf32> {
  // expected-error @below {{has result shape [5] but computes [4]}}
  %0 = fuse.dequantize %x, %s : (tensor<4xui8>, tensor<f32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @dynamic_input(%x: tensor<4xf16>) {
  // expected-error @below {{needs an input and a scale of f32}}
  %0:3 = fuse.dynamic_quantize %x : (tensor<4xf16>) -> (tensor<4xui8>, tensor<f32>, tensor<ui8>)
  return
}

// -----

func.func @dynamic_result(%x: tensor<4xf32>) {
  // expected-error @below {{needs a result and a zero point of ui8}}
  %0:3 = fuse.dynamic_quantize %x : (tensor<4xf32>) -> (tensor<4xi8>, tensor<f32>, tensor<i8>)
  return
}

// -----

func.func @dynamic_shape(%x: tensor<4xf32>) {
  // expected-error @below {{computes shape [4] and a scalar scale and zero point}}
  %0:3 = fuse.dynamic_quantize %x : (tensor<4xf32>) -> (tensor<4xui8>, tensor<1xf32>, tensor<ui8>)
  return
}

// -----

func.func @wide_operand(%a: tensor<2x3xi16>, %b: tensor<3x2xi8>) {
  // expected-error @below {{needs operands of 8-bit integers, has 'i16'}}
  %0 = fuse.matmul_integer %a, %b : tensor<2x3xi16>, tensor<3x2xi8> -> tensor<2x2xi32>
  return
}

// -----

func.func @narrow_sum(%a: tensor<2x3xi8>, %b: tensor<3x2xi8>) {
  // expected-error @below {{needs a result of i32, has 'i64'}}
  %0 = fuse.matmul_integer %a, %b : tensor<2x3xi8>, tensor<3x2xi8> -> tensor<2x2xi64>
  return
}

// -----

func.func @product_shape(%a: tensor<2x3xi8>, %b: tensor<4x2xi8>) {
  // expected-error @below {{contracts 3 with 4}}
  %0 = fuse.matmul_integer %a, %b : tensor<2x3xi8>, tensor<4x2xi8> -> tensor<2x2xi32>
  return
}

// -----

func.func @conv_groups(%x: tensor<1x4x5xui8>, %w: tensor<2x3x2xui8>) {
  // expected-error @below {{cannot split 4 input and 2 output channels into 1 groups with 3 input channels each}}
  %0 = fuse.conv_integer %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, groups = 1 : i64} : tensor<1x4x5xui8>, tensor<2x3x2xui8> -> tensor<1x2x4xi32>
  return
}

// -----

func.func @channel_scale(%x: tensor<1x1x5xi8>, %s: tensor<f32>, %z: tensor<i8>, %w: tensor<2x1x2xi8>, %ws: tensor<2xf32>) {
  // expected-error @below {{needs a weight scale that is a scalar or one per output channel, has shape [2]}}
  %0 = fuse.qlinear_conv %x, %s, %z, %w, %ws, %z, %s, %z {strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, groups = 1 : i64} : (tensor<1x1x5xi8>, tensor<f32>, tensor<i8>, tensor<2x1x2xi8>, tensor<2xf32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<1x2x4xi8>
  return
}

// -----

func.func @channel_bias(%x: tensor<1x1x5xi8>, %s: tensor<f32>, %z: tensor<i8>, %w: tensor<2x1x2xi8>, %b: tensor<2xf32>) {
  // expected-error @below {{needs a bias of 2 i32}}
  %0 = fuse.qlinear_conv %x, %s, %z, %w, %s, %z, %s, %z, %b {strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, groups = 1 : i64} : (tensor<1x1x5xi8>, tensor<f32>, tensor<i8>, tensor<2x1x2xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>, tensor<2xf32>) -> tensor<1x2x4xi8>
  return
}
