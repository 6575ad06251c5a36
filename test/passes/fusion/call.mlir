// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call of the library is no primitive: groups end before it and begin behind.
// RUN: fusec-opt %s --fuse-aggregate --fuse-split | FileCheck %s

// CHECK-LABEL: func.func @boundary
// CHECK-NEXT: %[[X:.*]] = fuse.group @{{.*}}(%arg0)
// CHECK: fuse.exp
// CHECK: %[[V:.*]]:2 = fuse.call @top_k(%[[X]])
// CHECK-NEXT: %[[Y:.*]] = fuse.group @{{.*}}(%[[V]]#0)
// CHECK: fuse.neg
// CHECK: return %[[Y]], %[[V]]#1
func.func @boundary(%x: tensor<4x9xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>) {
  %0 = fuse.exp %x : tensor<4x9xf32>
  %1:2 = fuse.call @top_k(%0) {axis = 1, k = 3, largest = true} : (tensor<4x9xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  %2 = fuse.neg %1#0 : tensor<4x3xf32>
  return %2, %1#1 : tensor<4x3xf32>, tensor<4x3xi64>
}

// What a call reads lies in memory: a splat is computed there, a scalar constant
// stays outside of groups.
// CHECK-LABEL: func.func @constants
// CHECK: %[[ZEROS:.*]] = fuse.group @{{.*}}() : () -> tensor<8xf32>
// CHECK: fuse.call @scatter_nd(%[[ZEROS]], %arg0, %arg1)
// CHECK-NEXT: %[[LIMIT:.*]] = fuse.constant dense<1> : tensor<i64>
// CHECK-NEXT: fuse.call @non_max_suppression(%arg2, %arg3, %[[LIMIT]], %arg4, %arg4)
func.func @constants(%i: tensor<2x1xi64>, %u: tensor<2xf32>, %b: tensor<1x6x4xf32>, %s: tensor<1x2x6xf32>, %t: tensor<f32>)
    -> (tensor<8xf32>, tensor<4x3xi64>) {
  %z = fuse.constant dense<0.0> : tensor<8xf32>
  %0 = fuse.call @scatter_nd(%z, %i, %u) {reduction = "add"} : (tensor<8xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<8xf32>
  %n = fuse.constant dense<1> : tensor<i64>
  %1 = fuse.call @non_max_suppression(%b, %s, %n, %t, %t) {center_point_box = false}
      : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<4x3xi64>
  return %0, %1 : tensor<8xf32>, tensor<4x3xi64>
}
