// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --fuse-expand-composites | FileCheck %s
// Quantised composites as their formulas; those made of composites expand, too.

// CHECK-LABEL: func.func @quantize
// CHECK: %[[S:.*]] = fuse.broadcast %{{.*}} dims = [0, 1] : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK: %[[Q:.*]] = fuse.div %{{.*}}, %[[S]] : tensor<4x8xf32>
// CHECK: %[[R:.*]] = fuse.round %[[Q]] : tensor<4x8xf32>
// CHECK: %[[A:.*]] = fuse.add %[[R]], %{{.*}} : tensor<4x8xf32>
// CHECK: fuse.constant dense<-1.280000e+02> : tensor<f32>
// CHECK: %[[L:.*]] = fuse.maximum %[[A]]
// CHECK: fuse.constant dense<1.270000e+02> : tensor<f32>
// CHECK: %[[H:.*]] = fuse.minimum %[[L]]
// CHECK: %[[C:.*]] = fuse.cast %[[H]] : tensor<4x8xf32> -> tensor<4x8xi8>
// CHECK: return %[[C]]
func.func @quantize(%x: tensor<4x8xf32>, %s: tensor<4x1xf32>, %z: tensor<i8>) -> tensor<4x8xi8> {
  %0 = fuse.quantize %x, %s, %z : (tensor<4x8xf32>, tensor<4x1xf32>, tensor<i8>) -> tensor<4x8xi8>
  return %0 : tensor<4x8xi8>
}

// -----

// What is too large for an f8 is the cast's.
// CHECK-LABEL: func.func @unsaturated
// CHECK: %[[Q:.*]] = fuse.div
// CHECK: %[[A:.*]] = fuse.add %[[Q]], %{{.*}} : tensor<4x8xf32>
// CHECK-NEXT: %[[C:.*]] = fuse.cast %[[A]] : tensor<4x8xf32> -> tensor<4x8xf8E5M2>
// CHECK-NEXT: return %[[C]]
func.func @unsaturated(%x: tensor<4x8xf32>, %s: tensor<4x1xf32>, %z: tensor<f8E5M2>) -> tensor<4x8xf8E5M2> {
  %0 = fuse.quantize %x, %s, %z {unsaturated} : (tensor<4x8xf32>, tensor<4x1xf32>, tensor<f8E5M2>) -> tensor<4x8xf8E5M2>
  return %0 : tensor<4x8xf8E5M2>
}

// -----

// CHECK-LABEL: func.func @saturated
// CHECK: fuse.div
// CHECK: fuse.maximum
// CHECK: fuse.minimum
// CHECK: fuse.cast %{{.*}} : tensor<4xf32> -> tensor<4xf8E5M2>
func.func @saturated(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf8E5M2> {
  %0 = fuse.quantize %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf8E5M2>
  return %0 : tensor<4xf8E5M2>
}

// -----

// CHECK-LABEL: func.func @dequantize
// CHECK: %[[X:.*]] = fuse.cast %{{.*}} : tensor<8xui8> -> tensor<8xi32>
// CHECK: %[[D:.*]] = fuse.sub %[[X]], %{{.*}} : tensor<8xi32>
// CHECK: %[[F:.*]] = fuse.cast %[[D]] : tensor<8xi32> -> tensor<8xf32>
// CHECK: %[[M:.*]] = fuse.mul %[[F]], %{{.*}} : tensor<8xf32>
// CHECK: %[[R:.*]] = fuse.cast %[[M]] : tensor<8xf32> -> tensor<8xf16>
func.func @dequantize(%x: tensor<8xui8>, %s: tensor<f16>, %z: tensor<ui8>) -> tensor<8xf16> {
  %0 = fuse.dequantize %x, %s, %z : (tensor<8xui8>, tensor<f16>, tensor<ui8>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

// CHECK-LABEL: func.func @conv
// CHECK-NOT: fuse.conv
// Two terms, all of whose sums are floats.
// CHECK: %[[W:.*]] = fuse.window %{{.*}} fill = 0.000000e+00 : f32
// CHECK: %[[C:.*]] = fuse.contract %[[W]]
// CHECK-SAME: -> tensor<1x2x4xf32>
// CHECK: %[[I:.*]] = fuse.cast %[[C]] {whole} : tensor<1x2x4xf32> -> tensor<1x2x4xi32>
// CHECK: %[[F:.*]] = fuse.cast %[[I]] : tensor<1x2x4xi32> -> tensor<1x2x4xf32>
// CHECK: fuse.mul %[[F]]
// CHECK: fuse.round
// CHECK: fuse.cast %{{.*}} : tensor<1x2x4xf32> -> tensor<1x2x4xui8>
func.func @conv(%x: tensor<1x1x5xui8>, %s: tensor<f32>, %z: tensor<ui8>, %w: tensor<2x1x2xi8>, %ws: tensor<2x1x1xf32>, %wz: tensor<i8>) -> tensor<1x2x4xui8> {
  %0 = fuse.qlinear_conv %x, %s, %z, %w, %ws, %wz, %s, %z {strides = array<i64: 1>, dilations = array<i64: 1>, pad_low = array<i64: 0>, pad_high = array<i64: 0>, groups = 1 : i64} : (tensor<1x1x5xui8>, tensor<f32>, tensor<ui8>, tensor<2x1x2xi8>, tensor<2x1x1xf32>, tensor<i8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4xui8>
  return %0 : tensor<1x2x4xui8>
}
