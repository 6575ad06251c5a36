// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-launch-calls --verify-diagnostics

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
