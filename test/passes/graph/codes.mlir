// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-simplify -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: fusec-ref %s > %t.before
// RUN: fusec-ref %t.mlir > %t.after
// RUN: diff %t.before %t.after

// Casts to elements of 8 bits and fewer are computed where all is known.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-10: fuse.constant
// CHECK-NOT: fuse.
// CHECK: return
func.func @main() -> (tensor<5xf8E4M3FN>, tensor<5xf8E5M2FNUZ>, tensor<5xf4E2M1FN>, tensor<5xf32>,
    tensor<3xi4>, tensor<3xui2>, tensor<3xi32>, tensor<5xf8E8M0FNU>, tensor<5xf32>, tensor<5xf6E3M2FN>) {
  %x = fuse.constant dense<[17.0, -19.0, 1.0e-3, 300.0, 0x7F800000]> : tensor<5xf32>
  %small = fuse.constant dense<[2.5, -5.0, 0.75, 0.25, -0.0]> : tensor<5xf32>
  %0 = fuse.cast %x : tensor<5xf32> -> tensor<5xf8E4M3FN>
  %1 = fuse.cast %x : tensor<5xf32> -> tensor<5xf8E5M2FNUZ>
  %2 = fuse.cast %small : tensor<5xf32> -> tensor<5xf4E2M1FN>
  %3 = fuse.cast %0 : tensor<5xf8E4M3FN> -> tensor<5xf32>
  %n = fuse.constant dense<[8, -3, 17]> : tensor<3xi32>
  %4 = fuse.cast %n : tensor<3xi32> -> tensor<3xi4>
  %5 = fuse.cast %n : tensor<3xi32> -> tensor<3xui2>
  %6 = fuse.cast %4 : tensor<3xi4> -> tensor<3xi32>
  %power = fuse.constant dense<[2.9, 1.5, -1.0, 0.0, 1.0e-38]> : tensor<5xf32>
  %7 = fuse.cast %power : tensor<5xf32> -> tensor<5xf8E8M0FNU>
  %8 = fuse.cast %7 : tensor<5xf8E8M0FNU> -> tensor<5xf32>
  %9 = fuse.cast %small : tensor<5xf32> -> tensor<5xf6E3M2FN>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<5xf8E4M3FN>, tensor<5xf8E5M2FNUZ>, tensor<5xf4E2M1FN>,
    tensor<5xf32>, tensor<3xi4>, tensor<3xui2>, tensor<3xi32>, tensor<5xf8E8M0FNU>, tensor<5xf32>,
    tensor<5xf6E3M2FN>
}

// Powers of two lack 0, so that not even a boolean is the same after both casts.
// CHECK-LABEL: func.func @booleans
// CHECK: fuse.cast %{{.*}} : tensor<4xi1> -> tensor<4xf8E8M0FNU>
// CHECK-NEXT: fuse.cast %{{.*}} : tensor<4xf8E8M0FNU> -> tensor<4xi1>
func.func @booleans(%x: tensor<4xi1>) -> tensor<4xi1> {
  %0 = fuse.cast %x : tensor<4xi1> -> tensor<4xf8E8M0FNU>
  %1 = fuse.cast %0 : tensor<4xf8E8M0FNU> -> tensor<4xi1>
  return %1 : tensor<4xi1>
}
