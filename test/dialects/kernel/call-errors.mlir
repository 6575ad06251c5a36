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

// -----

func.func @no_kernel(%x: memref<4xf32>, %v: memref<2xf32>, %i: memref<2xi64>, %y: memref<1xf32>) {
  kernel.repeat trips = 5 : () -> () {
  ^bb0(%b: index):
    // expected-error @below {{'kernel.call' op says which block runs it, outside of a kernel}}
    kernel.call @top_k(%x) block %b outs(%v, %i) {axis = 0, k = 2, largest = true} : (memref<4xf32>) -> (memref<2xf32>, memref<2xi64>)
  }
  return
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @no_block(%x: memref<4xf32>, %v: memref<2xf32>, %i: memref<2xi64>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 2 : i64, threads = 32 : i64} {
    // expected-error @below {{'kernel.call' op is in a kernel, and does not say which block runs it}}
    kernel.call @top_k(%x) outs(%v, %i) {axis = 0, k = 2, largest = true} : (memref<4xf32>) -> (memref<2xf32>, memref<2xi64>)
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @one_thread(%x: memref<4xf32>, %v: memref<2xf32>, %i: memref<2xi64>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 2 : i64, threads = 32 : i64} {
    kernel.for %t = 0 to 1 map(thread) {
      // expected-error @below {{'kernel.call' op is in a kernel, but not right in a loop of blocks: all threads of a block come to it}}
      kernel.call @top_k(%x) block %t outs(%v, %i) {axis = 0, k = 2, largest = true} : (memref<4xf32>) -> (memref<2xf32>, memref<2xi64>)
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @only_host(%x: memref<1x1x5x5xf32>, %r: memref<4x5xf32>, %y: memref<4x1x2x2xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.for %b = 0 to 4 map(block) {
      // expected-error @below {{'kernel.call' op of @max_roi_pool is in a kernel; the routine has no form for a device}}
      kernel.call @max_roi_pool(%x, %r) block %b outs(%y) {} : (memref<1x1x5x5xf32>, memref<4x5xf32>) -> memref<4x1x2x2xf32>
    }
    kernel.return
  }
}

// -----

kernel.func @cpu(%x: memref<4xf32>, %v: memref<2xf32>, %i: memref<2xi64>)
    attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 2 : i64} {
  kernel.for %b = 0 to 1 {
    // expected-error @below {{'kernel.call' op is in a kernel}}
    kernel.call @top_k(%x) block %b outs(%v, %i) {axis = 0, k = 2, largest = true} : (memref<4xf32>) -> (memref<2xf32>, memref<2xi64>)
  }
  kernel.return
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  fuse.op @acme.Sums version 1 inputs ["x"] outputs ["y"] parameters {scale = 1.0 : f64} of "sums" hash "0123456789abcdef"
      attributes {flags = [], sources = {sums.cpp = "", sums.cuh = ""}, unit = 0, units = ["sums.cpp"],
      block = {alone = false, file = "sums.cuh", function = "acme::sums", parameters = ["scale"]}}
  kernel.func @no_blocks(%x: memref<4x9xf32>, %y: memref<4xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.for %b = 0 to 4 map(block) {
      // expected-error @below {{'kernel.call' op of @acme.Sums is in a kernel; the routine has no form for a device}}
      kernel.call @acme.Sums(%x) block %b outs(%y) {scale = 0.5 : f64} : (memref<4x9xf32>) -> memref<4xf32>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  fuse.op @acme.Sums version 1 inputs ["x"] outputs ["y"] parameters {scale = 1.0 : f64} of "sums" hash "0123456789abcdef"
      attributes {flags = [], sources = {sums.cpp = "", sums.cuh = ""}, unit = 0, units = ["sums.cpp"],
      block = {alone = false, file = "sums.cuh", function = "acme::sums", parameters = ["scale"]}}
  kernel.func @other_grid(%x: memref<4x9xf32>, %y: memref<4xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.for %b = 0 to 4 map(block) {
      // expected-error @below {{'kernel.call' op says op.block = {blocks = 3 : i64, shared = 0 : i64, threads = 32 : i64, workspace = 0 : i64}, in a kernel of 4 blocks of 32 threads}}
      kernel.call @acme.Sums(%x) block %b outs(%y) {op.block = {blocks = 3, shared = 0, threads = 32, workspace = 0}, scale = 0.5 : f64}
          : (memref<4x9xf32>) -> memref<4xf32>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  fuse.op @acme.Sums version 1 inputs ["x"] outputs ["y"] parameters {scale = 1.0 : f64} of "sums" hash "0123456789abcdef"
      attributes {flags = [], sources = {sums.cpp = "", sums.cuh = ""}, unit = 0, units = ["sums.cpp"],
      block = {alone = false, file = "sums.cuh", function = "acme::sums", parameters = ["scale"]}}
  kernel.func @no_room(%x: memref<4x9xf32>, %y: memref<4xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.for %b = 0 to 4 map(block) {
      // expected-error @below {{'kernel.call' op asks for 49168 bytes of shared memory, of which a function has at most 49152 on sm_80}}
      kernel.call @acme.Sums(%x) block %b outs(%y) {op.block = {blocks = 4, shared = 49168, threads = 32, workspace = 0}, scale = 0.5 : f64}
          : (memref<4x9xf32>) -> memref<4xf32>
    }
    kernel.return
  }
}
