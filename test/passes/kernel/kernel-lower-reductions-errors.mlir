// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-lower-reductions -split-input-file -verify-diagnostics
// The pass reports no errors of its own; IR that breaks a rule of the dialect is
// refused before it runs.

kernel.func @narrow(%x: memref<64xf16>, %y: memref<1xf16>)
    attributes {group = "narrow", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 64 map(vector) {
    %a = kernel.load %x[%j] : memref<64xf16> -> f32
    %b = kernel.load %y[0] : memref<1xf16> -> f32
    %c = arith.addf %a, %b : f32
    %d = arith.truncf %c : f32 to f16
    // expected-error @+1 {{value is 'f16', expected 'f32'}}
    kernel.store %d, %y[0] : f16, memref<1xf16>
  }
  kernel.return
}
