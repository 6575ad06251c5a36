// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A convolution, a product, and a reduction of rows that columns of a product follow.
module @algos {
  func.func @main(%image: tensor<1x5x9x11xf32> {fuse.name = "image"}, %w: tensor<6x5x3x3xf32> {fuse.name = "w"}, %a: tensor<37x24xf32> {fuse.name = "a"}, %b: tensor<24x40xf32> {fuse.name = "b"}, %rows: tensor<37x64xf32> {fuse.name = "rows"}) -> (tensor<1x6x7x9xf32> {fuse.name = "features"}, tensor<37x40xf32> {fuse.name = "product"}, tensor<37xf32> {fuse.name = "sums"}) {
    %0 = fuse.conv %image, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pad_high = array<i64: 0, 0>, pad_low = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x5x9x11xf32>, tensor<6x5x3x3xf32>) -> tensor<1x6x7x9xf32> loc("features")
    %1 = fuse.matmul %a, %b : tensor<37x24xf32>, tensor<24x40xf32> -> tensor<37x40xf32> loc("product")
    %2 = fuse.reduce(%rows) inits = [0.0 : f32] dims = [1] : (tensor<37x64xf32>) -> tensor<37xf32> {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      fuse.yield %s : f32
    } loc("sums")
    return %0, %1, %2 : tensor<1x6x7x9xf32>, tensor<37x40xf32>, tensor<37xf32>
  }
}
