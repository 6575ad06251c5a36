// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product whose columns are 4 KiB apart: the rows that a tile reads of them take each
// other's place in the caches.
module @depth {
  func.func @main(%a: tensor<13x301xf32> {fuse.name = "a"}, %b: tensor<301x1024xf32> {fuse.name = "b"}) -> (tensor<13x1024xf32> {fuse.name = "product"}) {
    %0 = fuse.matmul %a, %b : tensor<13x301xf32>, tensor<301x1024xf32> -> tensor<13x1024xf32> loc("product")
    return %0 : tensor<13x1024xf32>
  }
}
