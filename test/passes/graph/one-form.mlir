// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How coarsely a model is written does not matter: both modules end in the same
// groups.
// RUN: split-file %s %t
// RUN: fusec-opt %t/ln-one.mlir --fuse-expand-composites --fuse-simplify --fuse-aggregate -o %t/ln-a
// RUN: fusec-opt %t/ln-twelve.mlir --fuse-expand-composites --fuse-simplify --fuse-aggregate -o %t/ln-b
// RUN: diff %t/ln-a %t/ln-b
// RUN: sed -e 's/mul %7, %8/mul %8, %7/' -e 's/add %9, %10/add %10, %9/' -e 's/add %v, %3/add %3, %v/' %t/ln-twelve.mlir > %t/ln-swapped.mlir
// RUN: not cmp -s %t/ln-twelve.mlir %t/ln-swapped.mlir
// RUN: fusec-opt %t/ln-swapped.mlir --fuse-expand-composites --fuse-simplify --fuse-aggregate -o %t/ln-c
// RUN: diff %t/ln-a %t/ln-c
// RUN: FileCheck %s --input-file %t/ln-a --check-prefix LN
// RUN: fusec-opt %t/softmax-one.mlir --fuse-expand-composites --fuse-simplify --fuse-aggregate -o %t/softmax-a
// RUN: fusec-opt %t/softmax-five.mlir --fuse-expand-composites --fuse-simplify --fuse-aggregate -o %t/softmax-b
// RUN: diff %t/softmax-a %t/softmax-b
// RUN: FileCheck %s --input-file %t/softmax-a --check-prefix SOFTMAX
// RUN: fusec-opt %t/gelu-one.mlir --fuse-expand-composites --fuse-simplify --fuse-aggregate -o %t/gelu-a
// RUN: fusec-opt %t/gelu-five.mlir --fuse-expand-composites --fuse-simplify --fuse-aggregate -o %t/gelu-b
// RUN: fusec-opt %t/gelu-other.mlir --fuse-expand-composites --fuse-simplify --fuse-aggregate -o %t/gelu-c
// RUN: diff %t/gelu-a %t/gelu-b
// RUN: diff %t/gelu-a %t/gelu-c

// LN-COUNT-1: fuse.group
// LN-COUNT-2: fuse.reduce
// LN-NOT: fuse.group
// SOFTMAX-COUNT-1: fuse.group
// SOFTMAX-COUNT-2: fuse.reduce
// SOFTMAX-NOT: fuse.group

//--- ln-one.mlir
func.func @main(%x: tensor<2x4x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %0 = fuse.layer_norm %x, %s, %b {axis = 2 : i64, epsilon = 1.0e-5 : f64, resultSegmentSizes = array<i32: 1, 0, 0>} : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32> loc("norm")
  return %0 : tensor<2x4x8xf32>
}

//--- ln-twelve.mlir
func.func @main(%x: tensor<2x4x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %two = fuse.constant dense<2.0> : tensor<f32>
  %eps = fuse.constant dense<1.0e-5> : tensor<1xf32>
  %m = fuse.reduction mean %x dims = [2] : tensor<2x4x8xf32> -> tensor<2x4x1xf32> loc("norm")
  %0 = fuse.broadcast %m dims = [0, 1, 2] : tensor<2x4x1xf32> -> tensor<2x4x8xf32> loc("norm")
  %d = fuse.sub %x, %0 : tensor<2x4x8xf32> loc("norm")
  %1 = fuse.broadcast %two dims = [] : tensor<f32> -> tensor<2x4x8xf32> loc("norm")
  %2 = fuse.pow %d, %1 : tensor<2x4x8xf32> loc("norm")
  %v = fuse.reduction mean %2 dims = [2] : tensor<2x4x8xf32> -> tensor<2x4x1xf32> loc("norm")
  %3 = fuse.broadcast %eps dims = [2] : tensor<1xf32> -> tensor<2x4x1xf32> loc("norm")
  %4 = fuse.add %v, %3 : tensor<2x4x1xf32> loc("norm")
  %5 = fuse.sqrt %4 : tensor<2x4x1xf32> loc("norm")
  %6 = fuse.broadcast %5 dims = [0, 1, 2] : tensor<2x4x1xf32> -> tensor<2x4x8xf32> loc("norm")
  %7 = fuse.div %d, %6 : tensor<2x4x8xf32> loc("norm")
  %8 = fuse.broadcast %s dims = [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("norm")
  %9 = fuse.mul %7, %8 : tensor<2x4x8xf32> loc("norm")
  %10 = fuse.broadcast %b dims = [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("norm")
  %11 = fuse.add %9, %10 : tensor<2x4x8xf32> loc("norm")
  return %11 : tensor<2x4x8xf32>
}

//--- softmax-one.mlir
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = fuse.softmax %x {axis = 1 : i64} : tensor<4x8xf32> loc("softmax")
  return %0 : tensor<4x8xf32>
}

//--- softmax-five.mlir
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = fuse.reduction max %x dims = [1] : tensor<4x8xf32> -> tensor<4x1xf32> loc("softmax")
  %0 = fuse.broadcast %m dims = [0, 1] : tensor<4x1xf32> -> tensor<4x8xf32> loc("softmax")
  %1 = fuse.sub %x, %0 : tensor<4x8xf32> loc("softmax")
  %2 = fuse.exp %1 : tensor<4x8xf32> loc("softmax")
  %s = fuse.reduction sum %2 dims = [1] : tensor<4x8xf32> -> tensor<4x1xf32> loc("softmax")
  %3 = fuse.broadcast %s dims = [0, 1] : tensor<4x1xf32> -> tensor<4x8xf32> loc("softmax")
  %4 = fuse.div %2, %3 : tensor<4x8xf32> loc("softmax")
  return %4 : tensor<4x8xf32>
}

//--- gelu-one.mlir
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = fuse.gelu %x : tensor<4x8xf32> loc("gelu")
  return %0 : tensor<4x8xf32>
}

//--- gelu-five.mlir
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %root = fuse.constant dense<1.4142135623730951> : tensor<4x8xf32>
  %one = fuse.constant dense<1.0> : tensor<4x8xf32>
  %half = fuse.constant dense<0.5> : tensor<4x8xf32>
  %0 = fuse.div %x, %root : tensor<4x8xf32> loc("gelu")
  %1 = fuse.erf %0 : tensor<4x8xf32> loc("gelu")
  %2 = fuse.add %1, %one : tensor<4x8xf32> loc("gelu")
  %3 = fuse.mul %x, %2 : tensor<4x8xf32> loc("gelu")
  %4 = fuse.mul %3, %half : tensor<4x8xf32> loc("gelu")
  return %4 : tensor<4x8xf32>
}

//--- gelu-other.mlir
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %root = fuse.constant dense<0.70710678118654757> : tensor<4x8xf32>
  %one = fuse.constant dense<1.0> : tensor<4x8xf32>
  %half = fuse.constant dense<0.5> : tensor<4x8xf32>
  %0 = fuse.mul %root, %x : tensor<4x8xf32> loc("gelu")
  %1 = fuse.erf %0 : tensor<4x8xf32> loc("gelu")
  %2 = fuse.add %one, %1 : tensor<4x8xf32> loc("gelu")
  %3 = fuse.mul %half, %x : tensor<4x8xf32> loc("gelu")
  %4 = fuse.mul %3, %2 : tensor<4x8xf32> loc("gelu")
  return %4 : tensor<4x8xf32>
}
