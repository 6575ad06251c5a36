// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a unit multiplies matrices, weights have their terms side by side, and these are
// summed over last: of a window the channels, behind its taps.
// RUN: fusec-opt %s --fuse-assign-layout | FileCheck %s
// RUN: sed 's/cuda-sm80/cuda-sm75/' %s | fusec-opt --fuse-assign-layout | FileCheck %s --check-prefix=LANES
// RUN: fusec-ref %s > %t.before
// RUN: fusec-opt %s --fuse-assign-layout -o %t.mlir
// RUN: fusec-ref %t.mlir > %t.after
// RUN: diff %t.before %t.after

// CHECK-DAG: [[X:#.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d5, d1, d2, d3, d4)>
// CHECK-DAG: [[W:#.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d4, d5)>
// CHECK:     %[[P:.*]] = fuse.constant dense<{{.*}}> : tensor<2x1x2x16xf16>
// CHECK:     fuse.contract %{{.*}}, %[[P]] maps = [[[X]], [[W]], #{{.*}}]
// Rows of z have their terms side by side: those of the other factor may lie apart.
// CHECK:     %[[V:.*]] = fuse.get_weight @v
// CHECK:     fuse.contract %{{.*}}, %[[V]] maps
// A step has 16 terms.
// CHECK:     fuse.constant dense<{{.*}}> : tensor<12x1x2x2xf16>

// LANES:     fuse.constant dense<{{.*}}> : tensor<16x1x2x2xf16>
module attributes {fuse.target = "cuda-sm80"} {
  fuse.weight @w = dense_resource<w> : tensor<2x16x1x2xf16>
  fuse.weight @v = dense_resource<w> : tensor<16x4xf16>
  fuse.weight @u = dense_resource<u> : tensor<2x12x1x2xf16>
  func.func @main(%x: tensor<16x3x5xf16>, %z: tensor<5x16xf16>, %a: tensor<12x3x5xf16>)
      -> (tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<2x3x4xf32>) {
    %w = fuse.get_weight @w : tensor<2x16x1x2xf16>
    %0 = fuse.window %x sizes = [1, 2] strides = [1, 1] dilations = [1, 1] pad_low = [0, 0] fill = 0.0 : f16
      : tensor<16x3x5xf16> -> tensor<16x3x4x1x2xf16>
    %1 = fuse.contract %0, %w maps = [affine_map<(o, i, j, c, u, v) -> (c, i, j, u, v)>,
      affine_map<(o, i, j, c, u, v) -> (o, c, u, v)>, affine_map<(o, i, j, c, u, v) -> (o, i, j)>]
      : tensor<16x3x4x1x2xf16>, tensor<2x16x1x2xf16> -> tensor<2x3x4xf32>
    %v = fuse.get_weight @v : tensor<16x4xf16>
    %2 = fuse.contract %z, %v maps = [affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      : tensor<5x16xf16>, tensor<16x4xf16> -> tensor<5x4xf32>
    %u = fuse.get_weight @u : tensor<2x12x1x2xf16>
    %3 = fuse.window %a sizes = [1, 2] strides = [1, 1] dilations = [1, 1] pad_low = [0, 0] fill = 0.0 : f16
      : tensor<12x3x5xf16> -> tensor<12x3x4x1x2xf16>
    %4 = fuse.contract %3, %u maps = [affine_map<(o, i, j, c, u, v) -> (c, i, j, u, v)>,
      affine_map<(o, i, j, c, u, v) -> (o, c, u, v)>, affine_map<(o, i, j, c, u, v) -> (o, i, j)>]
      : tensor<12x3x4x1x2xf16>, tensor<2x12x1x2xf16> -> tensor<2x3x4xf32>
    return %1, %2, %4 : tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<2x3x4xf32>
  }
}
{-# dialect_resources: { builtin: { w: "0x0200000000BE003400BD003800BC003A00BA003C00B8003D00B4003E000000BE003400BD003800BC003A00BA003C00B8003D00B4003E000000BE003400BD003800BC003A00BA003C00B8003D00B4003E000000BE003400BD003800BC003A00BA003C00B8003D00B4003E000000BE003400BD003800BC003A00BA003C00B8003D00B4003E", u: "0x0200000000BE003400BD003800BC003A00BA003C00B8003D00B4003E000000BE003400BD003800BC003A00BA003C00B8003D00B4003E000000BE003400BD003800BC003A00BA003C00B8003D00B4003E000000BE003400BD003800BC003A00BA003C00B8" } } #-}
