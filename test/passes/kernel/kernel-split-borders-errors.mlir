// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-split-borders -split-input-file -verify-diagnostics
// The pass reports no errors of its own; IR that breaks a rule of the dialect is
// refused before it runs.

kernel.func @mask(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {group = "mask", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 64 {
    // expected-error @+1 {{has 2 operands for a condition of 1 dims}}
    %0 = kernel.in_bounds affine_set<(d0) : (d0 - 1 >= 0)>(%j, %j) : i1
  }
  kernel.return
}
