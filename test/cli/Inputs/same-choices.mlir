// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two choices that differ in names alone.
module @same {
  func.func @main(%x: tensor<524288xf32> {fuse.name = "x"}, %z: tensor<524288xf32> {fuse.name = "z"})
      -> (tensor<f32> {fuse.name = "a"}, tensor<f32> {fuse.name = "b"}) {
    %a = fuse.reduce (%x) inits = [0.0 : f32] dims = [0] : (tensor<524288xf32>) -> tensor<f32> {
    ^bb0(%acc: f32, %e: f32):
      %r = arith.addf %acc, %e : f32
      fuse.yield %r : f32
    } loc("a")
    %b = fuse.reduce (%z) inits = [0.0 : f32] dims = [0] : (tensor<524288xf32>) -> tensor<f32> {
    ^bb0(%acc: f32, %e: f32):
      %r = arith.addf %acc, %e : f32
      fuse.yield %r : f32
    } loc("b")
    return %a, %b : tensor<f32>, tensor<f32>
  }
}
