// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-simplify -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: fusec-ref %s > %t.before
// RUN: fusec-ref %t.mlir > %t.after
// RUN: diff %t.before %t.after

// Constants are computed whatever the accesses do: backwards, with a fill around,
// in another order, beside each other, from the index, reduced over no dimension.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-5: fuse.constant
// CHECK-NOT: fuse.
// CHECK: return
func.func @main() -> (tensor<3x5xf32>, tensor<3x2xi8>, tensor<2x2xi1>, tensor<2x3xi32>, tensor<2xi32>) {
  %c = fuse.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %backwards = fuse.slice %c offsets = [0, 2] strides = [1, -1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %padded = fuse.pad %backwards low = [1, 0] high = [0, 2] fill = 9.0 : f32 : tensor<2x3xf32> -> tensor<3x5xf32>

  %i = fuse.constant dense<[[1, 127, 3], [4, -14, 6]]> : tensor<2x3xi8>
  %t = fuse.transpose %i perm = [1, 0] : tensor<2x3xi8> -> tensor<3x2xi8>
  %row = fuse.constant dense<[3, 10]> : tensor<2xi8>
  %rows = fuse.broadcast %row dims = [1] : tensor<2xi8> -> tensor<3x2xi8>
  %wrapped = fuse.add %t, %rows : tensor<3x2xi8>

  %m = fuse.constant dense<[[0, 2], [2, 1]]> : tensor<2x2xi32>
  %index = fuse.iota axis = 1 : tensor<2x2xi32>
  %equal = fuse.cmp eq %m, %index : tensor<2x2xi32>, tensor<2x2xi32> -> tensor<2x2xi1>

  %one = fuse.constant dense<[[7], [8]]> : tensor<2x1xi32>
  %beside = fuse.concat %one, %m axis = 1 : tensor<2x1xi32>, tensor<2x2xi32> -> tensor<2x3xi32>

  %pair = fuse.constant dense<[5, -7]> : tensor<2xi32>
  %once = fuse.reduce(%pair) inits = [3 : i32] dims = [] : (tensor<2xi32>) -> tensor<2xi32> {
  ^bb0(%sum: i32, %term: i32):
    %next = arith.addi %sum, %term : i32
    fuse.yield %next : i32
  }
  return %padded, %wrapped, %equal, %beside, %once : tensor<3x5xf32>, tensor<3x2xi8>, tensor<2x2xi1>, tensor<2x3xi32>, tensor<2xi32>
}
