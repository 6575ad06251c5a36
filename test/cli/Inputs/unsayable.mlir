// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What no operator of ONNX's operator set 21 does.
func.func @main(%x: tensor<4xf32> {fuse.name = "x"}) -> (tensor<4xi32> {fuse.name = "y"}, tensor<f32> {fuse.name = "z"}) {
  %0 = fuse.bitcast %x : tensor<4xf32> -> tensor<4xi32> loc("bits")
  %1 = fuse.reduce (%x) inits = [0.0 : f32] dims = [0] : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%acc: f32, %e: f32):
    %2 = arith.mulf %e, %e : f32
    %3 = arith.addf %acc, %2 : f32
    fuse.yield %3 : f32
  } loc("norm")
  return %0, %1 : tensor<4xi32>, tensor<f32>
}
