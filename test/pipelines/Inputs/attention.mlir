// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores, their softmax, and a product with them, with keys as projections leave them.
module @attention {
  func.func @main(%q: tensor<3x54x64xf32> {fuse.name = "q"}, %k: tensor<3x96x64xf32> {fuse.name = "k"}, %v: tensor<3x96x48xf32> {fuse.name = "v"}) -> (tensor<3x54x48xf32> {fuse.name = "y"}) {
    %t = fuse.transpose %k perm = [0, 2, 1] : tensor<3x96x64xf32> -> tensor<3x64x96xf32> loc("columns")
    %0 = fuse.matmul %q, %t : tensor<3x54x64xf32>, tensor<3x64x96xf32> -> tensor<3x54x96xf32> loc("scores")
    %1 = fuse.softmax %0 {axis = 2 : i64} : tensor<3x54x96xf32> loc("weights")
    %2 = fuse.matmul %1, %v : tensor<3x54x96xf32>, tensor<3x96x48xf32> -> tensor<3x54x48xf32> loc("y")
    return %2 : tensor<3x54x48xf32>
  }
}
