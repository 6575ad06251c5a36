// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What no operator of ONNX's operator set 21 does.
func.func @main(%x: tensor<4xf32> {fuse.name = "x"}, %n: tensor<4xi4> {fuse.name = "n"})
    -> (tensor<4xi32> {fuse.name = "y"}, tensor<f32> {fuse.name = "z"}, tensor<2xi4> {fuse.name = "m"}) {
  %0 = fuse.bitcast %x : tensor<4xf32> -> tensor<4xi32> loc("bits")
  %1 = fuse.reduce (%x) inits = [0.0 : f32] dims = [0] : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%acc: f32, %e: f32):
    %2 = arith.mulf %e, %e : f32
    %3 = arith.addf %acc, %2 : f32
    fuse.yield %3 : f32
  } loc("norm")
  %4 = fuse.slice %n offsets = [1] strides = [2] : tensor<4xi4> -> tensor<2xi4> loc("part")
  return %0, %1, %4 : tensor<4xi32>, tensor<f32>, tensor<2xi4>
}
