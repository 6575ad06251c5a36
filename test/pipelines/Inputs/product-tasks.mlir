// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product that libraries of others compute in several tasks.
func.func @main(%x: tensor<301x83xf32> {fuse.name = "x"}, %w: tensor<517x83xf32> {fuse.name = "w"}) -> (tensor<301x517xf32> {fuse.name = "y"}) {
  %0 = fuse.gemm %x, %w {alpha = 1.0, beta = 1.0, trans_rhs} : (tensor<301x83xf32>, tensor<517x83xf32>) -> tensor<301x517xf32> loc("product")
  return %0 : tensor<301x517xf32>
}
