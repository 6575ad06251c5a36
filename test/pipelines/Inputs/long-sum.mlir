// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two reductions that leave most cores idle, one of which has a tail.
module @sums {
  func.func @main(%x: tensor<524288xf32> {fuse.name = "x"} loc("x"), %z: tensor<3x262147xf32> {fuse.name = "z"} loc("z"))
      -> (tensor<f32> {fuse.name = "total"}, tensor<3xf32> {fuse.name = "top"}) {
    %total = fuse.reduce (%x) inits = [0.0 : f32] dims = [0] : (tensor<524288xf32>) -> tensor<f32> {
    ^bb0(%acc: f32, %e: f32):
      %r = arith.addf %acc, %e : f32
      fuse.yield %r : f32
    } loc("total")
    %abs = fuse.abs %z : tensor<3x262147xf32> loc("abs")
    %top = fuse.reduce (%abs) inits = [0xFF800000 : f32] dims = [1] : (tensor<3x262147xf32>) -> tensor<3xf32> {
    ^bb0(%acc: f32, %e: f32):
      %r = arith.maximumf %acc, %e : f32
      fuse.yield %r : f32
    } loc("top")
    return %total, %top : tensor<f32>, tensor<3xf32>
  }
}
