// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of dequantised numbers: of constant weights, where the target adds several
// products of bytes in a step, their codes are multiplied.
// RUN: split-file %s %t
// RUN: fusec-opt %t/folds.mlir --fuse-expand-composites | FileCheck %s
// RUN: fusec-opt %t/folds.mlir --fuse-expand-composites=precision=strict | FileCheck %s --check-prefix=NONE
// RUN: sed 's/"generic"/"cuda-sm80"/' %t/folds.mlir | fusec-opt --fuse-expand-composites | FileCheck %s --check-prefix=NONE
// RUN: sed 's/"generic"/"portable"/' %t/folds.mlir | fusec-opt --fuse-expand-composites | FileCheck %s --check-prefix=NONE
// RUN: fusec-opt %t/others.mlir --fuse-expand-composites | FileCheck %s --check-prefix=NONE
// NONE-NOT: fuse.contract {{.*}}xi32>
// NONE: fuse.contract {{.*}}xf32>
// NONE-NOT: fuse.contract {{.*}}xi32>

//--- folds.mlir
module attributes {fuse.target = "generic"} {
  // The zero point is taken off the sums; padding reads it. The bias is 3 times the scale
  // of the products, so that it is one of their terms.
  // CHECK-LABEL: func.func @conv
  // CHECK: %[[W:.*]] = fuse.window %{{.*}} pad_low = [1, 0] fill = 7 : ui8 : tensor<1x4x5x6xui8>
  // CHECK: %[[C:.*]] = fuse.contract %[[W]], %{{.*}} : {{.*}}xui8>, tensor<16x4x1x1xi8> -> tensor<1x16x7x6xi32>
  // CHECK: fuse.sub %[[C]], %{{.*}} : tensor<1x16x7x6xi32>
  // CHECK: %[[B:.*]] = fuse.constant dense<3> : tensor<16xi32>
  // CHECK: fuse.broadcast %[[B]]
  // CHECK: fuse.add %{{.*}} : tensor<1x16x7x6xi32>
  // CHECK: fuse.cast %{{.*}} : tensor<1x16x7x6xi32> -> tensor<1x16x7x6xf32>
  // CHECK: fuse.mul %{{.*}} : tensor<1x16x7x6xf32>
  // CHECK-NEXT: return
  func.func @conv(%x: tensor<1x4x5x6xui8>) -> tensor<1x16x7x6xf32> {
    %xs = fuse.constant dense<0.5> : tensor<f32>
    %xz = fuse.constant dense<7> : tensor<ui8>
    %w = fuse.constant dense<2> : tensor<16x4x1x1xi8>
    %ws = fuse.constant dense<0.25> : tensor<16x1x1x1xf32>
    %b = fuse.constant dense<0.375> : tensor<16xf32>
    %0 = fuse.dequantize %x, %xs, %xz : (tensor<1x4x5x6xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x4x5x6xf32>
    %1 = fuse.dequantize %w, %ws : (tensor<16x4x1x1xi8>, tensor<16x1x1x1xf32>) -> tensor<16x4x1x1xf32>
    %2 = fuse.conv %0, %1, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pad_low = array<i64: 1, 0>, pad_high = array<i64: 1, 0>, groups = 1 : i64} : (tensor<1x4x5x6xf32>, tensor<16x4x1x1xf32>, tensor<16xf32>) -> tensor<1x16x7x6xf32>
    return %2 : tensor<1x16x7x6xf32>
  }
  // Weights of 4 bits are multiplied in 8, as what they differ from their zero point.
  // CHECK-LABEL: func.func @nibbles
  // CHECK: %[[WIDE:.*]] = fuse.cast %{{.*}} : tensor<4x16xui4> -> tensor<4x16xi8>
  // CHECK: %[[OWN:.*]] = fuse.sub %[[WIDE]], %{{.*}} : tensor<4x16xi8>
  // CHECK: fuse.contract %{{.*}}, %[[OWN]] {{.*}}tensor<3x4xui8>, tensor<4x16xi8> -> tensor<3x16xi32>
  func.func @nibbles(%x: tensor<3x4xui8>) -> tensor<3x16xf32> {
    %xs = fuse.constant dense<0.5> : tensor<f32>
    %w = fuse.constant dense<2> : tensor<4x16xui4>
    %ws = fuse.constant dense<0.25> : tensor<16xf32>
    %wz = fuse.constant dense<3> : tensor<16xui4>
    %0 = fuse.dequantize %x, %xs : (tensor<3x4xui8>, tensor<f32>) -> tensor<3x4xf32>
    %1 = fuse.dequantize %w, %ws, %wz : (tensor<4x16xui4>, tensor<16xf32>, tensor<16xui4>) -> tensor<4x16xf32>
    %2 = fuse.matmul %0, %1 : tensor<3x4xf32>, tensor<4x16xf32> -> tensor<3x16xf32>
    return %2 : tensor<3x16xf32>
  }
}

//--- others.mlir
module attributes {fuse.target = "generic"} {
  // Weights that are computed, and rows of other scales.
  func.func @computed(%x: tensor<3x8xui8>, %w: tensor<8x5xi8>, %s: tensor<f32>) -> tensor<3x5xf32> {
    %0 = fuse.dequantize %x, %s : (tensor<3x8xui8>, tensor<f32>) -> tensor<3x8xf32>
    %1 = fuse.dequantize %w, %s : (tensor<8x5xi8>, tensor<f32>) -> tensor<8x5xf32>
    %2 = fuse.matmul %0, %1 : tensor<3x8xf32>, tensor<8x5xf32> -> tensor<3x5xf32>
    return %2 : tensor<3x5xf32>
  }
  func.func @rows(%x: tensor<3x8xui8>, %r: tensor<3x1xf32>, %s: tensor<f32>) -> tensor<3x5xf32> {
    %w = fuse.constant dense<3> : tensor<8x5xi8>
    %0 = fuse.dequantize %x, %r : (tensor<3x8xui8>, tensor<3x1xf32>) -> tensor<3x8xf32>
    %1 = fuse.dequantize %w, %s : (tensor<8x5xi8>, tensor<f32>) -> tensor<8x5xf32>
    %2 = fuse.matmul %0, %1 : tensor<3x8xf32>, tensor<8x5xf32> -> tensor<3x5xf32>
    return %2 : tensor<3x5xf32>
  }
  // Along the terms of a sum the scale changes.
  func.func @terms(%x: tensor<3x8xui8>, %s: tensor<f32>, %t: tensor<8x1xf32>) -> tensor<3x5xf32> {
    %w = fuse.constant dense<3> : tensor<8x5xi8>
    %0 = fuse.dequantize %x, %s : (tensor<3x8xui8>, tensor<f32>) -> tensor<3x8xf32>
    %1 = fuse.dequantize %w, %t : (tensor<8x5xi8>, tensor<8x1xf32>) -> tensor<8x5xf32>
    %2 = fuse.matmul %0, %1 : tensor<3x8xf32>, tensor<8x5xf32> -> tensor<3x5xf32>
    return %2 : tensor<3x5xf32>
  }
}
