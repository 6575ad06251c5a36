// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-plan-memory --split-input-file --verify-diagnostics

func.func @overlap(%x: memref<32xf32>) attributes {fuse.outputs = 0 : i64} {
  // expected-note@+1 {{the other one is here}}
  %a = kernel.buffer offset = 0 : memref<32xf32>
  // expected-error@+1 {{overlaps another buffer that is alive at the same time}}
  %b = kernel.buffer offset = 64 : memref<32xf32>
  kernel.copy %a, %b : memref<32xf32>
  return
}

// -----

func.func @align(%x: memref<32xf32>) attributes {fuse.outputs = 0 : i64} {
  // expected-error@+1 {{has offset 32, no multiple of 64}}
  %a = kernel.buffer offset = 32 : memref<32xf32>
  kernel.copy %x, %a : memref<32xf32>
  return
}

// -----

func.func @dynamic(%x: memref<?xf32>) attributes {fuse.outputs = 0 : i64} {
  // expected-error@+1 {{of type 'memref<?xf32>' has no known size; it needs a static shape and a supported element type}}
  %a = kernel.buffer : memref<?xf32>
  kernel.copy %x, %a : memref<?xf32>
  return
}
