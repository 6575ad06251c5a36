// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-assign-layout --verify-diagnostics | FileCheck %s
// RUN: fusec-ref %s > %t.before
// RUN: fusec-opt %s --fuse-assign-layout -o %t.mlir
// RUN: fusec-ref %t.mlir > %t.after
// RUN: diff %t.before %t.after

// Output channels become innermost, in the weight and in the map.
// CHECK-DAG: [[W:#.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: fuse.weight @w_packed = dense_resource<{{.*}}> : tensor<2x33xf32>
// CHECK:     %[[P:.*]] = fuse.get_weight @w_packed : tensor<2x33xf32>
// CHECK:     fuse.contract %{{.*}}, %[[P]] maps = [{{.*}}, [[W]], {{.*}}]
fuse.weight @w = dense_resource<w> : tensor<33x2xf32>
// Depthwise: channels index the input too, nothing to gain.
fuse.weight @d = dense_resource<w> : tensor<33x2xf32>

func.func @main(%x: tensor<3x2xf32>, %z: tensor<33x2xf32>) -> (tensor<3x33xf32>, tensor<33xf32>) {
  %w = fuse.get_weight @w : tensor<33x2xf32>
  %0 = fuse.contract %x, %w maps = [affine_map<(m, n, k) -> (m, k)>,
    affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    : tensor<3x2xf32>, tensor<33x2xf32> -> tensor<3x33xf32>
  %d = fuse.get_weight @d : tensor<33x2xf32>
  // expected-remark @below {{layout of @d kept: each of its dimensions indexes the other operand too or is reduced}}
  %1 = fuse.contract %z, %d maps = [affine_map<(c, k) -> (c, k)>,
    affine_map<(c, k) -> (c, k)>, affine_map<(c, k) -> (c)>]
    : tensor<33x2xf32>, tensor<33x2xf32> -> tensor<33xf32>
  return %0, %1 : tensor<3x33xf32>, tensor<33xf32>
}
{-# dialect_resources: { builtin: { w: "0x040000000000C0BF0000803E0000A0BF0000003F000080BF0000403F000040BF0000803F000000BF0000A03F000080BE0000C03F000000000000C0BF0000803E0000A0BF0000003F000080BF0000403F000040BF0000803F000000BF0000A03F000080BE0000C03F000000000000C0BF0000803E0000A0BF0000003F000080BF0000403F000040BF0000803F000000BF0000A03F000080BE0000C03F000000000000C0BF0000803E0000A0BF0000003F000080BF0000403F000040BF0000803F000000BF0000A03F000080BE0000C03F000000000000C0BF0000803E0000A0BF0000003F000080BF0000403F000040BF0000803F000000BF0000A03F000080BE0000C03F000000000000C0BF" } } #-}
