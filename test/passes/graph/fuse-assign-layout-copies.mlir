// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows times rows: where it pays, one operand is copied so that lanes find results side
// by side, and no group takes the copy for an access.
// RUN: split-file %s %t
// RUN: fusec-opt %t/scores.mlir --fuse-assign-layout | FileCheck %s --check-prefix=COPY
// RUN: fusec-opt %t/scores.mlir --fuse-assign-layout --fuse-aggregate | FileCheck %s --check-prefix=GROUPS
// RUN: sed 's/"generic"/"cuda-sm80"/' %t/scores.mlir | fusec-opt --fuse-assign-layout | FileCheck %s --check-prefix=NONE
// RUN: fusec-opt %t/few.mlir --fuse-assign-layout | FileCheck %s --check-prefix=NONE
// RUN: fusec-opt %t/two.mlir --fuse-assign-layout | FileCheck %s --check-prefix=NONE
// RUN: fusec-opt %t/two.mlir --fuse-assign-layout=ordered | FileCheck %s --check-prefix=ORDERED
// RUN: fusec-opt %t/part.mlir --fuse-assign-layout --fuse-aggregate | FileCheck %s --check-prefix=APART
// RUN: fusec-opt %t/large.mlir --fuse-assign-layout | FileCheck %s --check-prefix=NONE
// RUN: fusec-opt %t/product.mlir --fuse-assign-layout | FileCheck %s --check-prefix=PRODUCT
// RUN: fusec-ref %t/scores.mlir > %t/before
// RUN: fusec-opt %t/scores.mlir --fuse-assign-layout -o %t/copied.mlir
// RUN: fusec-ref %t/copied.mlir > %t/after
// RUN: diff %t/before %t/after

// NONE-NOT:    fuse.transpose

//--- scores.mlir
// The keys, each read by 128 queries.
// COPY:        %[[K:.*]] = fuse.transpose %{{.*}} perm = [0, 2, 1] {stored} : tensor<12x128x64xf32> -> tensor<12x64x128xf32>
// COPY-NEXT:   fuse.contract %{{.*}}, %[[K]] maps
// GROUPS:      fuse.group
// GROUPS:      fuse.transpose
// GROUPS:      fuse.group
// GROUPS:      fuse.contract
// GROUPS-NOT:  fuse.transpose
module attributes {fuse.target = "generic"} {
  func.func @main(%q: tensor<12x128x64xf32>, %k: tensor<12x128x64xf32>) -> tensor<12x128xf32> {
    %0 = fuse.contract %q, %k maps = [affine_map<(h, i, j, d) -> (h, i, d)>,
      affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      : tensor<12x128x64xf32>, tensor<12x128x64xf32> -> tensor<12x128x128xf32>
    %1 = fuse.reduce (%0) inits = [0.0 : f32] dims = [2] : (tensor<12x128x128xf32>) -> tensor<12x128xf32> {
    ^bb0(%acc: f32, %e: f32):
      %r = arith.addf %acc, %e : f32
      fuse.yield %r : f32
    }
    return %1 : tensor<12x128xf32>
  }
}

//--- part.mlir
// The keys are a part of an array, of which a group reads a copy.
// APART:       fuse.group
// APART:       fuse.transpose
// APART:       fuse.group
// APART:       fuse.contract
// APART-NOT:   fuse.transpose
module attributes {fuse.target = "generic"} {
  func.func @main(%x: tensor<24x128x64xf32>) -> tensor<12x128xf32> {
    %q = fuse.slice %x offsets = [0, 0, 0] strides = [1, 1, 1] : tensor<24x128x64xf32> -> tensor<12x128x64xf32>
    %k = fuse.slice %x offsets = [12, 0, 0] strides = [1, 1, 1] : tensor<24x128x64xf32> -> tensor<12x128x64xf32>
    %0 = fuse.contract %q, %k maps = [affine_map<(h, i, j, d) -> (h, i, d)>,
      affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      : tensor<12x128x64xf32>, tensor<12x128x64xf32> -> tensor<12x128x128xf32>
    %1 = fuse.reduce (%0) inits = [0.0 : f32] dims = [2] : (tensor<12x128x128xf32>) -> tensor<12x128xf32> {
    ^bb0(%acc: f32, %e: f32):
      %r = arith.addf %acc, %e : f32
      fuse.yield %r : f32
    }
    return %1 : tensor<12x128xf32>
  }
}

//--- two.mlir
// Two queries: without the copy lanes share each sum, where these need not keep their order.
// ORDERED: fuse.transpose %{{.*}} perm = [0, 2, 1] {stored}
func.func @main(%q: tensor<12x2x64xf32>, %k: tensor<12x1024x64xf32>) -> tensor<12x2x1024xf32> {
    %0 = fuse.contract %q, %k maps = [affine_map<(h, i, j, d) -> (h, i, d)>,
      affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      : tensor<12x2x64xf32>, tensor<12x1024x64xf32> -> tensor<12x2x1024xf32>
  return %0 : tensor<12x2x1024xf32>
}

//--- few.mlir
// A step of decoding reads each key once.
func.func @main(%q: tensor<12x1x64xf32>, %k: tensor<12x1024x64xf32>) -> tensor<12x1x1024xf32> {
    %0 = fuse.contract %q, %k maps = [affine_map<(h, i, j, d) -> (h, i, d)>,
      affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      : tensor<12x1x64xf32>, tensor<12x1024x64xf32> -> tensor<12x1x1024xf32>
  return %0 : tensor<12x1x1024xf32>
}

//--- large.mlir
// Rows of scores of which no block stays in a cache, and which would take 128 MiB
// of memory.
func.func @main(%q: tensor<1x4096x64xf32>, %k: tensor<1x8192x64xf32>) -> tensor<1x4096xf32> {
    %0 = fuse.contract %q, %k maps = [affine_map<(h, i, j, d) -> (h, i, d)>,
      affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      : tensor<1x4096x64xf32>, tensor<1x8192x64xf32> -> tensor<1x4096x8192xf32>
    %1 = fuse.reduce (%0) inits = [0.0 : f32] dims = [2] : (tensor<1x4096x8192xf32>) -> tensor<1x4096xf32> {
    ^bb0(%acc: f32, %e: f32):
      %r = arith.addf %acc, %e : f32
      fuse.yield %r : f32
    }
  return %1 : tensor<1x4096xf32>
}

//--- product.mlir
// The same, stored anyway; of equal operands the second.
// PRODUCT:     fuse.transpose %arg1
// PRODUCT-NOT: fuse.transpose
func.func @main(%q: tensor<1x4096x64xf32>, %k: tensor<1x4096x64xf32>) -> tensor<1x4096x4096xf32> {
    %0 = fuse.contract %q, %k maps = [affine_map<(h, i, j, d) -> (h, i, d)>,
      affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      : tensor<1x4096x64xf32>, tensor<1x4096x64xf32> -> tensor<1x4096x4096xf32>
  return %0 : tensor<1x4096x4096xf32>
}
