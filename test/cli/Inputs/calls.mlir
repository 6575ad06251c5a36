// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = fuse.call @acme.Twice(%a) {by = 2.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = fuse.call @custom.MatMulScale(%0, %b) {scale = 3.0 : f64}
    : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
