// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that become columns: lanes lie apart on one side or the other.
module @turned {
  func.func @main(%x: tensor<520x775xf32> {fuse.name = "x"} loc("x")) -> (tensor<775x520xf32> {fuse.name = "y"}) {
    %0 = fuse.transpose %x perm = [1, 0] : tensor<520x775xf32> -> tensor<775x520xf32> loc("y")
    return %0 : tensor<775x520xf32>
  }
}
