// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @count(%x: memref<4xf32>) {
  // expected-error @below {{'kernel.choice' op names 2 algorithms, it has 1 alternatives}}
  kernel.choice @same ["a", "b"] {
    kernel.fill %x with 0.0 : f32 : memref<4xf32>
  }
  return
}

// -----

func.func @twice(%x: memref<4xf32>) {
  // expected-error @below {{'kernel.choice' op has two alternatives "a"}}
  kernel.choice @same ["a", "a"] {
    kernel.fill %x with 0.0 : f32 : memref<4xf32>
  }, {
    kernel.fill %x with 0.0 : f32 : memref<4xf32>
  }
  return
}
