// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A group, and two choices that differ in names alone: three kernels for both of them.
module @choices {
  func.func @main(%a: tensor<2x16xf32> {fuse.name = "a"}, %b: tensor<1024xf32> {fuse.name = "b"}, %c: tensor<1024xf32> {fuse.name = "c"}) -> (tensor<2xf32> {fuse.name = "sums"}, tensor<f32> {fuse.name = "first"}, tensor<f32> {fuse.name = "second"}) {
    %0 = fuse.reduce(%a) inits = [0.0 : f32] dims = [1] : (tensor<2x16xf32>) -> tensor<2xf32> {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      fuse.yield %s : f32
    } loc("sums")
    %1 = fuse.choice @first ["whole", "halves"] : tensor<f32> {
      %2 = fuse.reduce(%b) inits = [0.0 : f32] dims = [0] : (tensor<1024xf32>) -> tensor<f32> {
      ^bb0(%x: f32, %y: f32):
        %s = arith.addf %x, %y : f32
        fuse.yield %s : f32
      } loc("whole")
      fuse.yield %2 : tensor<f32>
    }, {
      %2 = fuse.reshape %b : tensor<1024xf32> -> tensor<2x512xf32>
      %3 = fuse.reduce(%2) inits = [0.0 : f32] dims = [1] : (tensor<2x512xf32>) -> tensor<2xf32> {
      ^bb0(%x: f32, %y: f32):
        %s = arith.addf %x, %y : f32
        fuse.yield %s : f32
      } loc("half")
      %4 = fuse.reduce(%3) inits = [0.0 : f32] dims = [0] : (tensor<2xf32>) -> tensor<f32> {
      ^bb0(%x: f32, %y: f32):
        %s = arith.addf %x, %y : f32
        fuse.yield %s : f32
      } loc("both")
      fuse.yield %4 : tensor<f32>
    }
    %5 = fuse.choice @second ["whole", "halves"] : tensor<f32> {
      %6 = fuse.reduce(%c) inits = [0.0 : f32] dims = [0] : (tensor<1024xf32>) -> tensor<f32> {
      ^bb0(%x: f32, %y: f32):
        %s = arith.addf %x, %y : f32
        fuse.yield %s : f32
      } loc("whole")
      fuse.yield %6 : tensor<f32>
    }, {
      %6 = fuse.reshape %c : tensor<1024xf32> -> tensor<2x512xf32>
      %7 = fuse.reduce(%6) inits = [0.0 : f32] dims = [1] : (tensor<2x512xf32>) -> tensor<2xf32> {
      ^bb0(%x: f32, %y: f32):
        %s = arith.addf %x, %y : f32
        fuse.yield %s : f32
      } loc("half")
      %8 = fuse.reduce(%7) inits = [0.0 : f32] dims = [0] : (tensor<2xf32>) -> tensor<f32> {
      ^bb0(%x: f32, %y: f32):
        %s = arith.addf %x, %y : f32
        fuse.yield %s : f32
      } loc("both")
      fuse.yield %8 : tensor<f32>
    }
    return %0, %1, %5 : tensor<2xf32>, tensor<f32>, tensor<f32>
  }
}
