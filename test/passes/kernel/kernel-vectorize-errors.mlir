// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-vectorize -split-input-file -verify-diagnostics
// The pass reports no errors of its own; IR that breaks a rule of the dialect is
// refused before it runs.

kernel.func @mixed(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {group = "mixed", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 64 map(vector) {
    %m = arith.constant dense<true> : vector<16xi1>
    // expected-error @+1 {{mask is 'vector<16xi1>', expected 'i1'}}
    %a = kernel.load %x[%j] mask %m : memref<64xf32>, vector<16xi1> -> f32
    kernel.store %a, %y[%j] : f32, memref<64xf32>
  }
  kernel.return
}
