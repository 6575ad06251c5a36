// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More elements than 32 bits count: 66000 x 66000.
module @outer {
  func.func @main(%arg0: tensor<66000xf32> {fuse.name = "x"}, %arg1: tensor<66000xf32> {fuse.name = "b"}) -> (tensor<66000x66000xf32> {fuse.name = "y"}) {
    %rows = fuse.broadcast %arg0 dims = [0] : tensor<66000xf32> -> tensor<66000x66000xf32>
    %columns = fuse.broadcast %arg1 dims = [1] : tensor<66000xf32> -> tensor<66000x66000xf32>
    %y = fuse.add %rows, %columns : tensor<66000x66000xf32>
    return %y : tensor<66000x66000xf32>
  }
}
