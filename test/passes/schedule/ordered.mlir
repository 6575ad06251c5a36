// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --convert-fuse-to-sched=ordered | FileCheck %s --check-prefix=ORDERED
// RUN: fusec-opt %s --convert-fuse-to-sched | FileCheck %s --check-prefix=PACKED
// RUN: fusec-opt %s --convert-fuse-to-sched=packed=false | FileCheck %s --check-prefix=LOOSE

// Of sums of floats the order counts; of what takes a weight, that it is one.
// ORDERED-LABEL: sched.scop @product
// ORDERED: attributes {ordered, weights = array<i64: 1>}
// ORDERED-LABEL: sched.scop @root
// ORDERED-NOT: attributes {ordered
// ORDERED: func.func @main
// PACKED-LABEL: sched.scop @product
// PACKED: attributes {weights = array<i64: 1>}
// LOOSE-LABEL: sched.scop @product
// LOOSE-NOT: weights =
fuse.weight @w = dense_resource<w> : tensor<4x3xf32>
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %w = fuse.get_weight @w : tensor<4x3xf32>
  %0 = fuse.group @product(%x, %w) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%a: tensor<2x4xf32>, %b: tensor<4x3xf32>):
    %1 = fuse.contract %a, %b maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
    fuse.yield %1 : tensor<2x3xf32>
  }
  %2 = fuse.group @root(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%a: tensor<2x3xf32>):
    %1 = fuse.sqrt %a : tensor<2x3xf32>
    fuse.yield %1 : tensor<2x3xf32>
  }
  return %2 : tensor<2x3xf32>
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F0000004000000040000000000000803F0000803F0000803F000000BF0000803F0000000000000000000000BF"
    }
  }
#-}
