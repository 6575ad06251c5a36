// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s | fusec-opt | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: kernel.choice @same ["copy", "fill"] {
// CHECK-NEXT: kernel.copy
// CHECK: }, {
// CHECK-NEXT: %[[B:.*]] = kernel.buffer
// CHECK-NEXT: kernel.fill %[[B]]
func.func @main(%x: memref<4xf32>, %y: memref<4xf32>) {
  kernel.choice @same ["copy", "fill"] {
    kernel.copy %x, %y : memref<4xf32>
  }, {
    %0 = kernel.buffer : memref<4xf32>
    kernel.fill %0 with 1.5 : f32 : memref<4xf32>
    kernel.copy %0, %y : memref<4xf32>
  }
  return
}
