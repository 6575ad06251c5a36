// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-apply-choices=remarks --split-input-file --verify-diagnostics -o /dev/null
// What calls of the library cost beside kernels: never nothing.

// A large product, where elements of a column of w have few places in a cache: the kernel's 2048^3 points over 8 cores and its start of zeros, or 16 tasks.
func.func @main(%x: memref<2048x2048xf32>, %w: memref<2048x2048xf32>, %y: memref<2048x2048xf32>) attributes {fuse.outputs = 1 : i64} {
  // expected-remark @below {{@product is openblas: 714363904 steps of a core, direct 1074282496, onednn 2014936064}}
  kernel.choice @product ["direct", "openblas", "onednn"] {
    kernel.launch @product_direct(%x, %w, %y) : memref<2048x2048xf32>, memref<2048x2048xf32>, memref<2048x2048xf32>
  }, {
    kernel.call @openblas_gemm(%x, %w) outs(%y) {terms = "mk,kn->mn"} : (memref<2048x2048xf32>, memref<2048x2048xf32>) -> memref<2048x2048xf32>
  }, {
    kernel.call @onednn_gemm(%x, %w) outs(%y) {terms = "mk,kn->mn"} : (memref<2048x2048xf32>, memref<2048x2048xf32>) -> memref<2048x2048xf32>
  }
  return
}
sched.scop @product_direct ins(%x: memref<2048x2048xf32>, %w: memref<2048x2048xf32>) outs(%y: memref<2048x2048xf32>) {
  sched.stmt @init [i: 2048, j: 2048] writes %y[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @product [i: 2048, j: 2048, k: 2048] reduces [k] reads %y[i, j], %x[i, k], %w[k, j] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
}

// -----

// The same by weights, which a kernel has packed: nothing that a library could do better.
fuse.weight @w = dense_resource<w> : tensor<2048x2048xf32>
func.func @main(%x: memref<2048x2048xf32>, %y: memref<2048x2048xf32>) attributes {fuse.outputs = 1 : i64} {
  %w = kernel.weight @w : memref<2048x2048xf32>
  // expected-remark @below {{@product is direct: 1074282496 steps of a core, openblas 1142972416, onednn 3223887872}}
  kernel.choice @product ["direct", "openblas", "onednn"] {
    kernel.launch @product_direct(%x, %w, %y) : memref<2048x2048xf32>, memref<2048x2048xf32>, memref<2048x2048xf32>
  }, {
    kernel.call @openblas_gemm(%x, %w) outs(%y) {terms = "mk,kn->mn"} : (memref<2048x2048xf32>, memref<2048x2048xf32>) -> memref<2048x2048xf32>
  }, {
    kernel.call @onednn_gemm(%x, %w) outs(%y) {terms = "mk,kn->mn"} : (memref<2048x2048xf32>, memref<2048x2048xf32>) -> memref<2048x2048xf32>
  }
  return
}
sched.scop @product_direct ins(%x: memref<2048x2048xf32>, %w: memref<2048x2048xf32>) outs(%y: memref<2048x2048xf32>) {
  sched.stmt @init [i: 2048, j: 2048] writes %y[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @product [i: 2048, j: 2048, k: 2048] reduces [k] reads %y[i, j], %x[i, k], %w[k, j] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
}

// -----

// Many small products pay for each call.
func.func @main(%x: memref<64x8x8xf32>, %w: memref<64x8x8xf32>, %y: memref<64x8x8xf32>) attributes {fuse.outputs = 1 : i64} {
  // expected-remark @below {{@product is direct: 20992 steps of a core, openblas 114688}}
  kernel.choice @product ["direct", "openblas"] {
    kernel.launch @product_direct(%x, %w, %y) : memref<64x8x8xf32>, memref<64x8x8xf32>, memref<64x8x8xf32>
  }, {
    kernel.call @openblas_gemm(%x, %w) outs(%y) {terms = "bmk,bkn->bmn"} : (memref<64x8x8xf32>, memref<64x8x8xf32>) -> memref<64x8x8xf32>
  }
  return
}
sched.scop @product_direct ins(%x: memref<64x8x8xf32>, %w: memref<64x8x8xf32>) outs(%y: memref<64x8x8xf32>) {
  sched.stmt @init [b: 64, i: 8, j: 8] writes %y[b, i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @product [b: 64, i: 8, j: 8, k: 8] reduces [k] reads %y[b, i, j], %x[b, i, k], %w[b, k, j] writes %y[b, i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
}

// -----

// What has no cost of its own in the registry is a launch and an access to each element.
func.func @main(%x: memref<4x9xf32>, %v: memref<4x3xf32>, %i: memref<4x3xi64>) attributes {fuse.outputs = 2 : i64} {
  // expected-remark @below {{@best is first: 16444 steps of a core, again 32888}}
  kernel.choice @best ["first", "again"] {
    kernel.call @top_k(%x) outs(%v, %i) {axis = 1, k = 3, largest = true} : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
  }, {
    kernel.call @top_k(%x) outs(%v, %i) {axis = 1, k = 3, largest = true} : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
    kernel.call @top_k(%x) outs(%v, %i) {axis = 1, k = 3, largest = true} : (memref<4x9xf32>) -> (memref<4x3xf32>, memref<4x3xi64>)
  }
  return
}
