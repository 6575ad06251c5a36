// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-split-tails -split-input-file -verify-diagnostics
// The pass reports no errors of its own; IR that breaks a rule of the dialect is
// refused before it runs.

kernel.func @bound(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {group = "bound", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %t = 0 to 8 map(parallel) {
    // expected-error @+1 {{has 2 operands for its upper bound, which takes 1}}
    kernel.for %j = 0 to min affine_map<(d0) -> (8, d0)>(%t, %t) map(unroll) { }
  }
  kernel.return
}
