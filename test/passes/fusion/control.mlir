// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies of loops and conditions are grouped by themselves.
// RUN: fusec-opt %s --fuse-aggregate --fuse-split --split-input-file | FileCheck %s

#lhs = affine_map<(n, k) -> (k)>
#rhs = affine_map<(n, k) -> (n, k)>
#out = affine_map<(n, k) -> (n)>

// The step is one group, which takes the weight from outside; the bias's
// broadcast and the constant come down into it.
// CHECK-LABEL: func.func @step
// CHECK-NEXT: fuse.loop
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[H:.*]]: tensor<4xf32>, %[[X:.*]]: tensor<4xf32>):
// CHECK-NEXT: %[[G:.*]] = fuse.group @{{.*}}(%[[H]], %arg1, %[[X]], %arg3) :
// CHECK: fuse.contract
// CHECK: fuse.constant dense<2.000000e+00> : tensor<f32>
// CHECK: fuse.tanh
// CHECK: fuse.yield %[[G]], %[[G]]
func.func @step(%h0: tensor<4xf32>, %w: tensor<4x4xf32>, %x: tensor<5x4xf32>, %b: tensor<1xf32>)
    -> (tensor<4xf32>, tensor<5x4xf32>) {
  %c = fuse.constant dense<2.0> : tensor<4xf32>
  %bias = fuse.broadcast %b dims = [0] : tensor<1xf32> -> tensor<4xf32>
  %h, %y = fuse.loop trips = 5 carries(%h0) slices(%x)
      : (tensor<4xf32>, tensor<5x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>, %r: tensor<4xf32>):
    %0 = fuse.contract %a, %w maps = [#lhs, #rhs, #out] : tensor<4xf32>, tensor<4x4xf32> -> tensor<4xf32>
    %1 = fuse.add %0, %r : tensor<4xf32>
    %2 = fuse.add %1, %bias : tensor<4xf32>
    %3 = fuse.mul %2, %c : tensor<4xf32>
    %4 = fuse.tanh %3 : tensor<4xf32>
    fuse.yield %4, %4 : tensor<4xf32>, tensor<4xf32>
  }
  return %h, %y : tensor<4xf32>, tensor<5x4xf32>
}

// -----

// A group does not cross the border of a branch.
// CHECK-LABEL: func.func @branch
// CHECK: %[[E:.*]] = fuse.group @exp
// CHECK: fuse.if
// CHECK-NEXT: %{{.*}} = fuse.group @tanh(%[[E]])
// CHECK: } else {
// CHECK-NEXT: fuse.yield %[[E]]
func.func @branch(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.exp %x : tensor<4xf32>
  %y = fuse.if %c : (tensor<i1>) -> tensor<4xf32> {
    %1 = fuse.tanh %0 : tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  } else {
    fuse.yield %0 : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
