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

// A reduction of what the reshape merges runs over all of it; that of a view stays, which
// costs nothing where it is.
// CHECK-LABEL: func.func @merged
// CHECK: fuse.reduce({{.*}}) {{.*}} dims = [1, 2] : (tensor<2x3x4xf32>) -> tensor<2xf32>
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

// -----

// Indices are read where they are, without the dimension of extent 1 that a reshape
// takes away.
// CHECK: affine_map<(d0) -> (d0, 0)>
// CHECK-LABEL: func.func @indices
// CHECK: %[[I:.*]] = fuse.add
// CHECK-NOT: fuse.reshape
// CHECK: fuse.gather %{{.*}}, %[[I]] maps = {{.*}}tensor<13x1xi64> -> tensor<13xf32>
func.func @indices(%x: tensor<5xf32>, %n: tensor<13x1xi64>) -> tensor<13xf32> {
  %0 = fuse.add %n, %n : tensor<13x1xi64>
  %1 = fuse.reshape %0 : tensor<13x1xi64> -> tensor<13xi64>
  %2 = fuse.gather %x, %1 axis = 0 : tensor<5xf32>, tensor<13xi64> -> tensor<13xf32>
  return %2 : tensor<13xf32>
}

// -----

// What is gathered has no dimension of extent 1 if a reader takes it away and the
// others can do without it.
// CHECK-LABEL: func.func @gathered
// CHECK: %[[G:.*]] = fuse.gather {{.*}} -> tensor<13xf32>
// CHECK: %[[S:.*]] = fuse.exp %[[G]] : tensor<13xf32>
// CHECK: %[[R:.*]] = fuse.reshape %[[S]] : tensor<13xf32> -> tensor<13x1xf32>
// CHECK: return %[[G]], %[[R]]
func.func @gathered(%x: tensor<8x1xf32>, %n: tensor<13xi64>) -> (tensor<13xf32>, tensor<13x1xf32>) {
  %0 = fuse.gather %x, %n axis = 0 : tensor<8x1xf32>, tensor<13xi64> -> tensor<13x1xf32>
  %1 = fuse.reshape %0 : tensor<13x1xf32> -> tensor<13xf32>
  %2 = fuse.exp %0 : tensor<13x1xf32>
  return %1, %2 : tensor<13xf32>, tensor<13x1xf32>
}

// -----

// The refusal: a contraction reads the dimension.
// CHECK-LABEL: func.func @contracted
// CHECK: fuse.gather {{.*}} -> tensor<1x13xf32>
func.func @contracted(%x: tensor<1x8xf32>, %n: tensor<13xi64>, %w: tensor<13x4xf32>) -> (tensor<13xf32>, tensor<1x4xf32>) {
  %0 = fuse.gather %x, %n axis = 1 : tensor<1x8xf32>, tensor<13xi64> -> tensor<1x13xf32>
  %1 = fuse.reshape %0 : tensor<1x13xf32> -> tensor<13xf32>
  %2 = fuse.matmul %0, %w : tensor<1x13xf32>, tensor<13x4xf32> -> tensor<1x4xf32>
  return %1, %2 : tensor<13xf32>, tensor<1x4xf32>
}

// -----

// The refusal: what is added is reshaped too, and its elements are not in rows of that
// shape before.
// CHECK-LABEL: func.func @parted
// CHECK: fuse.reduce
// CHECK-NOT: fuse.broadcast
// CHECK: fuse.add {{.*}} : tensor<2x2x2x1x1xf32>
func.func @parted(%x: tensor<2x2x2x3xf32>, %m: tensor<2x4x1x1xf16>) -> tensor<2x2x2x1x1xf32> {
  %0 = fuse.reduce(%x) inits = [0xFF800000 : f32] dims = [3] : (tensor<2x2x2x3xf32>) -> tensor<2x2x2xf32> {
  ^bb0(%a: f32, %b: f32):
    %6 = arith.maximumf %a, %b : f32
    fuse.yield %6 : f32
  }
  %1 = fuse.reshape %0 : tensor<2x2x2xf32> -> tensor<2x2x2x1x1xf32>
  %2 = fuse.cast %m : tensor<2x4x1x1xf16> -> tensor<2x4x1x1xf32>
  %3 = fuse.reshape %2 : tensor<2x4x1x1xf32> -> tensor<2x2x2x1x1xf32>
  %4 = fuse.add %1, %3 : tensor<2x2x2x1x1xf32>
  %5 = fuse.exp %4 : tensor<2x2x2x1x1xf32>
  return %5 : tensor<2x2x2x1x1xf32>
}

