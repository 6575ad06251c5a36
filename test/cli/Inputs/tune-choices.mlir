// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product with a weight, twice: at once or in halves, whose sum is a choice again.
#left = affine_map<(h, m, n, k) -> (m, h, k)>
#right = affine_map<(h, m, n, k) -> (h, k, n)>
#parts = affine_map<(h, m, n, k) -> (h, m, n)>
module @chosen {
  fuse.weight @w = dense_resource<w> : tensor<4x16xf32>
  func.func @main(%a: tensor<2x4xf32> {fuse.name = "a"}, %b: tensor<2x4xf32> {fuse.name = "b"}) -> (tensor<2x16xf32> {fuse.name = "c"}, tensor<2x16xf32> {fuse.name = "d"}) {
    %w = fuse.get_weight @w : tensor<4x16xf32> loc("w")
    %c = fuse.choice @c ["direct", "halves"] : tensor<2x16xf32> {
      %0 = fuse.matmul %a, %w : tensor<2x4xf32>, tensor<4x16xf32> -> tensor<2x16xf32> loc("product")
      fuse.yield %0 : tensor<2x16xf32>
    }, {
      %0 = fuse.reshape %a : tensor<2x4xf32> -> tensor<2x2x2xf32>
      %1 = fuse.reshape %w : tensor<4x16xf32> -> tensor<2x2x16xf32>
      %2 = fuse.contract %0, %1 maps = [#left, #right, #parts] : tensor<2x2x2xf32>, tensor<2x2x16xf32> -> tensor<2x2x16xf32> loc("half")
      %3 = fuse.choice @c_sum ["sum", "rows"] : tensor<2x16xf32> {
        %4 = fuse.reduce(%2) inits = [0.0 : f32] dims = [0] : (tensor<2x2x16xf32>) -> tensor<2x16xf32> {
        ^bb0(%p: f32, %q: f32):
          %r = arith.addf %p, %q : f32
          fuse.yield %r : f32
        } loc("sum")
        fuse.yield %4 : tensor<2x16xf32>
      }, {
        %4 = fuse.reshape %2 : tensor<2x2x16xf32> -> tensor<2x32xf32>
        %5 = fuse.reduce(%4) inits = [0.0 : f32] dims = [0] : (tensor<2x32xf32>) -> tensor<32xf32> {
        ^bb0(%p: f32, %q: f32):
          %r = arith.addf %p, %q : f32
          fuse.yield %r : f32
        } loc("rows")
        %6 = fuse.reshape %5 : tensor<32xf32> -> tensor<2x16xf32>
        fuse.yield %6 : tensor<2x16xf32>
      }
      fuse.yield %3 : tensor<2x16xf32>
    }
    %d = fuse.choice @d ["direct", "halves"] : tensor<2x16xf32> {
      %0 = fuse.matmul %b, %w : tensor<2x4xf32>, tensor<4x16xf32> -> tensor<2x16xf32> loc("product")
      fuse.yield %0 : tensor<2x16xf32>
    }, {
      %0 = fuse.reshape %b : tensor<2x4xf32> -> tensor<2x2x2xf32>
      %1 = fuse.reshape %w : tensor<4x16xf32> -> tensor<2x2x16xf32>
      %2 = fuse.contract %0, %1 maps = [#left, #right, #parts] : tensor<2x2x2xf32>, tensor<2x2x16xf32> -> tensor<2x2x16xf32> loc("half")
      %3 = fuse.choice @d_sum ["sum", "rows"] : tensor<2x16xf32> {
        %4 = fuse.reduce(%2) inits = [0.0 : f32] dims = [0] : (tensor<2x2x16xf32>) -> tensor<2x16xf32> {
        ^bb0(%p: f32, %q: f32):
          %r = arith.addf %p, %q : f32
          fuse.yield %r : f32
        } loc("sum")
        fuse.yield %4 : tensor<2x16xf32>
      }, {
        %4 = fuse.reshape %2 : tensor<2x2x16xf32> -> tensor<2x32xf32>
        %5 = fuse.reduce(%4) inits = [0.0 : f32] dims = [0] : (tensor<2x32xf32>) -> tensor<32xf32> {
        ^bb0(%p: f32, %q: f32):
          %r = arith.addf %p, %q : f32
          fuse.yield %r : f32
        } loc("rows")
        %6 = fuse.reshape %5 : tensor<32xf32> -> tensor<2x16xf32>
        fuse.yield %6 : tensor<2x16xf32>
      }
      fuse.yield %3 : tensor<2x16xf32>
    }
    return %c, %d : tensor<2x16xf32>, tensor<2x16xf32>
  }
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000C0BF0000803E0000A0BF0000003F000080BF0000403F000040BF0000803F000000BF0000A03F000080BE0000C03F000000000000C0BF0000803E0000A0BF0000003F000080BF0000403F000040BF0000803F000000BF0000A03F000080BE0000C03F000000000000C0BF0000803E0000A0BF0000003F000080BF0000403F000040BF0000803F000000BF0000A03F000080BE0000C03F000000000000C0BF0000803E0000A0BF0000003F000080BF0000403F000040BF0000803F000000BF0000A03F000080BE0000C03F000000000000C0BF0000803E0000A0BF0000003F000080BF0000403F000040BF0000803F000000BF0000A03F000080BE0000C03F"
    }
  }
#-}
