// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum and a product of f16, and a cast to bf16 and back.
module @half {
  func.func @main(%x: tensor<64xf16> {fuse.name = "x"}, %w: tensor<64xf32> {fuse.name = "w"})
      -> (tensor<64xf16> {fuse.name = "y"}, tensor<64xf32> {fuse.name = "z"}) {
    %sum = fuse.add %x, %x : tensor<64xf16>
    %y = fuse.mul %sum, %x : tensor<64xf16>
    %narrow = fuse.cast %w : tensor<64xf32> -> tensor<64xbf16>
    %z = fuse.cast %narrow : tensor<64xbf16> -> tensor<64xf32>
    return %y, %z : tensor<64xf16>, tensor<64xf32>
  }
}
