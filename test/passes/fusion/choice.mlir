// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Alternatives are grouped by themselves, and their groups named after them.
// RUN: fusec-opt %s --fuse-aggregate --fuse-split | FileCheck %s

// The constant comes down to its readers, the exponential stays outside.
// CHECK-LABEL: func.func @main
// CHECK: %[[E:.*]] = fuse.group @exp(%arg0)
// CHECK: fuse.choice @twice ["one", "two"] : tensor<4xf32> {
// CHECK-NEXT: %[[A:.*]] = fuse.group @add_one(%[[E]])
// CHECK: fuse.yield %[[A]]
// CHECK: }, {
// CHECK-NEXT: %[[M:.*]] = fuse.group @mul_two(%[[E]])
// CHECK-NEXT: ^bb0
// CHECK-NEXT: fuse.constant
// CHECK: fuse.yield %[[M]]
// CHECK: fuse.group @tanh
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = fuse.constant dense<2.0> : tensor<4xf32>
  %e = fuse.exp %x : tensor<4xf32>
  %y = fuse.choice @twice ["one", "two"] : tensor<4xf32> {
    %0 = fuse.add %e, %e : tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }, {
    %0 = fuse.mul %e, %c : tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  %z = fuse.tanh %y : tensor<4xf32>
  return %z : tensor<4xf32>
}
