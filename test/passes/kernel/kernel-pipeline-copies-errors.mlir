// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-pipeline-copies --split-input-file --verify-diagnostics

module attributes {fuse.target = "cuda-sm75"} {
  // expected-error @below {{has a config of 2 stages; target cuda-sm75 has no copies that arrive while threads compute}}
  kernel.func @copy(%x: memref<32xf32>, %y: memref<32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64, config = #sched.config<"default", [block<threads = 32, tile = [1, 32], depth = 4, stages = 2>, thread<points = [1, 1]>]>} {
    kernel.return
  }
}

// -----

module {
  // expected-error @below {{has a config of 2 stages; target generic has no copies that arrive while threads compute}}
  kernel.func @copy(%x: memref<32xf32>, %y: memref<32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, config = #sched.config<"default", [block<threads = 32, tile = [1, 32], depth = 4, stages = 2>, thread<points = [1, 1]>]>} {
    kernel.return
  }
}
