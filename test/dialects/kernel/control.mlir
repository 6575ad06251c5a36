// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s | fusec-opt | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%x: memref<5x4xf32>, %c: memref<i1>, %n: memref<i64>, %a: memref<4xf32>, %b: memref<4xf32>) {
  %i64 = kernel.buffer : memref<i64>
  // CHECK: kernel.repeat trips = 5 count(%{{.*}}) while(%{{.*}}) swaps(%{{.*}}, %{{.*}}) : (memref<i64>, memref<i1>, memref<4xf32>, memref<4xf32>) -> memref<4xf32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: index, %[[NOW:.*]]: memref<4xf32>, %[[NEXT:.*]]: memref<4xf32>):
  %last = kernel.repeat trips = 5 count(%n) while(%c) swaps(%a, %b)
      : (memref<i64>, memref<i1>, memref<4xf32>, memref<4xf32>) -> memref<4xf32> {
  ^bb0(%i: index, %now: memref<4xf32>, %next: memref<4xf32>):
    // CHECK: kernel.view %{{.*}} at %{{.*}} * 4 : memref<5x4xf32> -> memref<4xf32>
    %row = kernel.view %x at %i * 4 : memref<5x4xf32> -> memref<4xf32>
    // CHECK: kernel.view %{{.*}} at 16 + %{{.*}} * -4 : memref<5x4xf32> -> memref<4xf32>
    %back = kernel.view %x at 16 + %i * -4 : memref<5x4xf32> -> memref<4xf32>
    // CHECK: kernel.set_index %{{.*}}, %{{.*}} : memref<i64>
    kernel.set_index %i, %i64 : memref<i64>
    kernel.copy %row, %next : memref<4xf32>
    kernel.end
  }
  // CHECK: kernel.branch %{{.*}} : memref<i1> {
  kernel.branch %c : memref<i1> {
    // CHECK: kernel.fill %{{.*}} with 0.000000e+00 : f32 : memref<4xf32>
    kernel.fill %a with 0.0 : f32 : memref<4xf32>
    kernel.end
  // CHECK: } else {
  } else {
    kernel.copy %last, %a : memref<4xf32>
    kernel.end
  }
  return
}
