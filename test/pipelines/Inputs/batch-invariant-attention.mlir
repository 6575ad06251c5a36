// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For batch-invariant-attention.test: an attention of 72 queries, whose operands are parts of
// one array, and one of a single query of each head, as in a step of decoding.
module @attention {
  func.func @main(%x: tensor<72x12x64xf32> {fuse.name = "x"}, %query: tensor<4x1x64xf32> {fuse.name = "query"},
                  %keys: tensor<4x72x64xf32> {fuse.name = "keys"}) -> (tensor<4x72x64xf32> {fuse.name = "all"}, tensor<4x1x64xf32> {fuse.name = "step"}) {
    %q = fuse.slice %x offsets = [0, 0, 0] strides = [1, 1, 1] : tensor<72x12x64xf32> -> tensor<72x4x64xf32>
    %k = fuse.slice %x offsets = [0, 4, 0] strides = [1, 1, 1] : tensor<72x12x64xf32> -> tensor<72x4x64xf32>
    %v = fuse.slice %x offsets = [0, 8, 0] strides = [1, 1, 1] : tensor<72x12x64xf32> -> tensor<72x4x64xf32>
    %scores = fuse.contract %q, %k maps = [affine_map<(h, i, j, d) -> (i, h, d)>, affine_map<(h, i, j, d) -> (j, h, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      : tensor<72x4x64xf32>, tensor<72x4x64xf32> -> tensor<4x72x72xf32> loc("scores")
    %rows = fuse.softmax %scores {axis = 2 : i64} : tensor<4x72x72xf32> loc("rows")
    %all = fuse.contract %rows, %v maps = [affine_map<(h, i, d, j) -> (h, i, j)>, affine_map<(h, i, d, j) -> (j, h, d)>, affine_map<(h, i, d, j) -> (h, i, d)>]
      : tensor<4x72x72xf32>, tensor<72x4x64xf32> -> tensor<4x72x64xf32> loc("all")
    %score = fuse.contract %query, %keys maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      : tensor<4x1x64xf32>, tensor<4x72x64xf32> -> tensor<4x1x72xf32> loc("score")
    %row = fuse.softmax %score {axis = 2 : i64} : tensor<4x1x72xf32> loc("row")
    %step = fuse.contract %row, %keys maps = [affine_map<(h, i, d, j) -> (h, i, j)>, affine_map<(h, i, d, j) -> (h, j, d)>, affine_map<(h, i, d, j) -> (h, i, d)>]
      : tensor<4x1x72xf32>, tensor<4x72x64xf32> -> tensor<4x1x64xf32> loc("step")
    return %all, %step : tensor<4x72x64xf32>, tensor<4x1x64xf32>
  }
}
