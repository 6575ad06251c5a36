// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --convert-fuse-to-sched | FileCheck %s

// Both alternatives write into the output; the second one has a buffer of its own.
// CHECK: sched.scop @direct
// CHECK: sched.scop @first
// CHECK: sched.scop @second
// CHECK-LABEL: func.func @main
// CHECK-NEXT: kernel.choice @sum ["direct", "two"] {
// CHECK-NEXT: kernel.launch @direct(%arg0, %arg1)
// CHECK: }, {
// CHECK-NEXT: %[[B:.*]] = kernel.buffer : memref<4xf32>
// CHECK-NEXT: kernel.launch @first(%arg0, %[[B]])
// CHECK-NEXT: kernel.launch @second(%[[B]], %arg1)
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = fuse.choice @sum ["direct", "two"] : tensor<4xf32> {
    %0 = fuse.group @direct (%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%p: tensor<4xf32>):
      %1 = fuse.exp %p : tensor<4xf32>
      fuse.yield %1 : tensor<4xf32>
    }
    fuse.yield %0 : tensor<4xf32>
  }, {
    %0 = fuse.group @first (%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%p: tensor<4xf32>):
      %1 = fuse.neg %p : tensor<4xf32>
      fuse.yield %1 : tensor<4xf32>
    }
    %2 = fuse.group @second (%0) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%p: tensor<4xf32>):
      %1 = fuse.tanh %p : tensor<4xf32>
      fuse.yield %1 : tensor<4xf32>
    }
    fuse.yield %2 : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
