// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s | fusec-opt | FileCheck %s

// CHECK-LABEL: func.func @choices
// CHECK: %[[Y:.*]]:2 = fuse.choice @twice ["add", "mul"] : tensor<4xf32>, tensor<4xf32> {
// CHECK-NEXT: fuse.add
// CHECK-NEXT: fuse.yield
// CHECK-NEXT: }, {
// CHECK: fuse.mul
// CHECK: return %[[Y]]#0, %[[Y]]#1
func.func @choices(%x: tensor<4xf32>, %two: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = fuse.choice @twice ["add", "mul"] : tensor<4xf32>, tensor<4xf32> {
    %1 = fuse.add %x, %x : tensor<4xf32>
    fuse.yield %1, %x : tensor<4xf32>, tensor<4xf32>
  }, {
    %1 = fuse.mul %x, %two : tensor<4xf32>
    fuse.yield %1, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
