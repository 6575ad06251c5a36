// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A convolution whose sums of a tile fill no vector, and a batched product.
module @narrow {
  func.func @main(%x: tensor<1x5x4x4xf32> {fuse.name = "x"}, %a: tensor<3x17x31xf32> {fuse.name = "a"}, %b: tensor<3x31x33xf32> {fuse.name = "b"}) -> (tensor<1x3x7x7xf32> {fuse.name = "features"}, tensor<3x17x33xf32> {fuse.name = "products"}) {
    %bias = fuse.constant dense<[0.25, -1.0, 0.5]> : tensor<3xf32> loc("bias")
    %w = fuse.constant dense<[[[[-0.5]], [[-0.25]], [[-0.75]]], [[[-0.5]], [[-1.5]], [[-0.125]]], [[[0.25]], [[-0.75]], [[2.0]]], [[[-0.5]], [[0.25]], [[-0.5]]], [[[-0.75]], [[-0.25]], [[-0.5]]]]> : tensor<5x3x1x1xf32> loc("w")
    %0 = fuse.conv_transpose %x, %w, %bias {dilations = array<i64: 1, 1>, groups = 1 : i64, pad_low = array<i64: 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x5x4x4xf32>, tensor<5x3x1x1xf32>, tensor<3xf32>) -> tensor<1x3x7x7xf32> loc("features")
    %1 = fuse.matmul %a, %b : tensor<3x17x31xf32>, tensor<3x31x33xf32> -> tensor<3x17x33xf32> loc("products")
    return %0, %1 : tensor<1x3x7x7xf32>, tensor<3x17x33xf32>
  }
}
