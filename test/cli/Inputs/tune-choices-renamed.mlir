// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as tune-choices.mlir in another order, under other names.
#left = affine_map<(h, m, n, k) -> (m, h, k)>
#right = affine_map<(h, m, n, k) -> (h, k, n)>
#parts = affine_map<(h, m, n, k) -> (h, m, n)>
module @renamed {
  fuse.weight @filter = dense_resource<filter> : tensor<4x16xf32>
  func.func @main(%first: tensor<2x4xf32> {fuse.name = "first"}, %second: tensor<2x4xf32> {fuse.name = "second"}) -> (tensor<2x16xf32> {fuse.name = "one"}, tensor<2x16xf32> {fuse.name = "other"}) {
    %filter = fuse.get_weight @filter : tensor<4x16xf32> loc("filter")
    %other = fuse.choice @other ["direct", "halves"] : tensor<2x16xf32> {
      %0 = fuse.matmul %second, %filter : tensor<2x4xf32>, tensor<4x16xf32> -> tensor<2x16xf32> loc("matrix")
      fuse.yield %0 : tensor<2x16xf32>
    }, {
      %0 = fuse.reshape %second : tensor<2x4xf32> -> tensor<2x2x2xf32>
      %1 = fuse.reshape %filter : tensor<4x16xf32> -> tensor<2x2x16xf32>
      %2 = fuse.contract %0, %1 maps = [#left, #right, #parts] : tensor<2x2x2xf32>, tensor<2x2x16xf32> -> tensor<2x2x16xf32> loc("piece")
      %3 = fuse.choice @other_pieces ["sum", "rows"] : tensor<2x16xf32> {
        %4 = fuse.reduce(%2) inits = [0.0 : f32] dims = [0] : (tensor<2x2x16xf32>) -> tensor<2x16xf32> {
        ^bb0(%p: f32, %q: f32):
          %r = arith.addf %p, %q : f32
          fuse.yield %r : f32
        } loc("pieces")
        fuse.yield %4 : tensor<2x16xf32>
      }, {
        %4 = fuse.reshape %2 : tensor<2x2x16xf32> -> tensor<2x32xf32>
        %5 = fuse.reduce(%4) inits = [0.0 : f32] dims = [0] : (tensor<2x32xf32>) -> tensor<32xf32> {
        ^bb0(%p: f32, %q: f32):
          %r = arith.addf %p, %q : f32
          fuse.yield %r : f32
        } loc("lines")
        %6 = fuse.reshape %5 : tensor<32xf32> -> tensor<2x16xf32>
        fuse.yield %6 : tensor<2x16xf32>
      }
      fuse.yield %3 : tensor<2x16xf32>
    }
    %one = fuse.choice @one ["direct", "halves"] : tensor<2x16xf32> {
      %0 = fuse.matmul %first, %filter : tensor<2x4xf32>, tensor<4x16xf32> -> tensor<2x16xf32> loc("matrix")
      fuse.yield %0 : tensor<2x16xf32>
    }, {
      %0 = fuse.reshape %first : tensor<2x4xf32> -> tensor<2x2x2xf32>
      %1 = fuse.reshape %filter : tensor<4x16xf32> -> tensor<2x2x16xf32>
      %2 = fuse.contract %0, %1 maps = [#left, #right, #parts] : tensor<2x2x2xf32>, tensor<2x2x16xf32> -> tensor<2x2x16xf32> loc("piece")
      %3 = fuse.choice @one_pieces ["sum", "rows"] : tensor<2x16xf32> {
        %4 = fuse.reduce(%2) inits = [0.0 : f32] dims = [0] : (tensor<2x2x16xf32>) -> tensor<2x16xf32> {
        ^bb0(%p: f32, %q: f32):
          %r = arith.addf %p, %q : f32
          fuse.yield %r : f32
        } loc("pieces")
        fuse.yield %4 : tensor<2x16xf32>
      }, {
        %4 = fuse.reshape %2 : tensor<2x2x16xf32> -> tensor<2x32xf32>
        %5 = fuse.reduce(%4) inits = [0.0 : f32] dims = [0] : (tensor<2x32xf32>) -> tensor<32xf32> {
        ^bb0(%p: f32, %q: f32):
          %r = arith.addf %p, %q : f32
          fuse.yield %r : f32
        } loc("lines")
        %6 = fuse.reshape %5 : tensor<32xf32> -> tensor<2x16xf32>
        fuse.yield %6 : tensor<2x16xf32>
      }
      fuse.yield %3 : tensor<2x16xf32>
    }
    return %one, %other : tensor<2x16xf32>, tensor<2x16xf32>
  }
}
{-#
  dialect_resources: {
    builtin: {
      filter: "0x040000000000C0BF0000803E0000A0BF0000003F000080BF0000403F000040BF0000803F000000BF0000A03F000080BE0000C03F000000000000C0BF0000803E0000A0BF0000003F000080BF0000403F000040BF0000803F000000BF0000A03F000080BE0000C03F000000000000C0BF0000803E0000A0BF0000003F000080BF0000403F000040BF0000803F000000BF0000A03F000080BE0000C03F000000000000C0BF0000803E0000A0BF0000003F000080BF0000403F000040BF0000803F000000BF0000A03F000080BE0000C03F000000000000C0BF0000803E0000A0BF0000003F000080BF0000403F000040BF0000803F000000BF0000A03F000080BE0000C03F"
    }
  }
#-}
