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

// What one block of a GPU does.
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @blocks(%x: memref<4x9xf32>, %v: memref<4x3xf32>, %i: memref<4x3xi64>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 2 : i64, threads = 32 : i64} {
    // CHECK: kernel.for %[[B:.*]] = 0 to 4 map(block)
    kernel.for %b = 0 to 4 map(block) {
      // CHECK-NEXT: kernel.call @top_k(%{{.*}}) block %[[B]] outs(%{{.*}}, %{{.*}}) {axis = 1 : i64, k = 3 : i64, largest = true} :
      kernel.call @top_k(%x) block %b outs(%v, %i) {axis = 1, k = 3, largest = true} : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
    }
    kernel.return
  }
  fuse.op @acme.Sums version 1 inputs ["x"] outputs ["y"] parameters {scale = 1.0 : f64} of "sums" hash "0123456789abcdef"
      attributes {flags = [], sources = {sums.cpp = "", sums.cuh = ""}, unit = 0, units = ["sums.cpp"],
      block = {alone = false, file = "sums.cuh", function = "acme::sums", parameters = ["scale"]}}
  // An operator's function may write where its operand lies: a kernel does not say.
  kernel.func @own(%x: memref<4xf32>, %y: memref<4xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    kernel.for %b = 0 to 4 map(block) {
      // CHECK: kernel.call @acme.Sums(%{{.*}}) block %{{.*}} outs(%{{.*}}) {op.block = {blocks = 4 : i64, shared = 128 : i64, threads = 64 : i64, workspace = 0 : i64}, op.must_alias = array<i64: 0>, scale = 5.000000e-01 : f64}
      kernel.call @acme.Sums(%x) block %b outs(%y) {op.block = {blocks = 4, shared = 128, threads = 64, workspace = 0},
          op.must_alias = array<i64: 0>, scale = 0.5 : f64} : (memref<4xf32>) -> memref<4xf32>
    }
    kernel.return
  }
}
