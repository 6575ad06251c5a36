// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row after the other is added to a state, whose square root is taken at the end.
module @loop {
  func.func @main(%h0: tensor<4xf32> {fuse.name = "h0"}, %x: tensor<5x4xf32> {fuse.name = "x"}) -> (tensor<4xf32> {fuse.name = "y"}) {
    %h = fuse.loop trips = 5 carries(%h0) slices(%x)
        : (tensor<4xf32>, tensor<5x4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %a: tensor<4xf32>, %r: tensor<4xf32>):
      %0 = fuse.mul %r, %r : tensor<4xf32> loc("square")
      %1 = fuse.add %a, %0 : tensor<4xf32> loc("step")
      fuse.yield %1 : tensor<4xf32>
    }
    %y = fuse.exp %h : tensor<4xf32> loc("y")
    return %y : tensor<4xf32>
  }
}
