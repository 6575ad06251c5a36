// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No kernel, only a call of the library.
func.func @main(%x: tensor<4xf32> {fuse.name = "x"})
    -> (tensor<1xf32> {fuse.name = "value"}, tensor<1xi64> {fuse.name = "place"}) {
  %0:2 = fuse.call @top_k(%x) {axis = 0, k = 1, largest = true} : (tensor<4xf32>) -> (tensor<1xf32>, tensor<1xi64>) loc("largest")
  return %0#0, %0#1 : tensor<1xf32>, tensor<1xi64>
}
