// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product and a bias that consists of two inputs.
module @product_pieces {
  func.func @main(%x: tensor<64x40xf32> {fuse.name = "x"}, %w: tensor<40x128xf32> {fuse.name = "w"},
                  %a: tensor<70xf32> {fuse.name = "a"}, %b: tensor<58xf32> {fuse.name = "b"})
      -> (tensor<64x128xf32> {fuse.name = "y"}) {
    %product = fuse.matmul %x, %w : tensor<64x40xf32>, tensor<40x128xf32> -> tensor<64x128xf32>
    %bias = fuse.concat %a, %b axis = 0 : tensor<70xf32>, tensor<58xf32> -> tensor<128xf32>
    %rows = fuse.broadcast %bias dims = [1] : tensor<128xf32> -> tensor<64x128xf32>
    %y = fuse.add %product, %rows : tensor<64x128xf32>
    return %y : tensor<64x128xf32>
  }
}
