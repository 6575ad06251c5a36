// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of routines that only compute: equal ones are one, unused ones go, and
// results without elements are constants.
// RUN: fusec-opt %s --fuse-simplify | FileCheck %s

// CHECK-LABEL: func.func @calls
// CHECK-NEXT: %[[E:.*]] = fuse.constant dense<> : tensor<0x9xf32>
// CHECK-NEXT: %[[V:.*]]:2 = fuse.call @top_k(%arg0) {axis = 1 : i64, k = 3 : i64, largest = true}
// CHECK-NEXT: return %[[V]]#0, %[[V]]#1, %[[E]]
func.func @calls(%x: tensor<4x9xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>, tensor<0x9xf32>) {
  %0:2 = fuse.call @top_k(%x) {axis = 1, k = 3, largest = true} : (tensor<4x9xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  %1:2 = fuse.call @top_k(%x) {axis = 1, k = 3, largest = true} : (tensor<4x9xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  %2:2 = fuse.call @top_k(%x) {axis = 1, k = 4, largest = true} : (tensor<4x9xf32>) -> (tensor<4x4xf32>, tensor<4x4xi64>)
  %3:2 = fuse.call @top_k(%x) {axis = 0, k = 0, largest = true} : (tensor<4x9xf32>) -> (tensor<0x9xf32>, tensor<0x9xi64>)
  return %0#0, %1#1, %3#0 : tensor<4x3xf32>, tensor<4x3xi64>, tensor<0x9xf32>
}
