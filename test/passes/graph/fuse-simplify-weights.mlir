// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s > %t.before
// RUN: fusec-opt %s --fuse-simplify -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: fusec-ref %t.mlir > %t.after
// RUN: diff %t.before %t.after

// Indices that are a part of a weight from its start: the gather reads that
// part, not the whole weight, whose access is the identity as well.
fuse.weight @positions = dense_resource<positions> : tensor<66xi32>

// CHECK-LABEL: func.func @main
// CHECK:       %[[P:.*]] = fuse.get_weight @positions
// CHECK:       %[[S:.*]] = fuse.slice %[[P]] offsets = [0] strides = [1]
// CHECK:       fuse.gather %{{.*}}, %[[S]] axis = 0
func.func @main(%x: tensor<66x2xf32>) -> tensor<65x2xf32> {
  %p = fuse.get_weight @positions : tensor<66xi32>
  %s = fuse.slice %p offsets = [0] strides = [1] : tensor<66xi32> -> tensor<65xi32>
  %y = fuse.gather %x, %s axis = 0 : tensor<66x2xf32>, tensor<65xi32> -> tensor<65x2xf32>
  return %y : tensor<65x2xf32>
}

{-# dialect_resources: { builtin: { positions: "0x0400000041000000400000003F0000003E0000003D0000003C0000003B0000003A000000390000003800000037000000360000003500000034000000330000003200000031000000300000002F0000002E0000002D0000002C0000002B0000002A000000290000002800000027000000260000002500000024000000230000002200000021000000200000001F0000001E0000001D0000001C0000001B0000001A000000190000001800000017000000160000001500000014000000130000001200000011000000100000000F0000000E0000000D0000000C0000000B0000000A00000009000000080000000700000006000000050000000400000003000000020000000100000000000000" } } #-}
