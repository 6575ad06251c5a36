// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product whose blocks load the next parts of its reduction while they
// compute: of rows of whole words, and of rows that begin anywhere.
module @gemm_stages attributes {fuse.target = "cuda-sm80"} {
  func.func @main(%arg0: tensor<47x301xf32> {fuse.name = "x"}, %arg1: tensor<301x1024xf32> {fuse.name = "w"}) -> (tensor<47x1024xf32> {fuse.name = "y"}) {
    %product = fuse.matmul %arg0, %arg1 : tensor<47x301xf32>, tensor<301x1024xf32> -> tensor<47x1024xf32>
    %y = fuse.relu %product : tensor<47x1024xf32>
    return %y : tensor<47x1024xf32>
  }
}
