// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-launch-calls --split-input-file --verify-diagnostics

module attributes {fuse.target = "cuda-sm80"} {
  func.func @late(%x: memref<4xf32, #kernel.space<host>>, %i: memref<2xi64, #kernel.space<host>>)
      attributes {fuse.outputs = 1 : i64} {
    %v = kernel.buffer : memref<2xf32, #kernel.space<host>>
    // expected-error@+1 {{has memory of the host already; run --model-launch-calls before --model-partition}}
    kernel.call @top_k(%x) outs(%v, %i) {axis = 0 : i64, k = 2 : i64, largest = true}
        : (memref<4xf32, #kernel.space<host>>) -> (memref<2xf32, #kernel.space<host>>, memref<2xi64, #kernel.space<host>>)
    return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  fuse.op @acme.Sums version 1 inputs ["x"] outputs ["y"] parameters {scale = 1.0 : f64} of "sums" hash "0123456789abcdef"
      attributes {flags = [], sources = {sums.cpp = "", sums.cuh = ""}, unit = 0, units = ["sums.cpp"],
      block = {alone = false, file = "sums.cuh", function = "acme::sums", parameters = ["scale"]}}
  func.func @shared(%x: memref<4x9xf32>, %y: memref<4xf32>) attributes {fuse.outputs = 1 : i64} {
    // expected-error@+1 {{of @acme.Sums asks for 65536 bytes of shared memory in each block, and those of target cuda-sm80 have 49152}}
    kernel.call @acme.Sums(%x) outs(%y) {op.block = {blocks = 4, shared = 65536, threads = 128, workspace = 0}, scale = 0.5 : f64}
        : (memref<4x9xf32>) -> memref<4xf32>
    return
  }
}
