// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of an array that is larger than a second-level cache.
module @softmax {
  func.func @main(%x: tensor<311x467xf32> {fuse.name = "x"}) -> (tensor<311x467xf32> {fuse.name = "y"}) {
    %0 = fuse.softmax %x {axis = 1 : i64} : tensor<311x467xf32> loc("rows")
    return %0 : tensor<311x467xf32>
  }
}