// -----

// A factor for each half of a group's rows: all is computed in a shape that has the halves
// as a dimension, from views of what it is computed from.
// CHECK-LABEL: func.func @halves
// CHECK: %[[M:.*]] = fuse.reduce({{.*}}) {{.*}} dims = [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
// CHECK-DAG: %[[X:.*]] = fuse.reshape %arg0 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
// CHECK-DAG: %[[B:.*]] = fuse.broadcast %[[M]] dims = [0, 1] : tensor<2x3xf32> -> tensor<2x3x2x4xf32>
// CHECK-DAG: %[[S:.*]] = fuse.sub %[[X]], %[[B]] : tensor<2x3x2x4xf32>
// CHECK-DAG: %[[W:.*]] = fuse.broadcast {{.*}} dims = [1, 2] : tensor<3x2xf32> -> tensor<2x3x2x4xf32>
// CHECK: %[[Y:.*]] = fuse.mul {{.*}} : tensor<2x3x2x4xf32>
// CHECK: fuse.reshape %[[Y]] : tensor<2x3x2x4xf32> -> tensor<2x6x4xf32>
func.func @halves(%x: tensor<2x3x8xf32>, %w: tensor<6xf32>) -> tensor<2x6x4xf32> {
  %0 = fuse.reduce (%x) inits = [0xFF800000 : f32] dims = [2] : (tensor<2x3x8xf32>) -> tensor<2x3xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.maximumf %acc, %e : f32
    fuse.yield %r : f32
  }
  %1 = fuse.broadcast %0 dims = [0, 1] : tensor<2x3xf32> -> tensor<2x3x8xf32>
  %2 = fuse.sub %x, %1 : tensor<2x3x8xf32>
  %3 = fuse.reshape %2 : tensor<2x3x8xf32> -> tensor<2x6x4xf32>
  %4 = fuse.broadcast %w dims = [1] : tensor<6xf32> -> tensor<2x6x4xf32>
  %5 = fuse.mul %3, %4 : tensor<2x6x4xf32>
  return %5 : tensor<2x6x4xf32>
}

// -----

// The refusal: products are made in tiles of their own shape.
// CHECK-LABEL: func.func @products
// CHECK: fuse.add {{.*}} : tensor<2x3x8xf32>
// CHECK: fuse.mul {{.*}} : tensor<2x6x4xf32>
func.func @products(%a: tensor<2x3x5xf32>, %b: tensor<2x5x8xf32>, %x: tensor<2x3x8xf32>, %w: tensor<6xf32>) -> tensor<2x6x4xf32> {
  %0 = fuse.contract %a, %b maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, k, j)>, affine_map<(b, i, j, k) -> (b, i, j)>] : tensor<2x3x5xf32>, tensor<2x5x8xf32> -> tensor<2x3x8xf32>
  %2 = fuse.add %0, %x : tensor<2x3x8xf32>
  %3 = fuse.reshape %2 : tensor<2x3x8xf32> -> tensor<2x6x4xf32>
  %4 = fuse.broadcast %w dims = [1] : tensor<6xf32> -> tensor<2x6x4xf32>
  %5 = fuse.mul %3, %4 : tensor<2x6x4xf32>
  return %5 : tensor<2x6x4xf32>
}
