// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices of odd sizes: as they lie, with an epilogue, transposed, batched with
// one operand repeated, and as a convolution of one tap.
module @products {
  func.func @main(%x: tensor<67x131xf32> {fuse.name = "x"}, %w: tensor<131x45xf32> {fuse.name = "w"},
      %wt: tensor<45x131xf32> {fuse.name = "wt"}, %xt: tensor<131x67xf32> {fuse.name = "xt"}, %b: tensor<45xf32> {fuse.name = "b"},
      %p: tensor<3x1x33x20xf32> {fuse.name = "p"}, %q: tensor<2x20x17xf32> {fuse.name = "q"},
      %i: tensor<2x24x9x11xf32> {fuse.name = "i"}, %k: tensor<32x24x1x1xf32> {fuse.name = "k"})
      -> (tensor<67x45xf32> {fuse.name = "plain"}, tensor<67x45xf32> {fuse.name = "epilogue"}, tensor<67x45xf32> {fuse.name = "both"},
          tensor<3x2x33x17xf32> {fuse.name = "batch"}, tensor<2x32x9x11xf32> {fuse.name = "channels"}) {
    %0 = fuse.matmul %x, %w : tensor<67x131xf32>, tensor<131x45xf32> -> tensor<67x45xf32> loc("plain")
    %1 = fuse.gemm %x, %wt, %b {alpha = 1.0, beta = 1.0, trans_rhs} : (tensor<67x131xf32>, tensor<45x131xf32>, tensor<45xf32>) -> tensor<67x45xf32> loc("epilogue")
    %2 = fuse.relu %1 : tensor<67x45xf32>
    %3 = fuse.gemm %xt, %wt {alpha = 0.5, beta = 1.0, trans_lhs, trans_rhs} : (tensor<131x67xf32>, tensor<45x131xf32>) -> tensor<67x45xf32> loc("both")
    %4 = fuse.matmul %p, %q : tensor<3x1x33x20xf32>, tensor<2x20x17xf32> -> tensor<3x2x33x17xf32> loc("batch")
    %5 = fuse.conv %i, %k {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, groups = 1 : i64} : (tensor<2x24x9x11xf32>, tensor<32x24x1x1xf32>) -> tensor<2x32x9x11xf32> loc("channels")
    return %0, %2, %3, %4, %5 : tensor<67x45xf32>, tensor<67x45xf32>, tensor<67x45xf32>, tensor<3x2x33x17xf32>, tensor<2x32x9x11xf32>
  }
}
