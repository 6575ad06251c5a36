// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of each class that fusec advise tells apart, and of those that are easily
// taken for another one: a square is no contraction, and neither a sum of products
// without a factor that is used again.
module @classes {
  func.func @main(%a: tensor<24x24xf32> {fuse.name = "a"}, %b: tensor<24x48xf32> {fuse.name = "b"}, %v: tensor<48xf32> {fuse.name = "v"}, %c: tensor<32x64xf32> {fuse.name = "c"}, %d: tensor<32x64xf32> {fuse.name = "d"}, %e: tensor<40x64xf32> {fuse.name = "e"}, %f: tensor<36x52xf32> {fuse.name = "f"}, %p: tensor<44x56xf32> {fuse.name = "p"}, %q: tensor<56x44xf32> {fuse.name = "q"}, %h: tensor<28x64xf16> {fuse.name = "h"}, %n: tensor<20x64xi32> {fuse.name = "n"}, %t: tensor<300xf32> {fuse.name = "t"}, %i: tensor<64xi64> {fuse.name = "i"}, %k: tensor<4x9xf32> {fuse.name = "k"}) -> (tensor<24x48xf32> {fuse.name = "product"}, tensor<24xf32> {fuse.name = "vector"}, tensor<32xf32> {fuse.name = "squares"}, tensor<32xf32> {fuse.name = "dots"}, tensor<40x64xf32> {fuse.name = "exps"}, tensor<52x36xf32> {fuse.name = "turned"}, tensor<44x56xf32> {fuse.name = "mixed"}, tensor<28x64xf16> {fuse.name = "halves"}, tensor<20x64xi32> {fuse.name = "whole"}, tensor<64xf32> {fuse.name = "picked"}, tensor<4x3xf32> {fuse.name = "best"}) {
    %product = fuse.matmul %a, %b : tensor<24x24xf32>, tensor<24x48xf32> -> tensor<24x48xf32> loc("product")
    %vector = fuse.matmul %product, %v : tensor<24x48xf32>, tensor<48xf32> -> tensor<24xf32> loc("vector")
    %cc = fuse.mul %c, %c : tensor<32x64xf32> loc("cc")
    %squares = fuse.reduce(%cc) inits = [0.0 : f32] dims = [1] : (tensor<32x64xf32>) -> tensor<32xf32> {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      fuse.yield %s : f32
    } loc("squares")
    %cd = fuse.mul %c, %d : tensor<32x64xf32> loc("cd")
    %dots = fuse.reduce(%cd) inits = [0.0 : f32] dims = [1] : (tensor<32x64xf32>) -> tensor<32xf32> {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      fuse.yield %s : f32
    } loc("dots")
    %exps = fuse.exp %e : tensor<40x64xf32> loc("exps")
    %turned = fuse.transpose %f perm = [1, 0] : tensor<36x52xf32> -> tensor<52x36xf32> loc("turned")
    %qt = fuse.transpose %q perm = [1, 0] : tensor<56x44xf32> -> tensor<44x56xf32> loc("qt")
    %mixed = fuse.add %p, %qt : tensor<44x56xf32> loc("mixed")
    %halves = fuse.add %h, %h : tensor<28x64xf16> loc("halves")
    %whole = fuse.mul %n, %n : tensor<20x64xi32> loc("whole")
    %picked = fuse.gather %t, %i axis = 0 : tensor<300xf32>, tensor<64xi64> -> tensor<64xf32> loc("picked")
    %best, %where = fuse.call @top_k(%k) {axis = 1, k = 3, largest = true} : (tensor<4x9xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>) loc("best")
    return %product, %vector, %squares, %dots, %exps, %turned, %mixed, %halves, %whole, %picked, %best : tensor<24x48xf32>, tensor<24xf32>, tensor<32xf32>, tensor<32xf32>, tensor<40x64xf32>, tensor<52x36xf32>, tensor<44x56xf32>, tensor<28x64xf16>, tensor<20x64xi32>, tensor<64xf32>, tensor<4x3xf32>
  }
}
