// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One group of two statements, of which the second reads what the first writes.
module @steps {
  func.func @main(%x: tensor<64xf32> {fuse.name = "x"})
      -> (tensor<64xf32> {fuse.name = "root"}, tensor<64xf32> {fuse.name = "even"}) {
    %root = fuse.sqrt %x : tensor<64xf32>
    %even = fuse.exp %root : tensor<64xf32>
    return %root, %even : tensor<64xf32>, tensor<64xf32>
  }
}
