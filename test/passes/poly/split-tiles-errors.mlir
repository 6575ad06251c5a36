// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that blocks of a GPU cannot share so.
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-tile --verify-diagnostics

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @relu: @out does more than to store the sum}}
  sched.scop @relu ins(%x: memref<32x64xf32>, %w: memref<64x32xf32>) outs(%y: memref<32x32xf32>) arrays(%s: memref<32x32xf32>)
      config(#sched.config<"default", [grid<split = 16>, block<threads = 64, tile = [16, 32], depth = 8>, thread<points = [2, 4]>]>) {
    sched.stmt @init [i: 32, j: 32] writes %s[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @mac [i: 32, j: 32, k: 64] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    sched.stmt @out [i: 32, j: 32] reads %s[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      %1 = math.absf %0 : f32
      sched.yield %1 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @whole: blocks add no parts to outputs: no parts of float or double are added up in it}}
  sched.scop @whole ins(%x: memref<8x100000xi32>) outs(%y: memref<8xi32>) arrays(%s: memref<8xi32>)
      config(#sched.config<"default", [grid<split = 1024>, block<threads = 64, tile = [1]>, team<of = block, loops = [-1, 1, -1]>]>) {
    sched.stmt @init [i: 8] writes %s[i] {
      %0 = arith.constant 0 : i32
      sched.yield %0 : i32
    }
    sched.stmt @sum [i: 8, j: 100000] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
    ^bb0(%0: i32, %1: i32):
      %2 = arith.addi %0, %1 : i32
      sched.yield %2 : i32
    }
    sched.stmt @out [i: 8] reads %s[i] writes %y[i] {
    ^bb0(%0: i32):
      sched.yield %0 : i32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @begun: blocks add no parts to outputs: @init begins with something else than zero}}
  sched.scop @begun ins(%x: memref<8x100000xf32>) outs(%y: memref<8xf32>) arrays(%s: memref<8xf32>)
      config(#sched.config<"default", [grid<split = 1024>, block<threads = 64, tile = [1]>, team<of = block, loops = [-1, 1, -1]>]>) {
    sched.stmt @init [i: 8] writes %s[i] {
      %0 = arith.constant 1.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [i: 8, j: 100000] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
    sched.stmt @out [i: 8] reads %s[i] writes %y[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @greatest: blocks add no parts to outputs: @max is no sum}}
  sched.scop @greatest ins(%x: memref<8x100000xf32>) outs(%y: memref<8xf32>) arrays(%s: memref<8xf32>)
      config(#sched.config<"default", [grid<split = 1024>, block<threads = 64, tile = [1]>, team<of = block, loops = [-1, 1, -1]>]>) {
    sched.stmt @init [i: 8] writes %s[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @max [i: 8, j: 100000] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.maximumf %0, %1 : f32
      sched.yield %2 : f32
    }
    sched.stmt @out [i: 8] reads %s[i] writes %y[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

// expected-error @below {{has a config that does not fit group @cpu: it splits a reduction, and has a band that threads share}}
sched.scop @cpu ins(%x: memref<8x100000xf32>) outs(%y: memref<8xf32>) arrays(%s: memref<8xf32>)
    config(#sched.config<"default", [cores<split = 1024>, registers<tile = [1]>, unit<lanes = 16, along = [-1, 1, -1]>]>) {
  sched.stmt @init [i: 8] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 100000] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 8] reads %s[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
