// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of codes on both sides: their sums are integers where the target adds several products
// of bytes in a step, also before what a last bit decides; zero points are taken off numbers.
// RUN: fusec-opt %s --fuse-simplify --split-input-file | FileCheck %s

#x = affine_map<(m, n, j, k) -> (m, j, k)>
#w = affine_map<(m, n, j, k) -> (n, j, k)>
#y = affine_map<(m, n, j, k) -> (m, n)>
// CHECK-LABEL: @codes
// CHECK: %[[Q:.*]] = fuse.get_weight @w : tensor<16x2x4xui4>
// CHECK: %[[SUM:.*]] = fuse.contract %arg0, %[[Q]] {{.*}} : tensor<1x2x4xi8>, tensor<16x2x4xui4> -> tensor<1x2x16xi32>
// CHECK: %[[NUMBER:.*]] = fuse.cast %[[SUM]] : tensor<1x2x16xi32> -> tensor<1x2x16xf32>
// CHECK: fuse.reduce(%arg0) {{.*}} : (tensor<1x2x4xi8>) -> tensor<1x2xi32>
// CHECK: fuse.sub %[[NUMBER]], %{{.*}} : tensor<1x2x16xf32>
module @codes attributes {fuse.target = "zen4"} {
  fuse.weight @w = dense_resource<w> : tensor<16x2x4xui4>
  func.func @main(%x: tensor<1x2x4xi8>, %s: tensor<1x2xf32>) -> tensor<1x16xf32> {
    %w = fuse.get_weight @w : tensor<16x2x4xui4>
    %q = fuse.cast %w : tensor<16x2x4xui4> -> tensor<16x2x4xf32>
    %z = fuse.constant dense<8.0> : tensor<f32>
    %zs = fuse.broadcast %z dims = [] : tensor<f32> -> tensor<16x2x4xf32>
    %d = fuse.sub %q, %zs : tensor<16x2x4xf32>
    %c = fuse.constant dense<[0.5, 1.5]> : tensor<2xf32>
    %b = fuse.broadcast %c dims = [1] : tensor<2xf32> -> tensor<16x2x4xf32>
    %e = fuse.mul %d, %b : tensor<16x2x4xf32>
    %f = fuse.cast %x : tensor<1x2x4xi8> -> tensor<1x2x4xf32>
    %t = fuse.broadcast %s dims = [0, 1] : tensor<1x2xf32> -> tensor<1x2x4xf32>
    %g = fuse.mul %f, %t : tensor<1x2x4xf32>
    %0 = fuse.contract %g, %e maps = [#x, #w, #y] {fuse.precise} : tensor<1x2x4xf32>, tensor<16x2x4xf32> -> tensor<1x16xf32>
    return %0 : tensor<1x16xf32>
  }
}
{-# dialect_resources: { builtin: { w: "0x01000000040208030F0E0F0C06030F000C0D000E0807030A000000000C060D00070E0F070B07070E09000D030509030A0D0609090F0C010F070C0D050B0B020E03050C0B0F000F01090C0505070006070C0B0B0E08000C04060D010F0B060D0F0B0D0B000A0E000705050208010202000E0008070803050B09020505080508090E0A0F0F" } } #-}

// -----

#x = affine_map<(m, n, j, k) -> (m, j, k)>
#w = affine_map<(m, n, j, k) -> (n, j, k)>
#y = affine_map<(m, n, j, k) -> (m, n)>
// Not where nothing multiplies bytes.
// CHECK-LABEL: @without_unit
// CHECK: fuse.contract {{.*}} : tensor<1x2x4xf32>, tensor<16x2x4xf32> -> tensor<1x2x16xf32>
module @without_unit attributes {fuse.target = "neon"} {
  fuse.weight @w = dense_resource<w> : tensor<16x2x4xui4>
  func.func @main(%x: tensor<1x2x4xi8>, %s: tensor<1x2xf32>) -> tensor<1x16xf32> {
    %w = fuse.get_weight @w : tensor<16x2x4xui4>
    %q = fuse.cast %w : tensor<16x2x4xui4> -> tensor<16x2x4xf32>
    %c = fuse.constant dense<[0.5, 1.5]> : tensor<2xf32>
    %b = fuse.broadcast %c dims = [1] : tensor<2xf32> -> tensor<16x2x4xf32>
    %e = fuse.mul %q, %b : tensor<16x2x4xf32>
    %f = fuse.cast %x : tensor<1x2x4xi8> -> tensor<1x2x4xf32>
    %t = fuse.broadcast %s dims = [0, 1] : tensor<1x2xf32> -> tensor<1x2x4xf32>
    %g = fuse.mul %f, %t : tensor<1x2x4xf32>
    %0 = fuse.contract %g, %e maps = [#x, #w, #y] : tensor<1x2x4xf32>, tensor<16x2x4xf32> -> tensor<1x16xf32>
    return %0 : tensor<1x16xf32>
  }
}
{-# dialect_resources: { builtin: { w: "0x01000000040208030F0E0F0C06030F000C0D000E0807030A000000000C060D00070E0F070B07070E09000D030509030A0D0609090F0C010F070C0D050B0B020E03050C0B0F000F01090C0505070006070C0B0B0E08000C04060D010F0B060D0F0B0D0B000A0E000705050208010202000E0008070803050B09020505080508090E0A0F0F" } } #-}

// -----

#x = affine_map<(m, n, j, k) -> (m, j, k)>
#w = affine_map<(m, n, j, k) -> (n, j, k)>
#y = affine_map<(m, n, j, k) -> (m, n)>
// Nor where the scale of the row changes within a block.
// CHECK-LABEL: @other_blocks
// CHECK: fuse.contract {{.*}} : tensor<1x2x4xf32>, tensor<16x2x4xf32> -> tensor<1x2x16xf32>
module @other_blocks attributes {fuse.target = "zen4"} {
  fuse.weight @w = dense_resource<w> : tensor<16x2x4xui4>
  func.func @main(%x: tensor<1x2x4xi8>, %s: tensor<2x4xf32>) -> tensor<1x16xf32> {
    %w = fuse.get_weight @w : tensor<16x2x4xui4>
    %q = fuse.cast %w : tensor<16x2x4xui4> -> tensor<16x2x4xf32>
    %c = fuse.constant dense<[0.5, 1.5]> : tensor<2xf32>
    %b = fuse.broadcast %c dims = [1] : tensor<2xf32> -> tensor<16x2x4xf32>
    %e = fuse.mul %q, %b : tensor<16x2x4xf32>
    %f = fuse.cast %x : tensor<1x2x4xi8> -> tensor<1x2x4xf32>
    %t = fuse.broadcast %s dims = [1, 2] : tensor<2x4xf32> -> tensor<1x2x4xf32>
    %g = fuse.mul %f, %t : tensor<1x2x4xf32>
    %0 = fuse.contract %g, %e maps = [#x, #w, #y] : tensor<1x2x4xf32>, tensor<16x2x4xf32> -> tensor<1x16xf32>
    return %0 : tensor<1x16xf32>
  }
}
{-# dialect_resources: { builtin: { w: "0x01000000040208030F0E0F0C06030F000C0D000E0807030A000000000C060D00070E0F070B07070E09000D030509030A0D0609090F0C010F070C0D050B0B020E03050C0B0F000F01090C0505070006070C0B0B0E08000C04060D010F0B060D0F0B0D0B000A0E000705050208010202000E0008070803050B09020505080508090E0A0F0F" } } #-}

// -----

#x = affine_map<(m, n, j, k) -> (m, j, k)>
#w = affine_map<(m, n, j, k) -> (n, j, k)>
#y = affine_map<(m, n, j, k) -> (m, n)>
// Of any number of rows.
// CHECK-LABEL: @many_rows
// CHECK: %[[Q:.*]] = fuse.get_weight @w : tensor<16x2x4xui4>
// CHECK: fuse.contract %arg0, %[[Q]] {{.*}} : tensor<64x2x4xi8>, tensor<16x2x4xui4> -> tensor<64x2x16xi32>
module @many_rows attributes {fuse.target = "zen4"} {
  fuse.weight @w = dense_resource<w> : tensor<16x2x4xui4>
  func.func @main(%x: tensor<64x2x4xi8>, %s: tensor<64x2xf32>) -> tensor<64x16xf32> {
    %w = fuse.get_weight @w : tensor<16x2x4xui4>
    %q = fuse.cast %w : tensor<16x2x4xui4> -> tensor<16x2x4xf32>
    %c = fuse.constant dense<[0.5, 1.5]> : tensor<2xf32>
    %b = fuse.broadcast %c dims = [1] : tensor<2xf32> -> tensor<16x2x4xf32>
    %e = fuse.mul %q, %b : tensor<16x2x4xf32>
    %f = fuse.cast %x : tensor<64x2x4xi8> -> tensor<64x2x4xf32>
    %t = fuse.broadcast %s dims = [0, 1] : tensor<64x2xf32> -> tensor<64x2x4xf32>
    %g = fuse.mul %f, %t : tensor<64x2x4xf32>
    %0 = fuse.contract %g, %e maps = [#x, #w, #y] : tensor<64x2x4xf32>, tensor<16x2x4xf32> -> tensor<64x16xf32>
    return %0 : tensor<64x16xf32>
  }
}
{-# dialect_resources: { builtin: { w: "0x01000000040208030F0E0F0C06030F000C0D000E0807030A000000000C060D00070E0F070B07070E09000D030509030A0D0609090F0C010F070C0D050B0B020E03050C0B0F000F01090C0505070006070C0B0B0E08000C04060D010F0B060D0F0B0D0B000A0E000705050208010202000E0008070803050B09020505080508090E0A0F0F" } } #-}
