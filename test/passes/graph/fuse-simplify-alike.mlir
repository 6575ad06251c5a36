// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-simplify --split-input-file | FileCheck %s

// Four heads of queries and two of keys, turned alike, are six heads turned; the
// contraction takes its parts of these, one of them reshaped.
// CHECK-LABEL: func.func @turned
// CHECK-SAME: (%[[X:.*]]: tensor<5x8x6xf32>, %[[C:.*]]: tensor<5x6xf32>
// CHECK: %[[T:.*]] = fuse.transpose %{{.*}} : tensor<5x6x6xf32> -> tensor<6x5x6xf32>
// CHECK: %[[H:.*]] = fuse.slice %[[T]] offsets = [0, 0, 3]
// CHECK: %[[N:.*]] = fuse.neg %[[H]] : tensor<6x5x3xf32>
// CHECK: fuse.concat %[[N]], %{{.*}} axis = 2 : tensor<6x5x3xf32>, tensor<6x5x3xf32>
// CHECK: %[[S:.*]] = fuse.add %{{.*}} : tensor<6x5x6xf32>
// CHECK-NOT: fuse.add
// CHECK-DAG: %[[K:.*]] = fuse.slice %[[S]] offsets = [4, 0, 0] strides = [1, 1, 1] : tensor<6x5x6xf32> -> tensor<2x5x6xf32>
// CHECK-DAG: %[[R:.*]] = fuse.reshape %[[S]] : tensor<6x5x6xf32> -> tensor<3x2x5x6xf32>
// CHECK-DAG: %[[Q:.*]] = fuse.slice %[[R]] offsets = [0, 0, 0, 0] strides = [1, 1, 1, 1] : tensor<3x2x5x6xf32> -> tensor<2x2x5x6xf32>
// CHECK: fuse.contract %[[Q]], %[[K]]
#q = affine_map<(g, h, i, j, k) -> (g, h, i, k)>
#k = affine_map<(g, h, i, j, k) -> (g, j, k)>
#s = affine_map<(g, h, i, j, k) -> (g, h, i, j)>
func.func @turned(%x: tensor<5x8x6xf32>, %cos: tensor<5x6xf32>, %sin: tensor<5x6xf32>) -> tensor<2x2x5x5xf32> {
  %0 = fuse.slice %x offsets = [0, 0, 0] strides = [1, 1, 1] : tensor<5x8x6xf32> -> tensor<5x4x6xf32>
  %1 = fuse.transpose %0 perm = [1, 0, 2] : tensor<5x4x6xf32> -> tensor<4x5x6xf32>
  %2 = fuse.broadcast %cos dims = [1, 2] : tensor<5x6xf32> -> tensor<4x5x6xf32>
  %3 = fuse.mul %1, %2 : tensor<4x5x6xf32>
  %4 = fuse.slice %1 offsets = [0, 0, 3] strides = [1, 1, 1] : tensor<4x5x6xf32> -> tensor<4x5x3xf32>
  %5 = fuse.neg %4 : tensor<4x5x3xf32>
  %6 = fuse.slice %1 offsets = [0, 0, 0] strides = [1, 1, 1] : tensor<4x5x6xf32> -> tensor<4x5x3xf32>
  %7 = fuse.concat %5, %6 axis = 2 : tensor<4x5x3xf32>, tensor<4x5x3xf32> -> tensor<4x5x6xf32>
  %8 = fuse.broadcast %sin dims = [1, 2] : tensor<5x6xf32> -> tensor<4x5x6xf32>
  %9 = fuse.mul %7, %8 : tensor<4x5x6xf32>
  %10 = fuse.add %3, %9 : tensor<4x5x6xf32>
  %11 = fuse.slice %x offsets = [0, 4, 0] strides = [1, 1, 1] : tensor<5x8x6xf32> -> tensor<5x2x6xf32>
  %12 = fuse.transpose %11 perm = [1, 0, 2] : tensor<5x2x6xf32> -> tensor<2x5x6xf32>
  %13 = fuse.broadcast %cos dims = [1, 2] : tensor<5x6xf32> -> tensor<2x5x6xf32>
  %14 = fuse.mul %12, %13 : tensor<2x5x6xf32>
  %15 = fuse.slice %12 offsets = [0, 0, 3] strides = [1, 1, 1] : tensor<2x5x6xf32> -> tensor<2x5x3xf32>
  %16 = fuse.neg %15 : tensor<2x5x3xf32>
  %17 = fuse.slice %12 offsets = [0, 0, 0] strides = [1, 1, 1] : tensor<2x5x6xf32> -> tensor<2x5x3xf32>
  %18 = fuse.concat %16, %17 axis = 2 : tensor<2x5x3xf32>, tensor<2x5x3xf32> -> tensor<2x5x6xf32>
  %19 = fuse.broadcast %sin dims = [1, 2] : tensor<5x6xf32> -> tensor<2x5x6xf32>
  %20 = fuse.mul %18, %19 : tensor<2x5x6xf32>
  %21 = fuse.add %14, %20 : tensor<2x5x6xf32>
  %22 = fuse.reshape %10 : tensor<4x5x6xf32> -> tensor<2x2x5x6xf32>
  %23 = fuse.contract %22, %21 maps = [#q, #k, #s] : tensor<2x2x5x6xf32>, tensor<2x5x6xf32> -> tensor<2x2x5x5xf32>
  return %23 : tensor<2x2x5x5xf32>
}

// -----

// Not where something lies between the parts, where they are computed by another
// formula or with other factors, where the formula counts along the cut, or where
// something else reads a part, too.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-2: fuse.exp %{{.*}} : tensor<2x6xf32>
// CHECK-LABEL: func.func @other_formula
// CHECK: fuse.exp %{{.*}} : tensor<2x6xf32>
// CHECK-LABEL: func.func @counted
// CHECK-DAG: fuse.mul %{{.*}} : tensor<2x6xi32>
// CHECK-DAG: fuse.mul %{{.*}} : tensor<3x6xi32>
// CHECK-LABEL: func.func @other_factors
// CHECK-COUNT-2: fuse.mul %{{.*}} : tensor<2x6xf32>
// CHECK-LABEL: func.func @read_elsewhere
// CHECK-COUNT-2: fuse.exp %{{.*}} : tensor<2x6xf32>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @apart(%x: tensor<5x6xf32>) -> tensor<2x2xf32> {
  %0 = fuse.slice %x offsets = [0, 0] strides = [1, 1] : tensor<5x6xf32> -> tensor<2x6xf32>
  %1 = fuse.slice %x offsets = [3, 0] strides = [1, 1] : tensor<5x6xf32> -> tensor<2x6xf32>
  %2 = fuse.exp %0 : tensor<2x6xf32>
  %3 = fuse.exp %1 : tensor<2x6xf32>
  %4 = fuse.contract %2, %3 maps = [#a, #b, #c] : tensor<2x6xf32>, tensor<2x6xf32> -> tensor<2x2xf32>
  return %4 : tensor<2x2xf32>
}
func.func @other_formula(%x: tensor<5x6xf32>) -> tensor<2x2xf32> {
  %0 = fuse.slice %x offsets = [0, 0] strides = [1, 1] : tensor<5x6xf32> -> tensor<2x6xf32>
  %1 = fuse.slice %x offsets = [2, 0] strides = [1, 1] : tensor<5x6xf32> -> tensor<2x6xf32>
  %2 = fuse.exp %0 : tensor<2x6xf32>
  %3 = fuse.tanh %1 : tensor<2x6xf32>
  %4 = fuse.contract %2, %3 maps = [#a, #b, #c] : tensor<2x6xf32>, tensor<2x6xf32> -> tensor<2x2xf32>
  return %4 : tensor<2x2xf32>
}
func.func @counted(%x: tensor<5x6xi32>) -> tensor<2x3xi32> {
  %m = fuse.iota axis = 0 : tensor<2x6xi32>
  %n = fuse.iota axis = 0 : tensor<3x6xi32>
  %0 = fuse.slice %x offsets = [0, 0] strides = [1, 1] : tensor<5x6xi32> -> tensor<2x6xi32>
  %1 = fuse.slice %x offsets = [2, 0] strides = [1, 1] : tensor<5x6xi32> -> tensor<3x6xi32>
  %2 = fuse.mul %0, %m : tensor<2x6xi32>
  %3 = fuse.mul %1, %n : tensor<3x6xi32>
  %4 = fuse.contract %2, %3 maps = [#a, #b, #c] : tensor<2x6xi32>, tensor<3x6xi32> -> tensor<2x3xi32>
  return %4 : tensor<2x3xi32>
}
func.func @other_factors(%x: tensor<5x6xf32>, %f: tensor<6xf32>, %g: tensor<6xf32>) -> tensor<2x2xf32> {
  %0 = fuse.slice %x offsets = [0, 0] strides = [1, 1] : tensor<5x6xf32> -> tensor<2x6xf32>
  %1 = fuse.slice %x offsets = [2, 0] strides = [1, 1] : tensor<5x6xf32> -> tensor<2x6xf32>
  %2 = fuse.broadcast %f dims = [1] : tensor<6xf32> -> tensor<2x6xf32>
  %3 = fuse.broadcast %g dims = [1] : tensor<6xf32> -> tensor<2x6xf32>
  %4 = fuse.mul %0, %2 : tensor<2x6xf32>
  %5 = fuse.mul %1, %3 : tensor<2x6xf32>
  %6 = fuse.contract %4, %5 maps = [#a, #b, #c] : tensor<2x6xf32>, tensor<2x6xf32> -> tensor<2x2xf32>
  return %6 : tensor<2x2xf32>
}
func.func @read_elsewhere(%x: tensor<5x6xf32>) -> (tensor<2x2xf32>, tensor<2x6xf32>) {
  %0 = fuse.slice %x offsets = [0, 0] strides = [1, 1] : tensor<5x6xf32> -> tensor<2x6xf32>
  %1 = fuse.slice %x offsets = [2, 0] strides = [1, 1] : tensor<5x6xf32> -> tensor<2x6xf32>
  %2 = fuse.exp %0 : tensor<2x6xf32>
  %3 = fuse.exp %1 : tensor<2x6xf32>
  %4 = fuse.contract %2, %3 maps = [#a, #b, #c] : tensor<2x6xf32>, tensor<2x6xf32> -> tensor<2x2xf32>
  return %4, %2 : tensor<2x2xf32>, tensor<2x6xf32>
}
