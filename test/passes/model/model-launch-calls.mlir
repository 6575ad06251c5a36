// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-launch-calls --split-input-file | FileCheck %s
// RUN: fusec-opt %s --model-launch-calls=remarks --split-input-file --verify-diagnostics -o /dev/null

// A block a line; equal calls share a kernel; what the library has for the host
// only stays.
module attributes {fuse.target = "cuda-sm80"} {
  // CHECK-LABEL: func.func @lines
  func.func @lines(%x: memref<4x9xf32>, %r: memref<4x5xf32>, %v: memref<4x3xf32>, %i: memref<4x3xi64>)
      attributes {fuse.outputs = 2 : i64} {
    // CHECK: kernel.launch @top_k(%arg0, %0, %arg3) : memref<4x9xf32>, memref<4x3xf32>, memref<4x3xi64>
    // CHECK-NEXT: kernel.launch @top_k(%arg0, %arg2, %arg3)
    // CHECK-NEXT: kernel.launch @top_k_0(%arg0, %arg2, %arg3)
    // CHECK: kernel.call @max_roi_pool
    %0 = kernel.buffer : memref<4x3xf32>
    kernel.call @top_k(%x) outs(%0, %i) {axis = 1 : i64, k = 3 : i64, largest = true}
        : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
    kernel.call @top_k(%x) outs(%v, %i) {axis = 1 : i64, k = 3 : i64, largest = true}
        : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
    kernel.call @top_k(%x) outs(%v, %i) {axis = 1 : i64, k = 3 : i64, largest = false}
        : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
    %p = kernel.buffer : memref<1x1x5x5xf32>
    %q = kernel.buffer : memref<4x1x2x2xf32>
    // expected-remark@+1 {{@max_roi_pool stays a call: it has no form for a device}}
    kernel.call @max_roi_pool(%p, %r) outs(%q) {}
        : (memref<1x1x5x5xf32>, memref<4x5xf32>) -> memref<4x1x2x2xf32>
    return
  }
  // CHECK: kernel.func @top_k(%{{.*}}: memref<4x9xf32>, %{{.*}}: memref<4x3xf32>, %{{.*}}: memref<4x3xi64>)
  // CHECK-SAME: group = "top_k", num_inputs = 1 : i64, num_outputs = 2 : i64, threads = 32 : i64, variant = "default"
  // CHECK-NEXT: kernel.for %[[B:.*]] = 0 to 4 map(block) {
  // CHECK-NEXT: kernel.call @top_k(%{{.*}}) block %[[B]] outs(
  // CHECK: kernel.func @top_k_0(
}

// -----

// What is updated is there before. Short lines are a thread's, long ones a
// block's; without lines nothing is left to do.
module attributes {fuse.target = "cuda-sm80"} {
  // CHECK-LABEL: func.func @updates
  func.func @updates(%x: memref<4x9xf32>, %i: memref<2x9xi64>, %u: memref<2x9xf32>, %y: memref<4x9xf32>)
      attributes {fuse.outputs = 1 : i64} {
    // CHECK: kernel.copy %arg0, %arg3
    // CHECK-NEXT: kernel.launch @scatter_elements(%arg3, %arg1, %arg2, %arg3)
    kernel.call @scatter_elements(%x, %i, %u) outs(%y) {axis = 0 : i64, reduction = "add"}
        : (memref<4x9xf32>, memref<2x9xi64>, memref<2x9xf32>) -> memref<4x9xf32>
    %j = kernel.buffer : memref<100x1xi64>
    %w = kernel.buffer : memref<100x9xf32>
    // CHECK: kernel.copy
    // CHECK-NEXT: kernel.launch @scatter_nd(
    kernel.call @scatter_nd(%x, %j, %w) outs(%y) {reduction = "none"}
        : (memref<4x9xf32>, memref<100x1xi64>, memref<100x9xf32>) -> memref<4x9xf32>
    %no = kernel.buffer : memref<0x1xi64>
    %nothing = kernel.buffer : memref<0x9xf32>
    // CHECK: kernel.copy %arg0, %arg3
    // CHECK-NEXT: return
    kernel.call @scatter_nd(%x, %no, %nothing) outs(%y) {reduction = "none"}
        : (memref<4x9xf32>, memref<0x1xi64>, memref<0x9xf32>) -> memref<4x9xf32>
    return
  }
  // CHECK: kernel.func @scatter_elements({{.*}}threads = 32
  // CHECK-NEXT: 0 to 1 map(block)
  // CHECK: kernel.func @scatter_nd({{.*}}threads = 128
  // CHECK-NEXT: 0 to 9 map(block)
}

// -----

