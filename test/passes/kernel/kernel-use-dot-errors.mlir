// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-use-dot --verify-diagnostics

// What the target has decides, so it has to be known.
// expected-error @below {{has fuse.target = "abacus", which is no row of the table of targets}}
module attributes {fuse.target = "abacus"} {
  kernel.func @product(%x: memref<8xi16>, %y: memref<8xi32>) attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
    kernel.return
  }
}
