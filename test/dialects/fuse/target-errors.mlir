// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{has fuse.target = "abacus", which is no row of the table of targets (generic, portable, neon, zen4, sapphire-rapids, sapphire-rapids-amx, cuda-sm75, cuda-sm80, cuda-sm86, cuda-sm89, cuda-sm90, cuda-sm100, cuda-sm120)}}
module attributes {fuse.target = "abacus"} {
}

// -----

// expected-error @below {{has fuse.target = 4 : i64, which is no row of the table of targets}}
module attributes {fuse.target = 4 : i64} {
}
