// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of prime extents: the last tile of each loop is not whole.
module @gemm attributes {fuse.stage = "import", fuse.target = "cuda-sm80"} {
  func.func @main(%x: tensor<131x257xf32> {fuse.name = "x"}, %w: tensor<257x127xf32> {fuse.name = "w"}, %b: tensor<127xf32> {fuse.name = "b"}) -> (tensor<131x127xf32> {fuse.name = "y"}) {
    %0 = fuse.matmul %x, %w : tensor<131x257xf32>, tensor<257x127xf32> -> tensor<131x127xf32>
    %1 = fuse.broadcast %b dims = [1] : tensor<127xf32> -> tensor<131x127xf32>
    %2 = fuse.add %0, %1 : tensor<131x127xf32>
    %3 = fuse.relu %2 : tensor<131x127xf32>
    return %3 : tensor<131x127xf32>
  }
}
