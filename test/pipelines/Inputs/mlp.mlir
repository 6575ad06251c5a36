// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One layer of a perceptron: y = relu(x w + b). The README follows it through all stages.
func.func @main(%x: tensor<8x32xf32> {fuse.name = "x"}, %w: tensor<32x48xf32> {fuse.name = "w"},
                %b: tensor<48xf32> {fuse.name = "b"}) -> (tensor<8x48xf32> {fuse.name = "y"}) {
  %product = fuse.matmul %x, %w : tensor<8x32xf32>, tensor<32x48xf32> -> tensor<8x48xf32> loc("product")
  %bias = fuse.broadcast %b dims = [1] : tensor<48xf32> -> tensor<8x48xf32> loc("bias")
  %sum = fuse.add %product, %bias : tensor<8x48xf32> loc("sum")
  %y = fuse.relu %sum : tensor<8x48xf32> loc("y")
  return %y : tensor<8x48xf32>
}
