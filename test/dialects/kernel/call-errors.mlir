// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @refused(%x: memref<4xf32>, %v: memref<2xf32>, %i: memref<2xi32>) {
  // expected-error @below {{'kernel.call' op of @top_k the second result is i32[2], expected i64[2]}}
  kernel.call @top_k(%x) outs(%v, %i) {axis = 0, k = 2, largest = true} : (memref<4xf32>) -> (memref<2xf32>, memref<2xi32>)
  return
}

// -----

func.func @no_workspace(%b: memref<1x6x4xf32>, %s: memref<1x2x6xf32>, %l: memref<i64>, %t: memref<f32>, %r: memref<4x3xi64>) {
  // expected-error @below {{'kernel.call' op of @non_max_suppression has 0 bytes of workspace, needs 48}}
  kernel.call @non_max_suppression(%b, %s, %l, %t, %t) outs(%r) {center_point_box = true}
      : (memref<1x6x4xf32>, memref<1x2x6xf32>, memref<i64>, memref<f32>, memref<f32>) -> memref<4x3xi64>
  return
}

// -----

func.func @no_bytes(%x: memref<4xf32>, %v: memref<2xf32>, %i: memref<2xi64>, %w: memref<6xi64>) {
  // expected-error @below {{'kernel.call' op has the workspace 'memref<6xi64>', expected bytes of rank 1}}
  kernel.call @top_k(%x) outs(%v, %i) workspace(%w : memref<6xi64>) {axis = 0, k = 2, largest = true} : (memref<4xf32>) -> (memref<2xf32>, memref<2xi64>)
  return
}
