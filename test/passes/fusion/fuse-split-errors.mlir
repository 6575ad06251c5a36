// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-split --split-input-file --verify-diagnostics

func.func @not_primitive(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{'fuse.group' op holds an operation that is no primitive; groups are formed by --fuse-aggregate}}
  %0 = fuse.group @reshape (%x) : (tensor<4xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-note @below {{this operation}}
    %1 = fuse.reshape %a : tensor<4xf32> -> tensor<2x2xf32>
    fuse.yield %1 : tensor<2x2xf32>
  }
  return %0 : tensor<2x2xf32>
}

// -----

func.func @two_spaces(%x: tensor<4xf32>, %y: tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>) {
  // expected-error @below {{'fuse.group' op cannot become one loop nest: results have the iteration spaces [5] and [4]}}
  %0:2 = fuse.group @two (%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<5xf32>):
    %1 = fuse.exp %a : tensor<4xf32>
    %2 = fuse.exp %b : tensor<5xf32>
    fuse.yield %1, %2 : tensor<4xf32>, tensor<5xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<5xf32>
}
