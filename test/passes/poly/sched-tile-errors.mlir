// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-tile --verify-diagnostics

// expected-error @below {{has a config that does not fit group @misfit: it has 2 tile sizes for 1 loops; change it, or remove it and run --sched-select-configs for the default}}
sched.scop @misfit ins(%x: memref<64xf32>) outs(%y: memref<64xf32>) arrays(%u: memref<f32>)
    config(#sched.config<"default", [registers<tile = [8, 8]>, unit<lanes = 16>]>)
    schedule(#sched.tree<[
      "domain: \22{ a[i0] : 0 <= i0 <= 63; b[i0] : 0 <= i0 <= 63 }\22",
      "child:",
      "  schedule: \22[{ a[i0] -> [(i0)]; b[i0] -> [(i0)] }]\22",
      "  permutable: 1",
      "  coincident: [ 1 ]",
      "  child:",
      "    sequence:",
      "    - filter: \22{ a[i0] }\22",
      "    - filter: \22{ b[i0] }\22"]>) {
  sched.stmt @a [i: 64] reads %x[i] writes %u[] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @b [i: 64] reads %u[] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// expected-error @below {{has a config that does not fit group @lanes: a unit has 16 lanes, not 8; change it, or remove it and run --sched-select-configs for the default}}
sched.scop @lanes ins(%x: memref<64xf32>) outs(%y: memref<64xf32>)
    config(#sched.config<"default", [registers<tile = [16]>, unit<lanes = 8, along = [0]>]>)
    schedule(#sched.tree<[
      "domain: \22{ a[i0] : 0 <= i0 <= 63 }\22",
      "child:",
      "  schedule: \22[{ a[i0] -> [(i0)] }]\22",
      "  permutable: 1",
      "  coincident: [ 1 ]"]>) {
  sched.stmt @a [i: 64] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// A tile has whole vectors, and no more than the loop fills.
// expected-error @below {{has a config that does not fit group @large: tile size 80 is more than 64, for a loop of 64; change it, or remove it and run --sched-select-configs for the default}}
sched.scop @large ins(%x: memref<64xf32>) outs(%y: memref<64xf32>)
    config(#sched.config<"default", [registers<tile = [80]>, unit<lanes = 16, along = [0]>]>)
    schedule(#sched.tree<[
      "domain: \22{ a[i0] : 0 <= i0 <= 63 }\22",
      "child:",
      "  schedule: \22[{ a[i0] -> [(i0)] }]\22",
      "  permutable: 1",
      "  coincident: [ 1 ]"]>) {
  sched.stmt @a [i: 64] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// expected-error @below {{has a config that does not fit group @blocks: blocks of rows share what a part of their rows loads, and no loop is over parts of rows; change it, or remove it and run --sched-select-configs for the default}}
sched.scop @blocks ins(%x: memref<64xf32>) outs(%y: memref<64xf32>)
    config(#sched.config<"default", [cache<blocks = [2]>, registers<tile = [4], columns = 16>, unit<lanes = 16, along = [0]>]>)
    schedule(#sched.tree<[
      "domain: \22{ a[i0] : 0 <= i0 <= 63 }\22",
      "child:",
      "  schedule: \22[{ a[i0] -> [(i0)] }]\22",
      "  permutable: 1",
      "  coincident: [ 1 ]"]>) {
  sched.stmt @a [i: 64] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// expected-error @below {{has a config that does not fit group @columns: columns are a multiple of 16 up to 256, not 24; change it, or remove it and run --sched-select-configs for the default}}
sched.scop @columns ins(%x: memref<64xf32>) outs(%y: memref<64xf32>)
    config(#sched.config<"default", [registers<tile = [1], columns = 24>, unit<lanes = 16, along = [0]>]>)
    schedule(#sched.tree<[
      "domain: \22{ a[i0] : 0 <= i0 <= 63 }\22",
      "child:",
      "  schedule: \22[{ a[i0] -> [(i0)] }]\22",
      "  permutable: 1",
      "  coincident: [ 1 ]"]>) {
  sched.stmt @a [i: 64] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// expected-error @below {{has a config that does not fit group @copies: unroll is up to 128, not 4096; change it, or remove it and run --sched-select-configs for the default}}
sched.scop @copies ins(%x: memref<64xf32>) outs(%y: memref<64xf32>)
    config(#sched.config<"default", [registers<tile = [16], unroll = 4096>, unit<lanes = 16, along = [0]>]>)
    schedule(#sched.tree<[
      "domain: \22{ a[i0] : 0 <= i0 <= 63 }\22",
      "child:",
      "  schedule: \22[{ a[i0] -> [(i0)] }]\22",
      "  permutable: 1",
      "  coincident: [ 1 ]"]>) {
  sched.stmt @a [i: 64] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// All tiles are no block of them.
// expected-error @below {{has a config that does not fit group @blocks: a block of 4 tiles is no part of the 4 that a loop has; change it, or remove it and run --sched-select-configs for the default}}
sched.scop @blocks ins(%x: memref<64xf32>) outs(%y: memref<64xf32>)
    config(#sched.config<"default", [cache<blocks = [4]>, registers<tile = [16]>, unit<lanes = 16, along = [0]>]>)
    schedule(#sched.tree<[
      "domain: \22{ a[i0] : 0 <= i0 <= 63 }\22",
      "child:",
      "  schedule: \22[{ a[i0] -> [(i0)] }]\22",
      "  permutable: 1",
      "  coincident: [ 1 ]"]>) {
  sched.stmt @a [i: 64] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @parts_of_columns: blocks of 32 columns are not whole ones of a loop of 72}}
  sched.scop @parts_of_columns outs(%y: memref<72x64xf32>)
      config(#sched.config<"default", [block<threads = 256, tile = [32]>, team<of = column, loops = [1]>]>)
      schedule(#sched.tree<[
        "domain: \22{ zero[i0, i1] : 0 <= i0 <= 71 and 0 <= i1 <= 63 }\22",
        "child:",
        "  schedule: \22[{ zero[i0, i1] -> [(i0)] }]\22",
        "  permutable: 1",
        "  coincident: [ 1 ]",
        "  child:",
        "    schedule: \22[{ zero[i0, i1] -> [(i1)] }]\22",
        "    permutable: 1",
        "    coincident: [ 1 ]"]>) {
    sched.stmt @zero [i: 72, j: 64] writes %y[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @other_columns: its statements do not all have the same columns}}
  sched.scop @other_columns outs(%y: memref<64x64xf32>, %z: memref<32x64xf32>)
      config(#sched.config<"default", [block<threads = 256, tile = [32]>, team<of = column, loops = [1, 1]>]>)
      schedule(#sched.tree<[
        "domain: \22{ zero[i0, i1] : 0 <= i0 <= 63 and 0 <= i1 <= 63; half[i0, i1] : 0 <= i0 <= 31 and 0 <= i1 <= 63 }\22",
        "child:",
        "  schedule: \22[{ zero[i0, i1] -> [(i0)]; half[i0, i1] -> [(i0)] }]\22",
        "  permutable: 1",
        "  coincident: [ 1 ]",
        "  child:",
        "    schedule: \22[{ zero[i0, i1] -> [(i1)]; half[i0, i1] -> [(i1)] }]\22",
        "    permutable: 1",
        "    coincident: [ 1 ]"]>) {
    sched.stmt @zero [i: 64, j: 64] writes %y[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @half [i: 32, j: 64] writes %z[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
  }
}
