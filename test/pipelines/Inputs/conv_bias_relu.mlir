// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of prime extents: the last tile of each loop is not whole.
module @conv attributes {fuse.stage = "import", fuse.target = "cuda-sm80"} {
  func.func @main(%x: tensor<2x13x17x19xf32> {fuse.name = "x"}, %w: tensor<37x13x3x3xf32> {fuse.name = "w"}, %b: tensor<37xf32> {fuse.name = "b"}) -> (tensor<2x37x17x19xf32> {fuse.name = "y"}) {
    %0 = fuse.conv %x, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x13x17x19xf32>, tensor<37x13x3x3xf32>) -> tensor<2x37x17x19xf32>
    %1 = fuse.broadcast %b dims = [1] : tensor<37xf32> -> tensor<2x37x17x19xf32>
    %2 = fuse.add %0, %1 : tensor<2x37x17x19xf32>
    %3 = fuse.relu %2 : tensor<2x37x17x19xf32>
    return %3 : tensor<2x37x17x19xf32>
  }
}
