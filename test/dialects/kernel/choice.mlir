// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s | fusec-opt | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: kernel.choice @same ["copy", "clear"] {
// CHECK-NEXT: kernel.copy
// CHECK: }, {
// CHECK-NEXT: %[[B:.*]] = kernel.buffer
// CHECK-NEXT: kernel.clear %[[B]]
func.func @main(%x: memref<4xf32>, %y: memref<4xf32>) {
  kernel.choice @same ["copy", "clear"] {
    kernel.copy %x, %y : memref<4xf32>
  }, {
    %0 = kernel.buffer : memref<4xf32>
    kernel.clear %0 : memref<4xf32>
    kernel.copy %0, %y : memref<4xf32>
  }
  return
}
