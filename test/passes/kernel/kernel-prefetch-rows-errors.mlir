// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-prefetch-rows -split-input-file -verify-diagnostics
// The pass reports no errors of its own; IR that breaks a rule of the dialect is
// refused before it runs.

kernel.func @rank(%x: memref<1024x512xf32>, %y: memref<1024x512xf32>)
    attributes {group = "s", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 1024 map(parallel) {
    // expected-error @+1 {{has 1 subscripts for 'memref<1024x512xf32>', which has rank 2}}
    kernel.prefetch %x[%i] : memref<1024x512xf32>
  }
  kernel.return
}