// A CPU calls.
// CHECK-LABEL: func.func @cpu
// CHECK: kernel.call @top_k(
func.func @cpu(%x: memref<4xf32>, %v: memref<2xf32>, %i: memref<2xi64>) attributes {fuse.outputs = 2 : i64} {
  kernel.call @top_k(%x) outs(%v, %i) {axis = 0 : i64, k = 2 : i64, largest = true}
      : (memref<4xf32>) -> (memref<2xf32>, memref<2xi64>)
  return
}

// -----

// Operands that are one memory in a call may be two in another one, which has its kernel.
module attributes {fuse.target = "cuda-sm80"} {
  // CHECK-LABEL: func.func @same
  func.func @same(%x: memref<4x9xf32>, %u: memref<4x9xf32>, %i: memref<4x1xi64>, %y: memref<4x9xf32>, %z: memref<4x9xf32>)
      attributes {fuse.outputs = 2 : i64} {
    // CHECK: kernel.launch @scatter_nd(%arg3, %arg2, %arg0, %arg3)
    kernel.call @scatter_nd(%x, %i, %x) outs(%y) {reduction = "add"}
        : (memref<4x9xf32>, memref<4x1xi64>, memref<4x9xf32>) -> memref<4x9xf32>
    // CHECK: kernel.launch @scatter_nd(%arg4, %arg2, %arg1, %arg4)
    kernel.call @scatter_nd(%x, %i, %u) outs(%z) {reduction = "add"}
        : (memref<4x9xf32>, memref<4x1xi64>, memref<4x9xf32>) -> memref<4x9xf32>
    return
  }
  // CHECK: kernel.func @scatter_nd(%[[X:.*]]: memref<4x9xf32>, %[[I:.*]]: memref<4x1xi64>, %[[U:.*]]: memref<4x9xf32>, %[[Y:.*]]: memref<4x9xf32>)
  // CHECK: kernel.call @scatter_nd(%[[X]], %[[I]], %[[U]]) block %{{.*}} outs(%[[Y]])
}

// -----

// An operator's function of blocks, with scratch memory; equal calls share a kernel. One
// without blocks is none, and one that has no such function for the call stays.
module attributes {fuse.target = "cuda-sm80"} {
  fuse.op @acme.Sums version 1 inputs ["x"] outputs ["y"] parameters {scale = 1.0 : f64} of "sums" hash "0123456789abcdef"
      attributes {flags = [], sources = {sums.cpp = "", sums.cuh = ""}, unit = 0, units = ["sums.cpp"],
      block = {alone = false, file = "sums.cuh", function = "acme::sums", parameters = ["scale"]}}
  // CHECK-LABEL: func.func @own
  func.func @own(%x: memref<4x9xf32>, %y: memref<4xf32>) attributes {fuse.outputs = 1 : i64} {
    %space = kernel.buffer : memref<16xi8>
    // CHECK: kernel.launch @acme_Sums(%arg0, %arg1, %space) : memref<4x9xf32>, memref<4xf32>, memref<16xi8>
    // CHECK-NEXT: kernel.launch @acme_Sums(%arg0, %arg1, %space)
    kernel.call @acme.Sums(%x) outs(%y) workspace(%space : memref<16xi8>)
        {op.block = {blocks = 4, shared = 64, threads = 128, workspace = 16}, scale = 0.5 : f64} : (memref<4x9xf32>) -> memref<4xf32>
    kernel.call @acme.Sums(%x) outs(%y) workspace(%space : memref<16xi8>)
        {op.block = {blocks = 4, shared = 64, threads = 128, workspace = 16}, scale = 0.5 : f64} : (memref<4x9xf32>) -> memref<4xf32>
    %no = kernel.buffer : memref<0x9xf32>
    %nothing = kernel.buffer : memref<0xf32>
    kernel.call @acme.Sums(%no) outs(%nothing)
        {op.block = {blocks = 0, shared = 0, threads = 128, workspace = 0}, scale = 0.5 : f64} : (memref<0x9xf32>) -> memref<0xf32>
    // CHECK: kernel.call @acme.Sums(%arg0) outs(%arg1) {scale = 2.500000e-01 : f64}
    // expected-remark@+1 {{@acme.Sums stays a call: it has no form for a device}}
    kernel.call @acme.Sums(%x) outs(%y) {scale = 0.25 : f64} : (memref<4x9xf32>) -> memref<4xf32>
    return
  }
  // CHECK: kernel.func @acme_Sums(%{{.*}}: memref<4x9xf32>, %{{.*}}: memref<4xf32>, %{{.*}}: memref<16xi8>)
  // CHECK-SAME: group = "acme_Sums", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 128 : i64, variant = "default"
  // CHECK-NEXT: kernel.for %[[B:.*]] = 0 to 4 map(block) {
  // CHECK-NEXT: kernel.call @acme.Sums(%{{.*}}) block %[[B]] outs(%{{.*}}) workspace(%{{.*}} : memref<16xi8>)
  // CHECK-NOT: kernel.func
}
