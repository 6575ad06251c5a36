// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in shared memory that do not fit, and marks that are wrong.
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-tile --sched-map --sched-verify --verify-diagnostics

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @threads: a tile has points for 256 threads, more than 128}}
  sched.scop @threads ins(%x: memref<64x64xf32>) outs(%y: memref<64x64xf32>)
      config(#sched.config<"default", [block<threads = 128, tile = [32, 32]>, thread<points = [2, 2]>]>) {
    sched.stmt @copy [i: 64, j: 64] reads %x[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

// expected-error @below {{has a config that does not fit group @cpu: level 'block' has no place on target generic, whose levels are cores, cache, registers, unit}}
sched.scop @cpu ins(%x: memref<64x64xf32>) outs(%y: memref<64x64xf32>)
    config(#sched.config<"default", [block<threads = 256, tile = [32, 32]>, thread<points = [2, 2]>]>) {
  sched.stmt @copy [i: 64, j: 64] reads %x[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @rows: below its outer band a loop stands that reduces nothing, which threads cannot have points in}}
  sched.scop @rows ins(%x: memref<64x64xf32>) outs(%y: memref<64x64xf32>) arrays(%t: memref<64xf32>)
      config(#sched.config<"default", [block<threads = 32, tile = [64]>, thread<points = [2]>]>) {
    sched.stmt @init [i: 64] writes %t[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [i: 64, j: 64] reduces [j] reads %t[i], %x[i, j] writes %t[i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
    sched.stmt @out [i: 64, j: 64] reads %t[i], %x[i, j] writes %y[i, j] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
  }
}

// -----

// A copy of fewer elements than a block reads.
module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has an illegal schedule: input x is a copy below a mark, but it has fewer elements than are read there}}
  // expected-note @below {{for example copy_m0_31}}
  sched.scop @few ins(%x: memref<64xf32>) outs(%y: memref<64xf32>)
      schedule(#sched.tree<[
        "domain: \22{ copy[i0] : 0 <= i0 <= 63 }\22",
        "child:",
        "  mark: \22block\22",
        "  child:",
        "    schedule: \22[{ copy[i0] -> [(floor((i0)/32))] }]\22",
        "    child:",
        "      mark: \22copy_m0_31\22",
        "      child:",
        "        mark: \22thread\22",
        "        child:",
        "          schedule: \22[{ copy[i0] -> [((i0) mod 32)] }]\22"]>) {
    sched.stmt @copy [i: 64] reads %x[i] writes %y[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

// Of elements as far apart as the iteration, no box.
module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has an illegal schedule: input x is a copy below a mark, but what a block reads of it has no fixed extents}}
  // expected-note @below {{for example copy_m0_64}}
  sched.scop @askew ins(%x: memref<64xf32>) outs(%y: memref<64xf32>)
      schedule(#sched.tree<[
        "domain: \22{ copy[i0] : 0 <= i0 <= 63 }\22",
        "child:",
        "  mark: \22block\22",
        "  child:",
        "    schedule: \22[{ copy[i0] -> [(floor((i0)/32))] }]\22",
        "    child:",
        "      mark: \22copy_m0_64\22",
        "      child:",
        "        mark: \22thread\22",
        "        child:",
        "          schedule: \22[{ copy[i0] -> [((i0) mod 32)] }]\22"]>) {
    sched.stmt @copy [i: 64] reads %x[i floordiv 3] writes %y[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

// Not all threads come to load it.
module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has an illegal schedule: input x is a copy below a mark, but threads of a loop above do not all come to load it}}
  // expected-note @below {{for example copy_m0_8}}
  sched.scop @inside ins(%x: memref<64xf32>) outs(%y: memref<64xf32>)
      schedule(#sched.tree<[
        "domain: \22{ copy[i0] : 0 <= i0 <= 63 }\22",
        "child:",
        "  mark: \22thread\22",
        "  child:",
        "    schedule: \22[{ copy[i0] -> [(floor((i0)/8))] }]\22",
        "    child:",
        "      mark: \22copy_m0_8\22",
        "      child:",
        "        mark: \22unroll\22",
        "        child:",
        "          schedule: \22[{ copy[i0] -> [((i0) mod 8)] }]\22"]>) {
    sched.stmt @copy [i: 64] reads %x[i] writes %y[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

// One thread writes what another one reads.
module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has an illegal schedule: array t is each thread's own below a mark, but its values go from one thread to another}}
  // expected-note @below {{for example}}
  sched.scop @apart ins(%x: memref<64xf32>) outs(%y: memref<64xf32>) arrays(%t: memref<64xf32>)
      schedule(#sched.tree<[
        "domain: \22{ one[i0] : 0 <= i0 <= 63; two[i0] : 0 <= i0 <= 63 }\22",
        "child:",
        "  mark: \22local_m2_1_by1\22",
        "  child:",
        "    sequence:",
        "    - filter: \22{ one[i0] }\22",
        "      child:",
        "        mark: \22thread\22",
        "        child:",
        "          schedule: \22[{ one[i0] -> [(i0)] }]\22",
        "    - filter: \22{ two[i0] }\22",
        "      child:",
        "        mark: \22thread\22",
        "        child:",
        "          schedule: \22[{ two[i0] -> [(i0)] }]\22"]>) {
    sched.stmt @one [i: 64] reads %x[i] writes %t[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
    sched.stmt @two [i: 64] reads %t[-i + 63] writes %y[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

// A thread has two elements, and the mark one place.
module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has an illegal schedule: array t is each thread's own below a mark, but two elements of one thread are in one place}}
  // expected-note @below {{for example}}
  sched.scop @place ins(%x: memref<64xf32>) outs(%y: memref<64xf32>) arrays(%t: memref<64xf32>)
      schedule(#sched.tree<[
        "domain: \22{ one[i0] : 0 <= i0 <= 63; two[i0] : 0 <= i0 <= 63 }\22",
        "child:",
        "  mark: \22local_m2_2_by1\22",
        "  child:",
        "    sequence:",
        "    - filter: \22{ one[i0] }\22",
        "      child:",
        "        mark: \22thread\22",
        "        child:",
        "          schedule: \22[{ one[i0] -> [((i0) mod 32)] }]\22",
        "          child:",
        "            mark: \22unroll\22",
        "            child:",
        "              schedule: \22[{ one[i0] -> [(floor((i0)/32))] }]\22",
        "    - filter: \22{ two[i0] }\22",
        "      child:",
        "        mark: \22thread\22",
        "        child:",
        "          schedule: \22[{ two[i0] -> [((i0) mod 32)] }]\22",
        "          child:",
        "            mark: \22unroll\22",
        "            child:",
        "              schedule: \22[{ two[i0] -> [(floor((i0)/32))] }]\22"]>) {
    sched.stmt @one [i: 64] reads %x[i] writes %t[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
    sched.stmt @two [i: 64] reads %t[i] writes %y[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm75"} {
  // expected-error @below {{has a config that does not fit group @stages: stages are loaded by copies while threads compute, which sm_75 does not have}}
  sched.scop @stages ins(%x: memref<64x64xf32>) outs(%y: memref<64x64xf32>)
      config(#sched.config<"default", [block<threads = 256, tile = [32, 32], depth = 8, stages = 2>, thread<points = [2, 2]>]>) {
    sched.stmt @copy [i: 64, j: 64] reads %x[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}
