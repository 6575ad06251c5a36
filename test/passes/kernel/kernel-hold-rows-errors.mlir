// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-hold-rows --verify-diagnostics

// How many registers threads have stands in the row of the target, so it has to be known.
// expected-error @below {{has fuse.target = "abacus", which is no row of the table of targets}}
module attributes {fuse.target = "abacus"} {
  kernel.func @copy(%x: memref<8xf32>, %y: memref<8xf32>) attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
    kernel.return
  }
}
