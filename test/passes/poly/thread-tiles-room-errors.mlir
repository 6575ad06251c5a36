// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles that a block has no shared memory for, or a thread no registers, as a config that
// was written by hand may have.
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-tile --sched-map --sched-promote-arrays --verify-diagnostics

// Rows of x are padded: 132 of them, and 128 of w.
module attributes {fuse.target = "cuda-sm75"} {
  // expected-error @below {{has a config that does not fit group @deep: a block would have 66560 bytes of its operands in shared memory, of which sm_75 has 61440; a smaller tile, depth or number of stages takes less, and fusec algos lists configs that fit; change it, or remove it and run --sched-select-configs for the default}}
  sched.scop @deep ins(%x: memref<512x64xf32>, %w: memref<64x512xf32>) outs(%y: memref<512x512xf32>) arrays(%sum: memref<512x512xf32>)
      config(#sched.config<"default", [block<threads = 256, tile = [128, 128], depth = 64>, thread<points = [8, 8]>]>) {
    sched.stmt @init [i: 512, j: 512] writes %sum[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @mac [i: 512, j: 512, k: 64] reduces [k] reads %sum[i, j], %x[i, k], %w[k, j] writes %sum[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    sched.stmt @out [i: 512, j: 512] reads %sum[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

// Without what pads its rows it would fit to the byte.
module attributes {fuse.target = "cuda-sm75"} {
  // expected-error @below {{has a config that does not fit group @padded: a block would have 62464 bytes of its operands in shared memory, of which sm_75 has 61440; a smaller tile, depth or number of stages takes less, and fusec algos lists configs that fit; change it, or remove it and run --sched-select-configs for the default}}
  sched.scop @padded ins(%x: memref<512x64xf32>, %w: memref<64x512xf32>) outs(%y: memref<512x512xf32>) arrays(%sum: memref<512x512xf32>)
      config(#sched.config<"default", [block<threads = 224, tile = [128, 112], depth = 64>, thread<points = [8, 8]>]>) {
    sched.stmt @init [i: 512, j: 512] writes %sum[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @mac [i: 512, j: 512, k: 64] reduces [k] reads %sum[i, j], %x[i, k], %w[k, j] writes %sum[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    sched.stmt @out [i: 512, j: 512] reads %sum[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

// A register more than there are.
module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @points: a thread would have 1024 bytes of array sum, of which its registers take 1020; fewer points take less, and fusec algos lists configs that fit; change it, or remove it and run --sched-select-configs for the default}}
  sched.scop @points ins(%x: memref<512x64xf32>, %w: memref<64x512xf32>) outs(%y: memref<512x512xf32>) arrays(%sum: memref<512x512xf32>)
      config(#sched.config<"default", [block<threads = 256, tile = [256, 256], depth = 16>, thread<points = [16, 16]>]>) {
    sched.stmt @init [i: 512, j: 512] writes %sum[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @mac [i: 512, j: 512, k: 64] reduces [k] reads %sum[i, j], %x[i, k], %w[k, j] writes %sum[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    sched.stmt @out [i: 512, j: 512] reads %sum[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}
