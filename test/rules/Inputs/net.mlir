// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
func.func @main(%x: tensor<4x8xf32> {fuse.name = "x"}) -> (tensor<4x8xf32> {fuse.name = "y"}) {
  %0 = fuse.relu %x : tensor<4x8xf32> loc("first")
  %1 = fuse.sigmoid %0 : tensor<4x8xf32> loc("gate")
  %2 = fuse.add %0, %1 : tensor<4x8xf32> loc("sum")
  return %2 : tensor<4x8xf32>
}
