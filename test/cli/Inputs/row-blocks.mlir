// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores, their softmax, and a product with them: one group.
module @row_blocks {
  func.func @main(%q: tensor<6x13x16xf32> {fuse.name = "q"}, %k: tensor<6x37x16xf32> {fuse.name = "k"}, %v: tensor<6x37x33xf32> {fuse.name = "v"}) -> (tensor<6x13x33xf32> {fuse.name = "y"}) {
    %t = fuse.transpose %k perm = [0, 2, 1] : tensor<6x37x16xf32> -> tensor<6x16x37xf32> loc("columns")
    %0 = fuse.matmul %q, %t : tensor<6x13x16xf32>, tensor<6x16x37xf32> -> tensor<6x13x37xf32> loc("scores")
    %1 = fuse.softmax %0 {axis = 2 : i64} : tensor<6x13x37xf32> loc("weights")
    %2 = fuse.matmul %1, %v : tensor<6x13x37xf32>, tensor<6x37x33xf32> -> tensor<6x13x33xf32> loc("y")
    return %2 : tensor<6x13x33xf32>
  }
}
