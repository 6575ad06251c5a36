// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dense layer and a softmax, as an importer would write them.
module @small {
  fuse.weight @w = dense_resource<w> : tensor<4x3xf32>
  func.func @main(%x: tensor<2x4xf32> {fuse.name = "x"}) -> (tensor<2x3xf32> {fuse.name = "y"}) {
    %w = fuse.get_weight @w : tensor<4x3xf32> loc("w")
    %0 = fuse.matmul %x, %w : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32> loc("dense")
    %1 = fuse.relu %0 : tensor<2x3xf32> loc("activation")
    %2 = fuse.softmax %1 {axis = 1 : i64} : tensor<2x3xf32> loc("probabilities")
    return %2 : tensor<2x3xf32>
  }
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F0000004000000040000000000000803F0000803F0000803F000000BF0000803F0000000000000000000000BF"
    }
  }
#-}
