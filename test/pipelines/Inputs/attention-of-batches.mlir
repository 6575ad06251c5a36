// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention of two batches by one mask: what it hides is found once for both, so the
// batches are parts of each row's work.
module @batches {
  func.func @main(%q: tensor<2x4x17x33xf32> {fuse.name = "q"}, %k: tensor<2x1x33x33xf32> {fuse.name = "k"}, %v: tensor<2x1x33x33xf32> {fuse.name = "v"}, %mask: tensor<1x4x17x33xi1> {fuse.name = "mask"}) -> (tensor<2x4x17x33xf32> {fuse.name = "y"}) {
    %query = fuse.iota axis = 2 : tensor<1x4x17x33xi32>
    %key = fuse.iota axis = 3 : tensor<1x4x17x33xi32>
    %past = fuse.cmp le %key, %query : tensor<1x4x17x33xi32>, tensor<1x4x17x33xi32> -> tensor<1x4x17x33xi1>
    %allowed = fuse.and %mask, %past : tensor<1x4x17x33xi1>
    %0 = fuse.attention %q, %k, %v allowed %allowed {scale = 0.25 : f64, softcap = 0.0 : f64} : (tensor<2x4x17x33xf32>, tensor<2x1x33x33xf32>, tensor<2x1x33x33xf32>, tensor<1x4x17x33xi1>) -> tensor<2x4x17x33xf32> loc("y")
    return %0 : tensor<2x4x17x33xf32>
  }
}
