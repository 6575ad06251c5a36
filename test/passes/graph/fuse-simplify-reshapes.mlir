// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-simplify --split-input-file | FileCheck %s

// A reshape that parts the dimensions of rows sinks below what the rows come to and what
// computes with that.
// CHECK-LABEL: func.func @rows
// CHECK: %[[E:.*]] = fuse.exp %{{.*}} : tensor<1x2x3x4xf32>
// CHECK: %[[M:.*]] = fuse.reduce(%[[E]]) {{.*}} dims = [3] : (tensor<1x2x3x4xf32>) -> tensor<1x2x3xf32>
// CHECK: %[[B:.*]] = fuse.broadcast %[[M]] dims = [0, 1, 2] : tensor<1x2x3xf32> -> tensor<1x2x3x4xf32>
// CHECK: %[[D:.*]] = fuse.sub %[[E]], %[[B]] : tensor<1x2x3x4xf32>
// CHECK: %[[R:.*]] = fuse.reshape %[[D]] : tensor<1x2x3x4xf32> -> tensor<1x6x4xf32>
// CHECK: return %[[R]]
func.func @rows(%x: tensor<1x2x3x4xf32>) -> tensor<1x6x4xf32> {
  %0 = fuse.exp %x : tensor<1x2x3x4xf32>
  %1 = fuse.reshape %0 : tensor<1x2x3x4xf32> -> tensor<1x6x4xf32>
  %2 = fuse.reduce (%1) inits = [0xFF800000 : f32] dims = [2] : (tensor<1x6x4xf32>) -> tensor<1x6xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.maximumf %acc, %e : f32
    fuse.yield %r : f32
  }
  %3 = fuse.broadcast %2 dims = [0, 1] : tensor<1x6xf32> -> tensor<1x6x4xf32>
  %4 = fuse.sub %1, %3 : tensor<1x6x4xf32>
  return %4 : tensor<1x6x4xf32>
}

// -----

// Not below a reduction of what the reshape merges, nor that of a view, which costs
// nothing where it is.
// CHECK-LABEL: func.func @merged
// CHECK: fuse.reduce({{.*}}) {{.*}} dims = [1] : (tensor<2x12xf32>) -> tensor<2xf32>
// CHECK-LABEL: func.func @view
// CHECK: fuse.reduce({{.*}}) {{.*}} dims = [1] : (tensor<6x4xf32>) -> tensor<6xf32>
func.func @merged(%x: tensor<2x3x4xf32>) -> tensor<2xf32> {
  %0 = fuse.exp %x : tensor<2x3x4xf32>
  %1 = fuse.reshape %0 : tensor<2x3x4xf32> -> tensor<2x12xf32>
  %2 = fuse.reduce (%1) inits = [0.0 : f32] dims = [1] : (tensor<2x12xf32>) -> tensor<2xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  }
  return %2 : tensor<2xf32>
}
func.func @view(%x: tensor<2x3x4xf32>) -> tensor<6xf32> {
  %0 = fuse.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %1 = fuse.reduce (%0) inits = [0.0 : f32] dims = [1] : (tensor<6x4xf32>) -> tensor<6xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  }
  return %1 : tensor<6xf32>
}
