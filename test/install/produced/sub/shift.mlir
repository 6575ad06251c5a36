// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
func.func @main(%x: tensor<4xf32> {fuse.name = "x"}) -> (tensor<4xf32> {fuse.name = "y"}) {
  %y = fuse.add %x, %x : tensor<4xf32> loc("y")
  return %y : tensor<4xf32>
}
