// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product and a sum behind it, and a row's norm that is scaled and shifted.
module @scaled {
  func.func @main(%x: tensor<8x64xf32> {fuse.name = "x"}, %y: tensor<8x64xf32> {fuse.name = "y"},
                  %s: tensor<64xf32> {fuse.name = "s"})
      -> (tensor<8x64xf32> {fuse.name = "sum"}, tensor<8x64xf32> {fuse.name = "scaled"}) {
    %product = fuse.mul %x, %y : tensor<8x64xf32>
    %sum = fuse.add %product, %x : tensor<8x64xf32>
    %squares = fuse.mul %y, %y : tensor<8x64xf32>
    %norm = fuse.reduce (%squares) inits = [0.0 : f32] dims = [1] : (tensor<8x64xf32>) -> tensor<8xf32> {
    ^bb0(%acc: f32, %in: f32):
      %t = arith.addf %acc, %in : f32
      fuse.yield %t : f32
    }
    %norms = fuse.broadcast %norm dims = [0] : tensor<8xf32> -> tensor<8x64xf32>
    %factors = fuse.broadcast %s dims = [1] : tensor<64xf32> -> tensor<8x64xf32>
    %quotient = fuse.div %y, %norms : tensor<8x64xf32>
    %big = fuse.mul %quotient, %factors : tensor<8x64xf32>
    %scaled = fuse.add %big, %y : tensor<8x64xf32>
    return %sum, %scaled : tensor<8x64xf32>, tensor<8x64xf32>
  }
}
