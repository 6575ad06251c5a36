// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-map --verify-diagnostics

// expected-error @below {{isl refused:}}
sched.scop @broken outs(%y: memref<8xf32>)
    config(#sched.config<"default", [registers<tile = [1]>, unit<lanes = 16, along = [0]>]>)
    schedule(#sched.tree<["domain: \22{ zero[i0] : 0 <= i0 <= 7 \22"]>) {
  sched.stmt @zero [i: 8] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}

// -----

// expected-error @below {{has a config that does not fit group @open: it does not say what runs on lanes; change it, or remove it and run --sched-select-configs for the default}}
sched.scop @open outs(%y: memref<8xf32>)
    config(#sched.config<"default", [registers<tile = [1]>, unit<lanes = 16>]>)
    schedule(#sched.tree<["domain: \22{ zero[i0] : 0 <= i0 <= 7 }\22"]>) {
  sched.stmt @zero [i: 8] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}

// -----

// The innermost loop runs over j.
// expected-error @below {{has a config that does not fit group @elsewhere: iterator 0 of @zero cannot run on lanes: no innermost loop runs over it for all that stands in it; change it, or remove it and run --sched-select-configs for the default}}
sched.scop @elsewhere outs(%y: memref<8x8xf32>)
    config(#sched.config<"default", [registers<tile = [1]>, unit<lanes = 16, along = [0]>]>)
    schedule(#sched.tree<[
      "domain: \22{ zero[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 7 }\22",
      "child:",
      "  schedule: \22[{ zero[i0, i1] -> [(i0)] }]\22",
      "  permutable: 1",
      "  coincident: [ 1 ]",
      "  child:",
      "    schedule: \22[{ zero[i0, i1] -> [(i1)] }]\22",
      "    permutable: 1",
      "    coincident: [ 1 ]"]>) {
  sched.stmt @zero [i: 8, j: 8] writes %y[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}

// -----

// expected-error @below {{has a config that does not fit group @misfit: it has 1 tile sizes for 2 loops; change it, or remove it and run --sched-select-configs for the default}}
sched.scop @misfit outs(%y: memref<8x8xf32>)
    config(#sched.config<"default", [registers<tile = [4], order = [0]>, unit<lanes = 16, along = [1]>]>)
    schedule(#sched.tree<[
      "domain: \22{ zero[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 7 }\22",
      "child:",
      "  schedule: \22[{ zero[i0, i1] -> [(i0)] }, { zero[i0, i1] -> [(i1)] }]\22",
      "  permutable: 1",
      "  coincident: [ 1, 1 ]"]>) {
  sched.stmt @zero [i: 8, j: 8] writes %y[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}

// -----

// expected-error @below {{has a config that does not fit group @untiled: no loop is tiled, of which blocks could be made; change it, or remove it and run --sched-select-configs for the default}}
sched.scop @untiled outs(%y: memref<8x8xf32>)
    config(#sched.config<"default", [cache<blocks = [2, 0]>, registers<tile = [1, 1], order = [0, 1]>, unit<lanes = 16, along = [1]>]>)
    schedule(#sched.tree<[
      "domain: \22{ zero[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 7 }\22",
      "child:",
      "  schedule: \22[{ zero[i0, i1] -> [(i0)] }, { zero[i0, i1] -> [(i1)] }]\22",
      "  permutable: 1",
      "  coincident: [ 1, 1 ]"]>) {
  sched.stmt @zero [i: 8, j: 8] writes %y[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}

// -----

// expected-error @below {{has a config that does not fit group @narrow: a unit has 16 lanes, not 8; change it, or remove it and run --sched-select-configs for the default}}
sched.scop @narrow outs(%y: memref<64xf32>)
    config(#sched.config<"default", [registers<tile = [16]>, unit<lanes = 8, along = [0]>]>)
    schedule(#sched.tree<[
      "domain: \22{ zero[i0] : 0 <= i0 <= 63 }\22",
      "child:",
      "  schedule: \22[{ zero[i0] -> [(floor((i0)/16))] }]\22",
      "  permutable: 1",
      "  coincident: [ 1 ]",
      "  child:",
      "    schedule: \22[{ zero[i0] -> [((i0) mod 16)] }]\22",
      "    permutable: 1",
      "    coincident: [ 1 ]"]>) {
  sched.stmt @zero [i: 64] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}

// -----

// expected-error @below {{has a config that does not fit group @copies: unroll is up to 128, not 4096; change it, or remove it and run --sched-select-configs for the default}}
sched.scop @copies outs(%y: memref<64xf32>)
    config(#sched.config<"default", [registers<tile = [16], unroll = 4096>, unit<lanes = 16, along = [0]>]>)
    schedule(#sched.tree<[
      "domain: \22{ zero[i0] : 0 <= i0 <= 63 }\22",
      "child:",
      "  schedule: \22[{ zero[i0] -> [(floor((i0)/16))] }]\22",
      "  permutable: 1",
      "  coincident: [ 1 ]",
      "  child:",
      "    schedule: \22[{ zero[i0] -> [((i0) mod 16)] }]\22",
      "    permutable: 1",
      "    coincident: [ 1 ]"]>) {
  sched.stmt @zero [i: 64] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}

// -----

// All tiles are no block of them.
// expected-error @below {{has a config that does not fit group @blocks: a block of 4 tiles is no part of the 4 that a loop has; change it, or remove it and run --sched-select-configs for the default}}
sched.scop @blocks outs(%y: memref<64xf32>)
    config(#sched.config<"default", [cache<blocks = [4]>, registers<tile = [16]>, unit<lanes = 16, along = [0]>]>)
    schedule(#sched.tree<[
      "domain: \22{ zero[i0] : 0 <= i0 <= 63 }\22",
      "child:",
      "  schedule: \22[{ zero[i0] -> [(floor((i0)/16))] }]\22",
      "  permutable: 1",
      "  coincident: [ 1 ]",
      "  child:",
      "    schedule: \22[{ zero[i0] -> [((i0) mod 16)] }]\22",
      "    permutable: 1",
      "    coincident: [ 1 ]"]>) {
  sched.stmt @zero [i: 64] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}
