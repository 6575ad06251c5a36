// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library call, and a reshape that stays, for half of what it merges is reduced:
// neighbours that fusion does not ask about.
func.func @main(%x: tensor<4x9xf32> {fuse.name = "x"})
    -> (tensor<2xf32> {fuse.name = "y"}, tensor<4x3xi64> {fuse.name = "i"}) {
  %a = fuse.exp %x : tensor<4x9xf32> loc("before")
  %v, %i = fuse.call @top_k(%a) {axis = 1 : i64, k = 3 : i64, largest = true}
      : (tensor<4x9xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>) loc("best")
  %b = fuse.exp %v : tensor<4x3xf32> loc("after")
  %s = fuse.reduce (%b) inits = [0.0 : f32] dims = [1] : (tensor<4x3xf32>) -> tensor<4xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("sum")
  %t = fuse.broadcast %s dims = [0] : tensor<4xf32> -> tensor<4x3xf32> loc("sum")
  %d = fuse.div %b, %t : tensor<4x3xf32> loc("share")
  %r = fuse.reshape %d : tensor<4x3xf32> -> tensor<2x6xf32> loc("flat")
  %y = fuse.reduce (%r) inits = [0.0 : f32] dims = [1] : (tensor<2x6xf32>) -> tensor<2xf32> {
  ^bb0(%acc: f32, %e: f32):
    %n = arith.addf %acc, %e : f32
    fuse.yield %n : f32
  } loc("total")
  return %y, %i : tensor<2xf32>, tensor<4x3xi64>
}
