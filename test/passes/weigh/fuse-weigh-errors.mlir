// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-weigh --verify-diagnostics

// Where a group is cut, its neighbours are held against the rules of groups, too.
#q = affine_map<(b, i, j, k) -> (b, i, k)>
#k = affine_map<(b, i, j, k) -> (b, j, k)>
#s = affine_map<(b, i, j, k) -> (b, i, j)>
module attributes {fuse.target = "cuda-sm80"} {
func.func @main(%q: tensor<12x512x64xf32>, %k: tensor<12x512x64xf32>, %z: tensor<4xf32>) -> (tensor<12x512x512xf32>, tensor<2x2xf32>) {
  %9 = fuse.group @scores_weights(%q, %k) : (tensor<12x512x64xf32>, tensor<12x512x64xf32>) -> tensor<12x512x512xf32> {
  ^bb0(%a: tensor<12x512x64xf32>, %b: tensor<12x512x64xf32>):
    %0 = fuse.contract %a, %b maps = [#q, #k, #s] : tensor<12x512x64xf32>, tensor<12x512x64xf32> -> tensor<12x512x512xf32>
    %1 = fuse.reduce (%0) inits = [0xFF800000 : f32] dims = [2] : (tensor<12x512x512xf32>) -> tensor<12x512xf32> {
    ^bb0(%x: f32, %y: f32):
      %7 = arith.maximumf %x, %y : f32
      fuse.yield %7 : f32
    }
    %2 = fuse.broadcast %1 dims = [0, 1] : tensor<12x512xf32> -> tensor<12x512x512xf32>
    %3 = fuse.sub %0, %2 : tensor<12x512x512xf32>
    %4 = fuse.exp %3 : tensor<12x512x512xf32>
    %5 = fuse.reduce (%4) inits = [0.0 : f32] dims = [2] : (tensor<12x512x512xf32>) -> tensor<12x512xf32> {
    ^bb0(%x: f32, %y: f32):
      %7 = arith.addf %x, %y : f32
      fuse.yield %7 : f32
    }
    %8 = fuse.broadcast %5 dims = [0, 1] : tensor<12x512xf32> -> tensor<12x512x512xf32>
    %6 = fuse.div %4, %8 : tensor<12x512x512xf32>
    fuse.yield %6 : tensor<12x512x512xf32>
  }
  // expected-error @below {{'fuse.group' op holds an operation that is no primitive; groups are formed by --fuse-aggregate}}
  %10 = fuse.group @reshape(%z) : (tensor<4xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-note @below {{this operation}}
    %1 = fuse.reshape %a : tensor<4xf32> -> tensor<2x2xf32>
    fuse.yield %1 : tensor<2x2xf32>
  }
  return %9, %10 : tensor<12x512x512xf32>, tensor<2x2xf32>
}
}
