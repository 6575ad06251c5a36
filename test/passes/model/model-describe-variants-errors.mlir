// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-describe-variants --verify-diagnostics

// expected-error@+1 {{has a config and no 'proposer', without which no lock can name it}}
kernel.func @nobody(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {group = "nobody", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64,
                config = #sched.config<"default", [cores<grain = 7>, registers<tile = [4]>, unit<lanes = 16, along = [0]>]>} {
  kernel.return
}
