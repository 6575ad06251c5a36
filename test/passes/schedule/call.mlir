// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the library in the host program: results go where they are wanted,
// scratch memory is a buffer that lives as long as the call.
// RUN: fusec-opt %s --convert-fuse-to-sched --split-input-file | FileCheck %s
// RUN: fusec-opt %s --convert-fuse-to-sched --model-plan-memory --split-input-file | FileCheck %s --check-prefix=PLAN

// A result that is returned is computed into the output, one that nobody reads
// into a buffer.
// CHECK-LABEL: func.func @returned(%arg0: memref<4x9xf32>, %arg1: memref<12xf32>)
// CHECK-NEXT: %[[V:.*]] = kernel.view %arg1 : memref<12xf32> -> memref<4x3xf32>
// CHECK-NEXT: %[[I:.*]] = kernel.buffer : memref<4x3xi64>
// CHECK-NEXT: kernel.call @top_k(%arg0) outs(%[[V]], %[[I]]) {axis = 1 : i64, k = 3 : i64, largest = true}
// CHECK-NOT: kernel.copy
// CHECK: return
func.func @returned(%x: tensor<4x9xf32>) -> tensor<12xf32> {
  %v, %i = fuse.call @top_k(%x) {axis = 1, k = 3, largest = true} : (tensor<4x9xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  %r = fuse.reshape %v : tensor<4x3xf32> -> tensor<12xf32>
  return %r : tensor<12xf32>
}

// -----

// CHECK-LABEL: func.func @scratch
// CHECK: %workspace = kernel.buffer : memref<48xi8>
// CHECK-NEXT: kernel.call @non_max_suppression({{.*}}) outs(%arg4) workspace(%workspace : memref<48xi8>)
// PLAN-LABEL: func.func @scratch
// PLAN: kernel.buffer offset = 0 : memref<48xi8>
func.func @scratch(%b: tensor<1x6x4xf32>, %s: tensor<1x2x6xf32>, %l: tensor<i64>, %t: tensor<f32>) -> tensor<4x3xi64> {
  %0 = fuse.call @non_max_suppression(%b, %s, %l, %t, %t) {center_point_box = false}
      : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<4x3xi64>
  return %0 : tensor<4x3xi64>
}

// -----

// In a loop: from the one buffer of the carried value into the other.
// CHECK-LABEL: func.func @loop
// CHECK: kernel.call @scatter_nd(%arg0, %arg1, %arg2) outs(%[[START:.*]]) {reduction = "add"}
// CHECK: kernel.repeat trips = 3 swaps(%[[START]], %{{.*}})
// CHECK-NEXT: ^bb0(%{{.*}}: index, %[[NOW:.*]]: memref<8xf32>, %[[NEXT:.*]]: memref<8xf32>):
// CHECK-NEXT: kernel.call @scatter_nd(%[[NOW]], %arg1, %arg2) outs(%[[NEXT]]) {reduction = "add"}
// CHECK-NEXT: }
func.func @loop(%x: tensor<8xf32>, %i: tensor<2x1xi64>, %u: tensor<2xf32>) -> tensor<8xf32> {
  %s = fuse.call @scatter_nd(%x, %i, %u) {reduction = "add"} : (tensor<8xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<8xf32>
  %h = fuse.loop trips = 3 carries(%s) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%n: tensor<i64>, %a: tensor<8xf32>):
    %0 = fuse.call @scatter_nd(%a, %i, %u) {reduction = "add"} : (tensor<8xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<8xf32>
    fuse.yield %0 : tensor<8xf32>
  }
  return %h : tensor<8xf32>
}

// -----

// An operator's function of blocks goes before kernels that it launches, and has its own
// scratch memory.
module attributes {fuse.target = "cuda-sm80"} {
  fuse.op @acme.Sums version 1 inputs ["x"] outputs ["y"] parameters {scale = 1.0 : f64} of "sums" hash "0123456789abcdef"
      attributes {flags = [], sources = {sums.cpp = "", sums.cuh = ""}, unit = 0, units = ["sums.cpp"],
      block = {alone = false, file = "sums.cuh", function = "acme::sums", parameters = ["scale"]}}
  // CHECK-LABEL: func.func @blocks
  // CHECK: %workspace = kernel.buffer : memref<16xi8>
  // CHECK-NEXT: kernel.call @acme.Sums(%arg0) outs(%arg1) workspace(%workspace : memref<16xi8>) {op.block = {blocks = 4 : i64, shared = 0 : i64, threads = 128 : i64, workspace = 16 : i64}, scale = 5.000000e-01 : f64}
  func.func @blocks(%x: tensor<4x9xf32>) -> tensor<4xf32> {
    %0 = fuse.call @acme.Sums(%x) {op.block = {blocks = 4, shared = 0, threads = 128, workspace = 16},
        op.algorithm = "plain", op.workspace = 256, scale = 0.5 : f64} : (tensor<4x9xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// A CPU has none.
fuse.op @acme.Sums version 1 inputs ["x"] outputs ["y"] parameters {scale = 1.0 : f64} of "sums" hash "0123456789abcdef"
    attributes {flags = [], sources = {sums.cpp = "", sums.cuh = ""}, unit = 0, units = ["sums.cpp"],
    block = {alone = false, file = "sums.cuh", function = "acme::sums", parameters = ["scale"]}}
// CHECK-LABEL: func.func @no_blocks
// CHECK: %workspace = kernel.buffer : memref<256xi8>
// CHECK-NEXT: kernel.call @acme.Sums(%arg0) outs(%arg1) workspace(%workspace : memref<256xi8>) {op.workspace = 256 : i64, scale = 5.000000e-01 : f64}
func.func @no_blocks(%x: tensor<4x9xf32>) -> tensor<4xf32> {
  %0 = fuse.call @acme.Sums(%x) {op.block = {blocks = 4, shared = 0, threads = 128, workspace = 16},
      op.workspace = 256, scale = 0.5 : f64} : (tensor<4x9xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
