// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant masks that are triangles or bands compare indices.
// RUN: fusec-opt %s --fuse-simplify | FileCheck %s

fuse.weight @seen = dense_resource<seen> : tensor<8x9xi1>
fuse.weight @unseen = dense_resource<hidden> : tensor<1x9x8xi1>
fuse.weight @mask = dense_resource<mask> : tensor<8x9xf32>
fuse.weight @band = dense_resource<window> : tensor<8x9xf32>
fuse.weight @soft = dense_resource<soft> : tensor<8x9xf32>
fuse.weight @ragged = dense_resource<ragged> : tensor<8x9xf32>

// Up to the key behind the row's own.
// CHECK-LABEL: func @chosen
// CHECK: %[[ROW:.*]] = fuse.iota axis = 0 : tensor<8x9xi32>
// CHECK: %[[LAST:.*]] = fuse.add %[[ROW]], %{{.*}} : tensor<8x9xi32>
// CHECK: %[[SEES:.*]] = fuse.cmp le %{{.*}}, %[[LAST]] : tensor<8x9xi32>, tensor<8x9xi32> -> tensor<8x9xi1>
// CHECK: fuse.select %[[SEES]], %arg0, %arg1
func.func @chosen(%x: tensor<8x9xf32>, %y: tensor<8x9xf32>) -> tensor<8x9xf32> {
  %0 = fuse.get_weight @seen : tensor<8x9xi1>
  %1 = fuse.select %0, %x, %y : tensor<8x9xi1>, tensor<8x9xf32>, tensor<8x9xf32> -> tensor<8x9xf32>
  return %1 : tensor<8x9xf32>
}

// Of columns by rows, of several heads, and it says what is hidden.
// CHECK-LABEL: func @hidden
// CHECK: %[[HIDES:.*]] = fuse.cmp ge
// CHECK: %[[ALL:.*]] = fuse.broadcast %[[HIDES]] dims = [1, 2] : tensor<8x9xi1> -> tensor<3x8x9xi1>
// CHECK: fuse.select %[[ALL]], %arg0, %arg1
func.func @hidden(%x: tensor<3x8x9xf32>, %y: tensor<3x8x9xf32>) -> tensor<3x8x9xf32> {
  %0 = fuse.get_weight @unseen : tensor<1x9x8xi1>
  %1 = fuse.transpose %0 perm = [0, 2, 1] : tensor<1x9x8xi1> -> tensor<1x8x9xi1>
  %2 = fuse.broadcast %1 dims = [0, 1, 2] : tensor<1x8x9xi1> -> tensor<3x8x9xi1>
  %3 = fuse.select %2, %x, %y : tensor<3x8x9xi1>, tensor<3x8x9xf32>, tensor<3x8x9xf32> -> tensor<3x8x9xf32>
  return %3 : tensor<3x8x9xf32>
}

// CHECK-LABEL: func @added
// CHECK: %[[HIDDEN:.*]] = fuse.constant dense<-1.000000e+31>
// CHECK: %[[SEES:.*]] = fuse.cmp le
// CHECK: %[[LOWEST:.*]] = fuse.broadcast %[[HIDDEN]]
// CHECK: fuse.select %[[SEES]], %arg0, %[[LOWEST]]
func.func @added(%x: tensor<8x9xf32>) -> tensor<8x9xf32> {
  %0 = fuse.get_weight @mask : tensor<8x9xf32>
  %1 = fuse.add %x, %0 : tensor<8x9xf32>
  return %1 : tensor<8x9xf32>
}

// The sum rounds as it is written.
// CHECK-LABEL: func @precise
// CHECK: fuse.add
// CHECK-NOT: fuse.select
func.func @precise(%x: tensor<8x9xf32>) -> tensor<8x9xf32> {
  %0 = fuse.get_weight @mask : tensor<8x9xf32>
  %1 = fuse.add %x, %0 {fuse.precise} : tensor<8x9xf32>
  return %1 : tensor<8x9xf32>
}

// CHECK-LABEL: func @window
// CHECK: %[[BEFORE:.*]] = fuse.cmp le
// CHECK: %[[NEAR:.*]] = fuse.cmp ge
// CHECK: %[[BOTH:.*]] = fuse.and %[[BEFORE]], %[[NEAR]]
// CHECK: fuse.select %[[BOTH]], %arg0
func.func @window(%x: tensor<8x9xf32>) -> tensor<8x9xf32> {
  %0 = fuse.get_weight @band : tensor<8x9xf32>
  %1 = fuse.add %0, %x : tensor<8x9xf32>
  return %1 : tensor<8x9xf32>
}

