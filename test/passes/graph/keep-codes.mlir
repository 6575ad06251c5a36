// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes that would be made numbers, moved and made the same codes again are moved. What
// products of floats read is decoded first, and moved then.
// RUN: fusec-opt %s --fuse-expand-composites --canonicalize | FileCheck %s
// RUN: fusec-opt %s --fuse-expand-composites=disabled=quantised.codes --canonicalize | FileCheck %s --check-prefix=OFF
module attributes {fuse.target = "generic"} {
  // CHECK-LABEL: func.func @moved
  // CHECK-NEXT: %[[R:.*]] = fuse.reshape %{{.*}} : tensor<6x8xui8> -> tensor<6x4x2xui8>
  // CHECK-NEXT: %[[T:.*]] = fuse.transpose %[[R]] {{.*}} -> tensor<4x6x2xui8>
  // CHECK-NEXT: %[[S:.*]] = fuse.slice %[[T]] {{.*}} -> tensor<4x3x2xui8>
  // CHECK-NEXT: return %[[S]]
  // OFF-LABEL: func.func @moved
  // OFF: fuse.round
  func.func @moved(%x: tensor<6x8xui8>) -> tensor<4x3x2xui8> {
    %s = fuse.constant dense<0.1> : tensor<f32>
    %z = fuse.constant dense<3> : tensor<ui8>
    %0 = fuse.dequantize %x, %s, %z : (tensor<6x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<6x8xf32>
    %1 = fuse.reshape %0 : tensor<6x8xf32> -> tensor<6x4x2xf32>
    %2 = fuse.transpose %1 perm = [1, 0, 2] : tensor<6x4x2xf32> -> tensor<4x6x2xf32>
    %3 = fuse.slice %2 offsets = [0, 1, 0] strides = [1, 2, 1] : tensor<4x6x2xf32> -> tensor<4x3x2xf32>
    %4 = fuse.quantize %3, %s, %z : (tensor<4x3x2xf32>, tensor<f32>, tensor<ui8>) -> tensor<4x3x2xui8>
    return %4 : tensor<4x3x2xui8>
  }
  // Of another zero point, of another type, with padding (0 is no code of scale 0.1 and
  // zero point -1), and of a scale for each row.
  // CHECK-LABEL: func.func @other
  // CHECK: fuse.round
  // CHECK: fuse.round
  // CHECK: fuse.round
  // CHECK: fuse.round
  func.func @other(%x: tensor<4x6xui8>) -> (tensor<6x4xui8>, tensor<6x4xi8>, tensor<5x6xui8>, tensor<6x4xui8>) {
    %s = fuse.constant dense<0.1> : tensor<f32>
    %z = fuse.constant dense<3> : tensor<ui8>
    %z2 = fuse.constant dense<4> : tensor<ui8>
    %z3 = fuse.constant dense<3> : tensor<i8>
    %0 = fuse.dequantize %x, %s, %z : (tensor<4x6xui8>, tensor<f32>, tensor<ui8>) -> tensor<4x6xf32>
    %1 = fuse.transpose %0 perm = [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
    %2 = fuse.quantize %1, %s, %z2 : (tensor<6x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<6x4xui8>
    %3 = fuse.quantize %1, %s, %z3 : (tensor<6x4xf32>, tensor<f32>, tensor<i8>) -> tensor<6x4xi8>
    %4 = fuse.pad %0 low = [1, 0] high = [0, 0] fill = 0.5 : f32 : tensor<4x6xf32> -> tensor<5x6xf32>
    %5 = fuse.quantize %4, %s, %z : (tensor<5x6xf32>, tensor<f32>, tensor<ui8>) -> tensor<5x6xui8>
    %rows = fuse.constant dense<[[0.1], [0.2], [0.3], [0.4]]> : tensor<4x1xf32>
    %6 = fuse.dequantize %x, %rows, %z : (tensor<4x6xui8>, tensor<4x1xf32>, tensor<ui8>) -> tensor<4x6xf32>
    %7 = fuse.transpose %6 perm = [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
    %8 = fuse.quantize %7, %s, %z : (tensor<6x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<6x4xui8>
    return %2, %3, %5, %8 : tensor<6x4xui8>, tensor<6x4xi8>, tensor<5x6xui8>, tensor<6x4xui8>
  }
  // The codes are numbers before they are moved.
  // CHECK-LABEL: func.func @product
  // CHECK: %[[N:.*]] = fuse.mul {{.*}} : tensor<4x6xf32>
  // CHECK: %[[T:.*]] = fuse.transpose %[[N]] {{.*}} -> tensor<6x4xf32>
  // CHECK: fuse.contract %[[T]]
  // OFF-LABEL: func.func @product
  // OFF: fuse.transpose {{.*}} -> tensor<6x4xui8>
  func.func @product(%x: tensor<4x6xf32>, %y: tensor<4x5xf32>) -> tensor<6x5xf32> {
    %s = fuse.constant dense<0.1> : tensor<f32>
    %z = fuse.constant dense<3> : tensor<ui8>
    %0 = fuse.quantize %x, %s, %z : (tensor<4x6xf32>, tensor<f32>, tensor<ui8>) -> tensor<4x6xui8>
    %1 = fuse.transpose %0 perm = [1, 0] : tensor<4x6xui8> -> tensor<6x4xui8>
    %2 = fuse.dequantize %1, %s, %z : (tensor<6x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<6x4xf32>
    %3 = fuse.matmul %2, %y : tensor<6x4xf32>, tensor<4x5xf32> -> tensor<6x5xf32>
    return %3 : tensor<6x5xf32>
  }
  // What else reads them has codes in memory.
  // CHECK-LABEL: func.func @sum
  // CHECK: fuse.transpose {{.*}} -> tensor<6x4xui8>
  func.func @sum(%x: tensor<4x6xf32>, %y: tensor<6x4xf32>) -> tensor<6x4xf32> {
    %s = fuse.constant dense<0.1> : tensor<f32>
    %0 = fuse.quantize %x, %s : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xui8>
    %1 = fuse.transpose %0 perm = [1, 0] : tensor<4x6xui8> -> tensor<6x4xui8>
    %2 = fuse.dequantize %1, %s : (tensor<6x4xui8>, tensor<f32>) -> tensor<6x4xf32>
    %3 = fuse.add %2, %y : tensor<6x4xf32>
    return %3 : tensor<6x4xf32>
  }
}
