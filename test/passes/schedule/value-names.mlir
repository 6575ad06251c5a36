// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-aggregate --convert-fuse-to-sched | FileCheck %s

// What lies between two kernels is called what the first one yields, also where
// the second one reads it.
// CHECK-LABEL: sched.scop @hidden_gelu
// CHECK-NEXT:     ins(%x: memref<4x8xf32>, %v: memref<8x16xf32>)
// CHECK-NEXT:     outs(%gelu: memref<4x16xf32>)
// CHECK-LABEL: sched.scop @back
// CHECK-NEXT:     ins(%gelu: memref<4x16xf32>, %w: memref<16x8xf32>)
// CHECK-LABEL: func.func @main
// CHECK: %gelu = kernel.buffer : memref<4x16xf32>
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<4x8xf32> {fuse.name = "x"}, %v: tensor<8x16xf32> {fuse.name = "v"}, %w: tensor<16x8xf32> {fuse.name = "w"}) -> tensor<4x8xf32> {
  %0 = fuse.contract %x, %v maps = [#lhs, #rhs, #out] : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32> loc("hidden")
  %1 = fuse.tanh %0 : tensor<4x16xf32> loc("gelu")
  %2 = fuse.contract %1, %w maps = [#lhs, #rhs, #out] : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32> loc("back")
  return %2 : tensor<4x8xf32>
}
