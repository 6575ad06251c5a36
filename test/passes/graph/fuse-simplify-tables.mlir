// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --fuse-simplify | FileCheck %s

// Rows of a table of codes are dequantised behind the gather: a scale of each
// row is gathered, too, one of all rows is not.
// CHECK-LABEL: func.func @rows
// CHECK-DAG: %[[W:.*]] = fuse.get_weight @w : tensor<6x2x2xi4>
// CHECK-DAG: %[[CODES:.*]] = fuse.gather %[[W]], %arg0 axis = 0 : tensor<6x2x2xi4>, tensor<3x5xi64> -> tensor<3x5x2x2xi4>
// CHECK-DAG: %[[SCALE:.*]] = fuse.gather %arg1, %arg0 axis = 0 : tensor<6x2x1xf32>, tensor<3x5xi64> -> tensor<3x5x2x1xf32>
// CHECK: %[[ZERO:.*]] = fuse.reshape %arg2 : tensor<1x1x2xi4> -> tensor<1x1x1x2xi4>
// CHECK: %[[ROWS:.*]] = fuse.dequantize %[[CODES]], %[[SCALE]], %[[ZERO]] : (tensor<3x5x2x2xi4>, tensor<3x5x2x1xf32>, tensor<1x1x1x2xi4>) -> tensor<3x5x2x2xf32>
// CHECK: fuse.reshape %[[ROWS]] : tensor<3x5x2x2xf32> -> tensor<3x5x4xf32>
fuse.weight @w = dense_resource<w> : tensor<6x2x2xi4>
func.func @rows(%i: tensor<3x5xi64>, %s: tensor<6x2x1xf32>, %z: tensor<1x1x2xi4>) -> tensor<3x5x4xf32> {
  %w = fuse.get_weight @w : tensor<6x2x2xi4>
  %0 = fuse.dequantize %w, %s, %z : (tensor<6x2x2xi4>, tensor<6x2x1xf32>, tensor<1x1x2xi4>) -> tensor<6x2x2xf32>
  %1 = fuse.reshape %0 : tensor<6x2x2xf32> -> tensor<6x4xf32>
  %2 = fuse.gather %1, %i axis = 0 : tensor<6x4xf32>, tensor<3x5xi64> -> tensor<3x5x4xf32>
  return %2 : tensor<3x5x4xf32>
}

{-# dialect_resources: { builtin: { w: "0x01000000000102030405060700010203040506070001020304050607" } } #-}

// -----

// Scales correspond to the last dimensions; a reshape that moves elements
// across the axis stays, and so does a table that is computed.
// CHECK-LABEL: func.func @columns
// CHECK: %[[TABLE:.*]] = fuse.dequantize
// CHECK: %[[CODES:.*]] = fuse.gather %{{.*}}, %arg0 axis = 1 : tensor<2x4xui8>, tensor<3xi64> -> tensor<2x3xui8>
// CHECK: %[[SCALE:.*]] = fuse.gather %arg1, %arg0 axis = 0 : tensor<4xf32>, tensor<3xi64> -> tensor<3xf32>
// CHECK: fuse.dequantize %[[CODES]], %[[SCALE]] : (tensor<2x3xui8>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: %[[MOVED:.*]] = fuse.reshape %[[TABLE]]
// CHECK: fuse.gather %[[MOVED]]
// CHECK: %[[COMPUTED:.*]] = fuse.dequantize %arg2
// CHECK: fuse.gather %[[COMPUTED]]
fuse.weight @w = dense_resource<w> : tensor<2x4xui8>
func.func @columns(%i: tensor<3xi64>, %s: tensor<4xf32>, %c: tensor<2x4xui8>) -> (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x3xf32>) {
  %w = fuse.get_weight @w : tensor<2x4xui8>
  %0 = fuse.dequantize %w, %s : (tensor<2x4xui8>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = fuse.gather %0, %i axis = 1 : tensor<2x4xf32>, tensor<3xi64> -> tensor<2x3xf32>
  %2 = fuse.reshape %0 : tensor<2x4xf32> -> tensor<4x2xf32>
  %3 = fuse.gather %2, %i axis = 0 : tensor<4x2xf32>, tensor<3xi64> -> tensor<3x2xf32>
  %4 = fuse.dequantize %c, %s : (tensor<2x4xui8>, tensor<4xf32>) -> tensor<2x4xf32>
  %5 = fuse.gather %4, %i axis = 1 : tensor<2x4xf32>, tensor<3xi64> -> tensor<2x3xf32>
  return %1, %3, %5 : tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x3xf32>
}

{-# dialect_resources: { builtin: { w: "0x010000000001020304050607" } } #-}
