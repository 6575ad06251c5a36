// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row that is long, and one of few: what follows its sum is cut off to run in parallel.
func.func @main(%x: tensor<1x65536xf32> {fuse.name = "x"})
    -> (tensor<1x65536xf32> {fuse.name = "y"}) {
  %s = fuse.reduce (%x) inits = [0.0 : f32] dims = [1] : (tensor<1x65536xf32>) -> tensor<1xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("sum")
  %b = fuse.broadcast %s dims = [0] : tensor<1xf32> -> tensor<1x65536xf32> loc("sum")
  %y = fuse.div %x, %b : tensor<1x65536xf32> loc("share")
  return %y : tensor<1x65536xf32>
}
