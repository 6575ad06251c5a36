// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Configs whose matrices are none that the target's unit multiplies.
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-tile --verify-diagnostics

module attributes {fuse.target = "cuda-sm75"} {
  // expected-error @below {{has a config that does not fit group @turing: sm_75 has no unit 'mma_f16' for matrices}}
  sched.scop @turing ins(%x: memref<64x64xf16>, %w: memref<64x64xf16>) outs(%y: memref<64x64xf32>) arrays(%a: memref<64x64xf32>)
      config(#sched.config<"default", [block<threads = 32, tile = [32, 32]>, thread<points = [8, 4], matrices = "mma_f16">]>) {
    sched.stmt @init [i: 64, j: 64] writes %a[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @product [i: 64, j: 64, k: 64] reduces [k] reads %a[i, j], %x[i, k], %w[k, j] writes %a[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = arith.mulf %1, %2 : f32
      %4 = arith.addf %0, %3 : f32
      sched.yield %4 : f32
    }
    sched.stmt @out [i: 64, j: 64] reads %a[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @rows: a thread has multiples of 4 rows of a matrix, not 2}}
  sched.scop @rows ins(%x: memref<64x64xf16>, %w: memref<64x64xf16>) outs(%y: memref<64x64xf32>) arrays(%a: memref<64x64xf32>)
      config(#sched.config<"default", [block<threads = 64, tile = [16, 16]>, thread<points = [2, 2], matrices = "mma_f16">]>) {
    sched.stmt @init [i: 64, j: 64] writes %a[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @product [i: 64, j: 64, k: 64] reduces [k] reads %a[i, j], %x[i, k], %w[k, j] writes %a[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = arith.mulf %1, %2 : f32
      %4 = arith.addf %0, %3 : f32
      sched.yield %4 : f32
    }
    sched.stmt @out [i: 64, j: 64] reads %a[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @few: a warp has 4 threads along rows of a matrix, and a block 2}}
  sched.scop @few ins(%x: memref<64x64xf16>, %w: memref<64x64xf16>) outs(%y: memref<64x64xf32>) arrays(%a: memref<64x64xf32>)
      config(#sched.config<"default", [block<threads = 32, tile = [32, 32]>, thread<points = [16, 4], matrices = "mma_f16">]>) {
    sched.stmt @init [i: 64, j: 64] writes %a[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @product [i: 64, j: 64, k: 64] reduces [k] reads %a[i, j], %x[i, k], %w[k, j] writes %a[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = arith.mulf %1, %2 : f32
      %4 = arith.addf %0, %3 : f32
      sched.yield %4 : f32
    }
    sched.stmt @out [i: 64, j: 64] reads %a[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @threads: matrices have points for 32 threads, not 64}}
  sched.scop @threads ins(%x: memref<64x64xf16>, %w: memref<64x64xf16>) outs(%y: memref<64x64xf32>) arrays(%a: memref<64x64xf32>)
      config(#sched.config<"default", [block<threads = 64, tile = [32, 32]>, thread<points = [8, 4], matrices = "mma_f16">]>) {
    sched.stmt @init [i: 64, j: 64] writes %a[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @product [i: 64, j: 64, k: 64] reduces [k] reads %a[i, j], %x[i, k], %w[k, j] writes %a[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = arith.mulf %1, %2 : f32
      %4 = arith.addf %0, %3 : f32
      sched.yield %4 : f32
    }
    sched.stmt @out [i: 64, j: 64] reads %a[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @short: threads along rows of a matrix would have nothing of a loop of 20}}
  sched.scop @short ins(%x: memref<20x64xf16>, %w: memref<64x64xf16>) outs(%y: memref<20x64xf32>) arrays(%a: memref<20x64xf32>)
      config(#sched.config<"default", [block<threads = 32, tile = [32, 16]>, thread<points = [8, 2], matrices = "mma_f16">]>) {
    sched.stmt @init [i: 20, j: 64] writes %a[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @product [i: 20, j: 64, k: 64] reduces [k] reads %a[i, j], %x[i, k], %w[k, j] writes %a[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = arith.mulf %1, %2 : f32
      %4 = arith.addf %0, %3 : f32
      sched.yield %4 : f32
    }
    sched.stmt @out [i: 20, j: 64] reads %a[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @depth: matrices have 16 terms a step, which 24 are no multiple of}}
  sched.scop @depth ins(%x: memref<64x64xf16>, %w: memref<64x64xf16>) outs(%y: memref<64x64xf32>) arrays(%a: memref<64x64xf32>)
      config(#sched.config<"default", [block<threads = 32, tile = [32, 32], depth = 24>, thread<points = [8, 4], matrices = "mma_f16">]>) {
    sched.stmt @init [i: 64, j: 64] writes %a[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @product [i: 64, j: 64, k: 64] reduces [k] reads %a[i, j], %x[i, k], %w[k, j] writes %a[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = arith.mulf %1, %2 : f32
      %4 = arith.addf %0, %3 : f32
      sched.yield %4 : f32
    }
    sched.stmt @out [i: 64, j: 64] reads %a[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @row: matrices have rows and columns, and the tile has other dimensions}}
  sched.scop @row ins(%x: memref<64xf16>) outs(%y: memref<64xf32>)
      config(#sched.config<"default", [block<threads = 32, tile = [64]>, thread<points = [2], matrices = "mma_f16">]>) {
    sched.stmt @copy [i: 64] reads %x[i] writes %y[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}
