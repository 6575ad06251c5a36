// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Means of columns that lie side by side: of many, of few, and of none that are whole
// groups.
module @columns {
  func.func @main(%x: tensor<2048x1024xf32> {fuse.name = "x"} loc("x"), %z: tensor<16384x32xf32> {fuse.name = "z"} loc("z"),
                  %w: tensor<512x13xf32> {fuse.name = "w"} loc("w"))
      -> (tensor<1024xf32> {fuse.name = "many"}, tensor<32xf32> {fuse.name = "few"}, tensor<13xf32> {fuse.name = "odd"}) {
    %many = fuse.reduce (%x) inits = [0.0 : f32] dims = [0] : (tensor<2048x1024xf32>) -> tensor<1024xf32> {
    ^bb0(%acc: f32, %e: f32):
      %r = arith.addf %acc, %e : f32
      fuse.yield %r : f32
    } loc("many")
    %few = fuse.reduce (%z) inits = [0.0 : f32] dims = [0] : (tensor<16384x32xf32>) -> tensor<32xf32> {
    ^bb0(%acc: f32, %e: f32):
      %r = arith.addf %acc, %e : f32
      fuse.yield %r : f32
    } loc("few")
    %odd = fuse.reduce (%w) inits = [0.0 : f32] dims = [0] : (tensor<512x13xf32>) -> tensor<13xf32> {
    ^bb0(%acc: f32, %e: f32):
      %r = arith.addf %acc, %e : f32
      fuse.yield %r : f32
    } loc("odd")
    return %many, %few, %odd : tensor<1024xf32>, tensor<32xf32>, tensor<13xf32>
  }
}
