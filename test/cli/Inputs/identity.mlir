// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A network that computes nothing: no kernel, one copy.
module @identity {
  func.func @main(%x: tensor<2x6xf32> {fuse.name = "x"}) -> (tensor<3x4xf32> {fuse.name = "y"}) {
    %0 = fuse.reshape %x : tensor<2x6xf32> -> tensor<3x4xf32> loc("flatten")
    return %0 : tensor<3x4xf32>
  }
}
