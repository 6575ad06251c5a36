// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-multiply-matrices --split-input-file --verify-diagnostics

#config = #sched.config<"default", [block<threads = 32, tile = [16, 16]>, thread<points = [4, 2], matrices = "mma_f16">]>
module attributes {fuse.target = "cuda-sm75"} {
  // expected-error @below {{has a config that multiplies matrices by 'mma_f16', which target cuda-sm75 does not have}}
  kernel.func @turing(%x: memref<8xf16>, %y: memref<8xf32>) attributes {config = #config, group = "g", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64, variant = "default"} {
    kernel.return
  }
}

// -----

#config = #sched.config<"default", [block<threads = 32, tile = [16, 16]>, thread<points = [4, 2], matrices = "mma_f8">]>
module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that multiplies matrices by 'mma_f8', which target cuda-sm80 does not have}}
  kernel.func @unknown(%x: memref<8xf16>, %y: memref<8xf32>) attributes {config = #config, group = "g", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64, variant = "default"} {
    kernel.return
  }
}
