// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A quotient that is an output, and one that is rounded down.
module @quotients {
  func.func @main(%x: tensor<64xf32> {fuse.name = "x"})
      -> (tensor<64xf32> {fuse.name = "quotient"}, tensor<64xf32> {fuse.name = "whole"}) {
    %c = fuse.constant dense<41.0> : tensor<64xf32>
    %d = fuse.constant dense<47.0> : tensor<64xf32>
    %quotient = fuse.div %x, %c : tensor<64xf32>
    %other = fuse.div %x, %d : tensor<64xf32>
    %whole = fuse.floor %other : tensor<64xf32>
    return %quotient, %whole : tensor<64xf32>, tensor<64xf32>
  }
}
