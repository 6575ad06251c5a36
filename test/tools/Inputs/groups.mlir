// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Five groups: sums of rows, of which no two have as many.
module @groups {
  func.func @main(%a: tensor<2x16xf32> {fuse.name = "a"}, %b: tensor<3x16xf32> {fuse.name = "b"}, %c: tensor<4x16xf32> {fuse.name = "c"}, %d: tensor<5x16xf32> {fuse.name = "d"}, %e: tensor<6x16xf32> {fuse.name = "e"}) -> (tensor<2xf32> {fuse.name = "sums_a"}, tensor<3xf32> {fuse.name = "sums_b"}, tensor<4xf32> {fuse.name = "sums_c"}, tensor<5xf32> {fuse.name = "sums_d"}, tensor<6xf32> {fuse.name = "sums_e"}) {
    %0 = fuse.reduce(%a) inits = [0.0 : f32] dims = [1] : (tensor<2x16xf32>) -> tensor<2xf32> {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      fuse.yield %s : f32
    } loc("sums_a")
    %1 = fuse.reduce(%b) inits = [0.0 : f32] dims = [1] : (tensor<3x16xf32>) -> tensor<3xf32> {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      fuse.yield %s : f32
    } loc("sums_b")
    %2 = fuse.reduce(%c) inits = [0.0 : f32] dims = [1] : (tensor<4x16xf32>) -> tensor<4xf32> {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      fuse.yield %s : f32
    } loc("sums_c")
    %3 = fuse.reduce(%d) inits = [0.0 : f32] dims = [1] : (tensor<5x16xf32>) -> tensor<5xf32> {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      fuse.yield %s : f32
    } loc("sums_d")
    %4 = fuse.reduce(%e) inits = [0.0 : f32] dims = [1] : (tensor<6x16xf32>) -> tensor<6xf32> {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      fuse.yield %s : f32
    } loc("sums_e")
    return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<3xf32>, tensor<4xf32>, tensor<5xf32>, tensor<6xf32>
  }
}