// A choice by indices that is added.
// CHECK-LABEL: func @apart
// CHECK: %[[SEES:.*]] = fuse.cmp le
// CHECK-NOT: fuse.add
// CHECK: fuse.select %[[SEES]], %arg0
func.func @apart(%x: tensor<8x9xf32>) -> tensor<8x9xf32> {
  %column = fuse.iota axis = 1 : tensor<8x9xi32>
  %row = fuse.iota axis = 0 : tensor<8x9xi32>
  %sees = fuse.cmp le %column, %row : tensor<8x9xi32>, tensor<8x9xi32> -> tensor<8x9xi1>
  %0 = fuse.constant dense<0.0> : tensor<f32>
  %1 = fuse.constant dense<0xFF800000> : tensor<f32>
  %zeros = fuse.broadcast %0 dims = [] : tensor<f32> -> tensor<8x9xf32>
  %lowest = fuse.broadcast %1 dims = [] : tensor<f32> -> tensor<8x9xf32>
  %mask = fuse.select %sees, %zeros, %lowest : tensor<8x9xi1>, tensor<8x9xf32>, tensor<8x9xf32> -> tensor<8x9xf32>
  %2 = fuse.add %x, %mask : tensor<8x9xf32>
  return %2 : tensor<8x9xf32>
}

// -10000 is a number like others, and so is a mask with holes no band.
// CHECK-LABEL: func @others
// CHECK-NOT: fuse.cmp
// CHECK: fuse.add
// CHECK-NOT: fuse.cmp
// CHECK: fuse.add
func.func @others(%x: tensor<8x9xf32>, %y: tensor<8x9xf32>) -> (tensor<8x9xf32>, tensor<8x9xf32>) {
  %0 = fuse.get_weight @soft : tensor<8x9xf32>
  %1 = fuse.add %x, %0 : tensor<8x9xf32>
  %2 = fuse.get_weight @ragged : tensor<8x9xf32>
  %3 = fuse.add %y, %2 : tensor<8x9xf32>
  return %1, %3 : tensor<8x9xf32>, tensor<8x9xf32>
}

{-#
  dialect_resources: {
    builtin: {
      seen: "0x01000000010100000000000000010101000000000000010101010000000000010101010100000000010101010101000000010101010101010000010101010101010100010101010101010101",
      hidden: "0x01000000000000000000000001000000000000000101000000000000010101000000000001010101000000000101010101000000010101010101000001010101010101000101010101010101",
      mask: "0x04000000000000007C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF200000000000000007C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF20000000000000000000000007C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF2000000000000000000000000000000007C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF200000000000000000000000000000000000000007C6FFCF27C6FFCF27C6FFCF27C6FFCF20000000000000000000000000000000000000000000000007C6FFCF27C6FFCF27C6FFCF2000000000000000000000000000000000000000000000000000000007C6FFCF27C6FFCF200000000000000000000000000000000000000000000000000000000000000007C6FFCF2",
      window: "0x0400000000000000000080FF000080FF000080FF000080FF000080FF000080FF000080FF000080FF0000000000000000000080FF000080FF000080FF000080FF000080FF000080FF000080FF000000000000000000000000000080FF000080FF000080FF000080FF000080FF000080FF000080FF000000000000000000000000000080FF000080FF000080FF000080FF000080FF000080FF000080FF000000000000000000000000000080FF000080FF000080FF000080FF000080FF000080FF000080FF000000000000000000000000000080FF000080FF000080FF000080FF000080FF000080FF000080FF000000000000000000000000000080FF000080FF000080FF000080FF000080FF000080FF000080FF000000000000000000000000000080FF",
      soft: "0x040000000000000000401CC600401CC600401CC600401CC600401CC600401CC600401CC600401CC6000000000000000000401CC600401CC600401CC600401CC600401CC600401CC600401CC600000000000000000000000000401CC600401CC600401CC600401CC600401CC600401CC60000000000000000000000000000000000401CC600401CC600401CC600401CC600401CC6000000000000000000000000000000000000000000401CC600401CC600401CC600401CC600000000000000000000000000000000000000000000000000401CC600401CC600401CC60000000000000000000000000000000000000000000000000000000000401CC600401CC6000000000000000000000000000000000000000000000000000000000000000000401CC6",
      ragged: "0x04000000000000007C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF200000000000000007C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF20000000000000000000000007C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF2000000000000000000000000000000007C6FFCF27C6FFCF27C6FFCF27C6FFCF27C6FFCF200000000000000000000000000000000000000007C6FFCF27C6FFCF27C6FFCF27C6FFCF200000000000000007C6FFCF20000000000000000000000007C6FFCF27C6FFCF27C6FFCF2000000000000000000000000000000000000000000000000000000007C6FFCF27C6FFCF200000000000000000000000000000000000000000000000000000000000000007C6FFCF2"
    }
  }
#-}
