// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of less than a byte stay so, and what they stand for is computed by the
// contraction that reads them.
// RUN: fusec-opt %s --fuse-simplify -o %t.simple.mlir
// RUN: FileCheck %s --check-prefix=SIMPLE < %t.simple.mlir
// RUN: fusec-opt %t.simple.mlir --fuse-assign-layout -o %t.packed.mlir
// RUN: FileCheck %s --check-prefix=PACKED < %t.packed.mlir
// RUN: fusec-opt %t.packed.mlir --fuse-aggregate=remarks -o %t.groups.mlir 2> %t.remarks
// RUN: FileCheck %s --check-prefix=GROUPS < %t.groups.mlir
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// RUN: fusec-ref %s > %t.before
// RUN: fusec-ref %t.groups.mlir > %t.after
// RUN: diff %t.before %t.after

// Casts that feed contractions only are not folded; that of what is returned is.
// SIMPLE-DAG: fuse.weight @w = {{.*}} : tensor<33x2xui4>
// SIMPLE-DAG: fuse.weight @{{.*}} = {{.*}} : tensor<33x2xf32>
// SIMPLE: fuse.cast %{{.*}} : tensor<33x2xui4> -> tensor<33x2xf32>
// SIMPLE-NOT: fuse.cast
// SIMPLE: return

// The codes are transposed for lanes, and what is computed of them with them.
// PACKED: fuse.weight @w_packed = {{.*}} : tensor<2x33xui4>
// PACKED: %[[Q:.*]] = fuse.cast %{{.*}} : tensor<2x33xui4> -> tensor<2x33xf32>
// PACKED: %[[S:.*]] = fuse.broadcast %{{.*}} dims = [1] : tensor<33xf32> -> tensor<2x33xf32>
// PACKED: %[[E:.*]] = fuse.mul %[[Q]], %[[S]] : tensor<2x33xf32>
// PACKED: fuse.contract %{{.*}}, %[[E]]

// Each contraction expands the codes by itself; a value that is computed of an argument
// is no such weight and stays apart.
// GROUPS: fuse.group {{.*}}tensor<2x33xui4>{{.*}} -> tensor<3x33xf32>
// GROUPS: fuse.cast
// GROUPS: fuse.mul
// GROUPS: fuse.contract
// GROUPS: fuse.group {{.*}}tensor<2x33xui4>{{.*}} -> tensor<5x33xf32>
// GROUPS: fuse.cast
// GROUPS: fuse.mul
// GROUPS: fuse.contract
// GROUPS: fuse.group {{.*}} -> tensor<33x2xf32>
// GROUPS: fuse.exp
// GROUPS: fuse.group
// GROUPS: fuse.contract
// REMARKS: a contraction would compute its operand again and again
fuse.weight @w = dense_resource<w> : tensor<33x2xui4>
fuse.weight @s = dense_resource<s> : tensor<33xf32>
fuse.weight @v = dense_resource<w> : tensor<33x2xui4>

func.func @main(%x: tensor<3x2xf32>, %y: tensor<5x2xf32>, %z: tensor<33x2xf32>)
    -> (tensor<3x33xf32>, tensor<5x33xf32>, tensor<3x33xf32>, tensor<33x2xf32>) {
  %w = fuse.get_weight @w : tensor<33x2xui4>
  %q = fuse.cast %w : tensor<33x2xui4> -> tensor<33x2xf32>
  %s = fuse.get_weight @s : tensor<33xf32>
  %r = fuse.broadcast %s dims = [0] : tensor<33xf32> -> tensor<33x2xf32>
  %e = fuse.mul %q, %r : tensor<33x2xf32>
  %0 = fuse.contract %x, %e maps = [affine_map<(m, n, k) -> (m, k)>,
    affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    : tensor<3x2xf32>, tensor<33x2xf32> -> tensor<3x33xf32>
  %3 = fuse.contract %y, %e maps = [affine_map<(m, n, k) -> (m, k)>,
    affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    : tensor<5x2xf32>, tensor<33x2xf32> -> tensor<5x33xf32>
  %c = fuse.exp %z : tensor<33x2xf32>
  %1 = fuse.contract %x, %c maps = [affine_map<(m, n, k) -> (m, k)>,
    affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    : tensor<3x2xf32>, tensor<33x2xf32> -> tensor<3x33xf32>
  %v = fuse.get_weight @v : tensor<33x2xui4>
  %2 = fuse.cast %v : tensor<33x2xui4> -> tensor<33x2xf32>
  return %0, %3, %1, %2 : tensor<3x33xf32>, tensor<5x33xf32>, tensor<3x33xf32>, tensor<33x2xf32>
}
{-# dialect_resources: { builtin: { w: "0x01000000030A01080F060D040B020900070E050C030A01080F060D040B020900070E050C030A01080F060D040B020900070E050C030A01080F060D040B020900070E050C030A", s: "0x040000000000803E0000C03E0000003F0000203F0000403F0000803E0000C03E0000003F0000203F0000403F0000803E0000C03E0000003F0000203F0000403F0000803E0000C03E0000003F0000203F0000403F0000803E0000C03E0000003F0000203F0000403F0000803E0000C03E0000003F0000203F0000403F0000803E0000C03E0000003F" } } #-}
