// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of weights of few bits whose scales and zero points belong to blocks of the terms, the
// differences are multiplied, and the sum of each block is what the scale multiplies; one
// kernel has both sums. Codes that differ from the middle of theirs get a sign.
// RUN: fusec-opt %s --fuse-simplify -o %t.simple.mlir
// RUN: FileCheck %s --check-prefix=SIMPLE < %t.simple.mlir
// RUN: fusec-opt %t.simple.mlir --fuse-assign-layout -o %t.packed.mlir
// RUN: FileCheck %s --check-prefix=PACKED < %t.packed.mlir
// RUN: fusec-opt %t.packed.mlir --fuse-aggregate -o %t.groups.mlir
// RUN: FileCheck %s --check-prefix=GROUPS < %t.groups.mlir

// SIMPLE-LABEL: func.func @main
// SIMPLE: %[[Q:.*]] = fuse.cast %{{.*}} : tensor<16x2x4xui4> -> tensor<16x2x4xf32>
// SIMPLE: %[[D:.*]] = fuse.sub %[[Q]], %{{.*}} : tensor<16x2x4xf32>
// SIMPLE: %[[P:.*]] = fuse.contract %{{.*}}, %[[D]]{{.*}} -> tensor<2x2x16xf32>
// SIMPLE-NOT: fuse.sub
// SIMPLE: %[[M:.*]] = fuse.mul %[[P]], %{{.*}} : tensor<2x2x16xf32>
// SIMPLE: fuse.reduce(%[[M]]) {{.*}} dims = [1]
// Five rows are too many, and a scale of each column is the same for all terms.
// SIMPLE: fuse.contract {{.*}} -> tensor<5x16xf32>
// SIMPLE: fuse.contract {{.*}} -> tensor<1x16xf32>
// SIMPLE-NOT: fuse.reduce
// SIMPLE: return

// SIMPLE-LABEL: func.func @middle
// SIMPLE: %[[W:.*]] = fuse.get_weight @w_2 : tensor<16x2x4xi4>
// SIMPLE: %[[Q:.*]] = fuse.cast %[[W]] : tensor<16x2x4xi4> -> tensor<16x2x4xf32>
// SIMPLE: fuse.contract %{{.*}}, %[[Q]]{{.*}} -> tensor<2x2x16xf32>

// Codes, zero points and scales have the dimension of lanes last.
// PACKED-DAG: fuse.get_weight @w_packed : tensor<2x4x16xui4>
// PACKED-DAG: fuse.broadcast %{{.*}} dims = [1, 2] : tensor<2x16xf32> -> tensor<2x2x16xf32>
// PACKED-NOT: fuse.transpose

// GROUPS: fuse.group {{.*}} -> tensor<2x16xf32>
// GROUPS: fuse.contract
// GROUPS: fuse.reduce
// GROUPS: fuse.group {{.*}} -> tensor<5x16xf32>
// GROUPS: fuse.group {{.*}} -> tensor<1x16xf32>
// GROUPS-LABEL: func.func @middle
// GROUPS-COUNT-1: fuse.group {{.*}}tensor<2x4x16xi4>
// GROUPS-NOT: fuse.group
fuse.weight @w = dense_resource<w> : tensor<16x2x4xui4>
fuse.weight @s = dense_resource<s> : tensor<16x2xf32>
fuse.weight @z = dense_resource<z> : tensor<16x2xui4>

#x = affine_map<(m, n, j, k) -> (m, j, k)>
#w = affine_map<(m, n, j, k) -> (n, j, k)>
#y = affine_map<(m, n, j, k) -> (m, n)>
func.func @main(%x: tensor<2x2x4xf32>, %y: tensor<5x2x4xf32>, %v: tensor<1x2x4xf32>)
    -> (tensor<2x16xf32>, tensor<5x16xf32>, tensor<1x16xf32>) {
  %w = fuse.get_weight @w : tensor<16x2x4xui4>
  %s = fuse.get_weight @s : tensor<16x2xf32>
  %z = fuse.get_weight @z : tensor<16x2xui4>
  %q = fuse.cast %w : tensor<16x2x4xui4> -> tensor<16x2x4xf32>
  %zf = fuse.cast %z : tensor<16x2xui4> -> tensor<16x2xf32>
  %zb = fuse.broadcast %zf dims = [0, 1] : tensor<16x2xf32> -> tensor<16x2x4xf32>
  %d = fuse.sub %q, %zb : tensor<16x2x4xf32>
  %sb = fuse.broadcast %s dims = [0, 1] : tensor<16x2xf32> -> tensor<16x2x4xf32>
  %e = fuse.mul %d, %sb : tensor<16x2x4xf32>
  %0 = fuse.contract %x, %e maps = [#x, #w, #y] : tensor<2x2x4xf32>, tensor<16x2x4xf32> -> tensor<2x16xf32>
  %1 = fuse.contract %y, %e maps = [#x, #w, #y] : tensor<5x2x4xf32>, tensor<16x2x4xf32> -> tensor<5x16xf32>
  %c = fuse.constant dense<[0.5, 1.0, 2.0, 0.5, 1.0, 2.0, 0.5, 1.0, 2.0, 0.5, 1.0, 2.0, 0.5, 1.0, 2.0, 0.5]> : tensor<16xf32>
  %cb = fuse.broadcast %c dims = [0] : tensor<16xf32> -> tensor<16x2x4xf32>
  %f = fuse.mul %q, %cb : tensor<16x2x4xf32>
  %2 = fuse.contract %v, %f maps = [#x, #w, #y] : tensor<1x2x4xf32>, tensor<16x2x4xf32> -> tensor<1x16xf32>
  return %0, %1, %2 : tensor<2x16xf32>, tensor<5x16xf32>, tensor<1x16xf32>
}
func.func @middle(%x: tensor<2x2x4xf32>) -> tensor<2x16xf32> {
  %w = fuse.get_weight @w : tensor<16x2x4xui4>
  %s = fuse.get_weight @s : tensor<16x2xf32>
  %q = fuse.cast %w : tensor<16x2x4xui4> -> tensor<16x2x4xf32>
  %z = fuse.constant dense<8.0> : tensor<f32>
  %zb = fuse.broadcast %z dims = [] : tensor<f32> -> tensor<16x2x4xf32>
  %d = fuse.sub %q, %zb : tensor<16x2x4xf32>
  %sb = fuse.broadcast %s dims = [0, 1] : tensor<16x2xf32> -> tensor<16x2x4xf32>
  %e = fuse.mul %d, %sb : tensor<16x2x4xf32>
  %0 = fuse.contract %x, %e maps = [#x, #w, #y] : tensor<2x2x4xf32>, tensor<16x2x4xf32> -> tensor<2x16xf32>
  return %0 : tensor<2x16xf32>
}
{-# dialect_resources: { builtin: { w: "0x01000000040208030F0E0F0C06030F000C0D000E0807030A000000000C060D00070E0F070B07070E09000D030509030A0D0609090F0C010F070C0D050B0B020E03050C0B0F000F01090C0505070006070C0B0B0E08000C04060D010F0B060D0F0B0D0B000A0E000705050208010202000E0008070803050B09020505080508090E0A0F0F", s: "0x040000000000803E0000803F0000803E0000803E0000803F0000803F0000003F000000400000803F0000003F0000803E0000803E0000003F000000400000003F0000803E000000400000003F0000803F0000803E0000003F000000400000003F000000400000803E000000400000803F000000400000803E0000803F000000400000803F", z: "0x010000000300090C0A0D06080308060D0007000C0401050E0D070E07000C0A0D01090406" } } #-}
