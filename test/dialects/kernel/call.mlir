// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s | fusec-opt | FileCheck %s

// CHECK-LABEL: func.func @calls
func.func @calls(%x: memref<4x9xf32>, %v: memref<4x3xf32>, %i: memref<4x3xi64>, %boxes: memref<1x6x4xf32>,
    %scores: memref<1x2x6xf32>, %limit: memref<i64>, %t: memref<f32>, %rows: memref<4x3xi64>) {
  // CHECK: kernel.call @top_k(%{{.*}}) outs(%{{.*}}, %{{.*}}) {axis = 1 : i64, k = 3 : i64, largest = true} : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
  kernel.call @top_k(%x) outs(%v, %i) {axis = 1, k = 3, largest = true} : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
  %w = kernel.buffer : memref<48xi8>
  // CHECK: kernel.call @non_max_suppression(%{{.*}}) outs(%{{.*}}) workspace(%{{.*}} : memref<48xi8>) {center_point_box = true} :
  kernel.call @non_max_suppression(%boxes, %scores, %limit, %t, %t) outs(%rows) workspace(%w : memref<48xi8>) {center_point_box = true}
      : (memref<1x6x4xf32>, memref<1x2x6xf32>, memref<i64>, memref<f32>, memref<f32>) -> memref<4x3xi64>
  return
}
