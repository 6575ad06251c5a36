// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-aggregate --split-input-file | FileCheck %s

// Floats that are widened are stored narrow: each reader in another kernel widens them anew.
// CHECK-LABEL: func.func @readers
// CHECK: %[[S:.*]] = fuse.group @{{.*}} -> tensor<64x256xf16>
// CHECK: fuse.group @{{.*}}(%[[S]]) : (tensor<64x256xf16>)
// CHECK: fuse.cast
// CHECK: fuse.sub
// CHECK: return
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
module attributes {fuse.target = "cuda-sm80"} {
  func.func @readers(%x: tensor<64x64xf16>, %w: tensor<64x256xf16>) -> tensor<64x256xf32> {
    %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<64x64xf16>, tensor<64x256xf16> -> tensor<64x256xf32>
    %1 = fuse.cast %0 : tensor<64x256xf32> -> tensor<64x256xf16>
    %2 = fuse.cast %1 : tensor<64x256xf16> -> tensor<64x256xf32>
    %3 = fuse.reduce(%1) inits = [0xFF800000 : f32] dims = [1] : (tensor<64x256xf16>) -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %m = arith.maximumf %a, %b : f32
      fuse.yield %m : f32
    }
    %4 = fuse.broadcast %3 dims = [0] : tensor<64xf32> -> tensor<64x256xf32>
    %5 = fuse.sub %2, %4 : tensor<64x256xf32>
    return %5 : tensor<64x256xf32>
  }
}

// -----

// Products read each element several times: it is widened once.
// CHECK-LABEL: func.func @products
// CHECK: %[[X:.*]] = fuse.group @{{.*}} -> tensor<64x64xf32>
// CHECK: fuse.group @{{.*}}(%[[X]], %{{.*}})
// CHECK: fuse.group @{{.*}}(%[[X]], %{{.*}})
// CHECK-NOT: fuse.cast
// CHECK: return
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
module attributes {fuse.target = "generic"} {
  func.func @products(%x: tensor<64x64xf16>, %v: tensor<64x256xf32>, %w: tensor<64x256xf32>)
      -> (tensor<64x256xf32>, tensor<64x256xf32>) {
    %0 = fuse.cast %x : tensor<64x64xf16> -> tensor<64x64xf32>
    %1 = fuse.contract %0, %v maps = [#x, #w, #y] : tensor<64x64xf32>, tensor<64x256xf32> -> tensor<64x256xf32>
    %2 = fuse.contract %0, %w maps = [#x, #w, #y] : tensor<64x64xf32>, tensor<64x256xf32> -> tensor<64x256xf32>
    return %1, %2 : tensor<64x256xf32>, tensor<64x256xf32>
  }
}
