// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What computes a code of 8 bits from another, point by point, is a table, if it takes
// longer. round(100 tanh(log(1 + x) / 8)), of negative codes with the sign:
// RUN: fusec-opt %s --split-input-file --fuse-simplify | FileCheck %s
// RUN: fusec-opt %s --split-input-file --fuse-simplify=disabled=quantised.tables | FileCheck %s --check-prefix=NONE
// RUN: fusec-opt %s --split-input-file --fuse-simplify=level=1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: fuse.look_up
// CHECK-LABEL: func.func @byte
// CHECK-NEXT: fuse.look_up %arg0 table = [0, 9, 14, 17, 20, 22, 24, 25, 27, 28, 29, 30, 31, 32, 33, 33, 34, 35, 35, 36, 36, 37, 37, 38, 38, 39, 39, 39, 40, 40, 40, 41, 41, 41, 42, 42, 42, 43, 43, 43, 43, 44, 44, 44, 44, 45, 45, 45, 45, 45, 46, 46, 46, 46, 46, 46, 47, 47, 47, 47, 47, 47, 48, 48, 48, 48, 48, 48, 48, 49, 49, 49, 49, 49, 49, 49, 50, 50, 50, 50, 50, 50, 50, 50, 50, 51, 51, 51, 51, 51, 51, 51, 51, 51, 51, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 53, 53, 53, 53, 53, 53, 53, 53, 53, 53, 53, 53, 54, 54, 54, 54, 54, 54, 54, 54, 54, 54, 54, 54, 54, 54, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 56, 56, 56, 56, 56, 56, 56, 56, 56, 56, 56, 56, 56, 56, 56, 56, 56, 56, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 59, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60] : tensor<3x5xui8> -> tensor<3x5xui8>
// CHECK-NEXT: return
func.func @byte(%x: tensor<3x5xui8>) -> tensor<3x5xui8> {
  %eighth = fuse.constant dense<0.125> : tensor<3x5xf32>
  %hundred = fuse.constant dense<100.0> : tensor<3x5xf32>
  %1 = fuse.cast %x : tensor<3x5xui8> -> tensor<3x5xf32>
  %3 = fuse.log1p %1 : tensor<3x5xf32>
  %4 = fuse.mul %3, %eighth : tensor<3x5xf32>
  %5 = fuse.tanh %4 : tensor<3x5xf32>
  %6 = fuse.mul %5, %hundred : tensor<3x5xf32>
  %7 = fuse.round %6 : tensor<3x5xf32>
  %8 = fuse.cast %7 : tensor<3x5xf32> -> tensor<3x5xui8>
  return %8 : tensor<3x5xui8>
}
// -----
// The entries of negative codes are behind the others.
// CHECK-LABEL: func.func @signed
// CHECK-NEXT: fuse.look_up %arg0 table = [0, 9, 14, 17, 20, 22, 24, 25, 27, 28, 29, 30, 31, 32, 33, 33, 34, 35, 35, 36, 36, 37, 37, 38, 38, 39, 39, 39, 40, 40, 40, 41, 41, 41, 42, 42, 42, 43, 43, 43, 43, 44, 44, 44, 44, 45, 45, 45, 45, 45, 46, 46, 46, 46, 46, 46, 47, 47, 47, 47, 47, 47, 48, 48, 48, 48, 48, 48, 48, 49, 49, 49, 49, 49, 49, 49, 50, 50, 50, 50, 50, 50, 50, 50, 50, 51, 51, 51, 51, 51, 51, 51, 51, 51, 51, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 53, 53, 53, 53, 53, 53, 53, 53, 53, 53, 53, 53, 54, 54, 54, 54, 54, 54, 54, 54, 54, 54, -54, -54, -54, -54, -54, -54, -54, -54, -54, -54, -54, -53, -53, -53, -53, -53, -53, -53, -53, -53, -53, -53, -53, -52, -52, -52, -52, -52, -52, -52, -52, -52, -52, -52, -51, -51, -51, -51, -51, -51, -51, -51, -51, -51, -50, -50, -50, -50, -50, -50, -50, -50, -50, -49, -49, -49, -49, -49, -49, -49, -48, -48, -48, -48, -48, -48, -48, -47, -47, -47, -47, -47, -47, -46, -46, -46, -46, -46, -46, -45, -45, -45, -45, -45, -44, -44, -44, -44, -43, -43, -43, -43, -42, -42, -42, -41, -41, -41, -40, -40, -40, -39, -39, -39, -38, -38, -37, -37, -36, -36, -35, -35, -34, -33, -33, -32, -31, -30, -29, -28, -27, -25, -24, -22, -20, -17, -14, -9] : tensor<9xi8> -> tensor<9xi8>
func.func @signed(%x: tensor<9xi8>) -> tensor<9xi8> {
  %eighth = fuse.constant dense<0.125> : tensor<9xf32>
  %hundred = fuse.constant dense<100.0> : tensor<9xf32>
  %1 = fuse.cast %x : tensor<9xi8> -> tensor<9xf32>
  %2 = fuse.abs %1 : tensor<9xf32>
  %3 = fuse.log1p %2 : tensor<9xf32>
  %4 = fuse.mul %3, %eighth : tensor<9xf32>
  %5 = fuse.tanh %4 : tensor<9xf32>
  %6 = fuse.mul %5, %hundred : tensor<9xf32>
  %7 = fuse.round %6 : tensor<9xf32>
  %8 = fuse.sign %1 : tensor<9xf32>
  %9 = fuse.mul %7, %8 : tensor<9xf32>
  %10 = fuse.cast %9 : tensor<9xf32> -> tensor<9xi8>
  return %10 : tensor<9xi8>
}
// -----
// Codes in between, two of them from one: a single table of the first.
// CHECK-LABEL: func.func @between
// CHECK-NEXT: %[[Y:.*]] = fuse.look_up %arg0 table =
// CHECK-NEXT: return %[[Y]]
func.func @between(%x: tensor<9xui8>) -> tensor<9xui8> {
  %0 = fuse.cast %x : tensor<9xui8> -> tensor<9xf32>
  %1 = fuse.erf %0 : tensor<9xf32>
  %2 = fuse.exp %1 : tensor<9xf32>
  %3 = fuse.cast %2 : tensor<9xf32> -> tensor<9xui8>
  %4 = fuse.cast %3 : tensor<9xui8> -> tensor<9xf32>
  %5 = fuse.maximum %4, %0 : tensor<9xf32>
  %6 = fuse.round %5 : tensor<9xf32>
  %7 = fuse.cast %6 : tensor<9xf32> -> tensor<9xui8>
  return %7 : tensor<9xui8>
}
// -----
// Codes that two tensors decide, numbers that are needed, too, what is as short, and
// what rows have different numbers for, stay.
// CHECK-LABEL: func.func @two
// CHECK-NOT: look_up
// CHECK-LABEL: func.func @other
func.func @two(%x: tensor<2x9xui8>, %y: tensor<2x9xui8>) -> (tensor<2x9xui8>, tensor<2x9xf32>, tensor<2x9xui8>, tensor<2x9xui8>, tensor<2x9xui8>) {
  %0 = fuse.cast %x : tensor<2x9xui8> -> tensor<2x9xf32>
  %1 = fuse.cast %y : tensor<2x9xui8> -> tensor<2x9xf32>
  %2 = fuse.pow %0, %1 : tensor<2x9xf32>
  %3 = fuse.erf %2 : tensor<2x9xf32>
  %4 = fuse.cast %3 : tensor<2x9xf32> -> tensor<2x9xui8>
  %5 = fuse.erf %0 : tensor<2x9xf32>
  %6 = fuse.exp %5 : tensor<2x9xf32>
  %7 = fuse.cast %6 : tensor<2x9xf32> -> tensor<2x9xui8>
  %8 = fuse.neg %0 : tensor<2x9xf32>
  %9 = fuse.cast %8 : tensor<2x9xf32> -> tensor<2x9xui8>
  %rows = fuse.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %all = fuse.broadcast %rows dims = [0] : tensor<2xf32> -> tensor<2x9xf32>
  %10 = fuse.div %1, %all : tensor<2x9xf32>
  %11 = fuse.erf %10 : tensor<2x9xf32>
  %12 = fuse.exp %11 : tensor<2x9xf32>
  %13 = fuse.cast %12 : tensor<2x9xf32> -> tensor<2x9xui8>
  return %4, %6, %7, %9, %13 : tensor<2x9xui8>, tensor<2x9xf32>, tensor<2x9xui8>, tensor<2x9xui8>, tensor<2x9xui8>
}
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// -----
// On a CPU without a unit for bytes, too, but not on a GPU.
// CHECK-LABEL: func.func @portable
// CHECK-NEXT: fuse.look_up
module attributes {fuse.target = "portable"} {
  func.func @portable(%x: tensor<9xui8>) -> tensor<9xui8> {
    %0 = fuse.cast %x : tensor<9xui8> -> tensor<9xf32>
    %1 = fuse.erf %0 : tensor<9xf32>
    %2 = fuse.exp %1 : tensor<9xf32>
    %3 = fuse.cast %2 : tensor<9xf32> -> tensor<9xui8>
    return %3 : tensor<9xui8>
  }
}
// -----
// CHECK-LABEL: func.func @gpu
// CHECK-NOT: fuse.look_up
module attributes {fuse.target = "cuda-sm80"} {
  func.func @gpu(%x: tensor<9xui8>) -> tensor<9xui8> {
    %0 = fuse.cast %x : tensor<9xui8> -> tensor<9xf32>
    %1 = fuse.erf %0 : tensor<9xf32>
    %2 = fuse.exp %1 : tensor<9xf32>
    %3 = fuse.cast %2 : tensor<9xf32> -> tensor<9xui8>
    return %3 : tensor<9xui8>
  }
}
