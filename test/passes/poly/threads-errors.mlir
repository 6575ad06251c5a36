// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Configs and schedules that do not fit a GPU.
// RUN: fusec-opt %s --split-input-file --sched-promote-arrays --sched-verify --sched-map --verify-diagnostics

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @warps: a block has 1 thread, or whole warps of 32 up to 1024, not 48}}
  sched.scop @warps outs(%y: memref<64xf32>)
      config(#sched.config<"default", [block<threads = 48, tile = [48]>]>)
      schedule(#sched.tree<[
        "domain: \22{ zero[i0] : 0 <= i0 <= 63 }\22",
        "child:",
        "  schedule: \22[{ zero[i0] -> [(floor((i0)/48))] }]\22",
        "  permutable: 1",
        "  coincident: [ 1 ]",
        "  child:",
        "    schedule: \22[{ zero[i0] -> [((i0) mod 48)] }]\22",
        "    permutable: 1",
        "    coincident: [ 1 ]"]>) {
    sched.stmt @zero [i: 64] writes %y[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @stream: level 'cache' has no place on target cuda-sm80, whose levels are grid, block, team, thread}}
  sched.scop @stream outs(%y: memref<64xf32>)
      config(#sched.config<"default", [cache<stream = [0]>, registers<tile = [32]>]>)
      schedule(#sched.tree<[
        "domain: \22{ zero[i0] : 0 <= i0 <= 63 }\22",
        "child:",
        "  schedule: \22[{ zero[i0] -> [(floor((i0)/32))] }]\22",
        "  permutable: 1",
        "  coincident: [ 1 ]",
        "  child:",
        "    schedule: \22[{ zero[i0] -> [((i0) mod 32)] }]\22",
        "    permutable: 1",
        "    coincident: [ 1 ]"]>) {
    sched.stmt @zero [i: 64] writes %y[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @whole: its outer band has no loops for threads in it}}
  sched.scop @whole outs(%y: memref<64xf32>)
      config(#sched.config<"default", [block<threads = 32, tile = [32]>]>)
      schedule(#sched.tree<[
        "domain: \22{ zero[i0] : 0 <= i0 <= 63 }\22",
        "child:",
        "  schedule: \22[{ zero[i0] -> [(i0)] }]\22",
        "  permutable: 1",
        "  coincident: [ 1 ]"]>) {
    sched.stmt @zero [i: 64] writes %y[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has an illegal schedule: a loop marked thread carries a dependence}}
  // expected-note @below {{for example}}
  sched.scop @sum ins(%x: memref<64xf32>) outs(%y: memref<f32>)
      schedule(#sched.tree<[
        "domain: \22{ init[]; sum[i0] : 0 <= i0 <= 63 }\22",
        "child:",
        "  sequence:",
        "  - filter: \22{ init[] }\22",
        "  - filter: \22{ sum[i0] }\22",
        "    child:",
        "      mark: \22thread\22",
        "      child:",
        "        schedule: \22[{ sum[i0] -> [(i0)] }]\22"]>) {
    sched.stmt @init [] writes %y[] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [i: 64] reduces [i] reads %y[], %x[i] writes %y[] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // One thread writes what another one reads.
  // expected-remark @below {{array t stays in the workspace: its values go from one thread to another}}
  sched.scop @apart ins(%x: memref<64xf32>) outs(%y: memref<64xf32>) arrays(%t: memref<64xf32>)
      schedule(#sched.tree<[
        "domain: \22{ one[i0] : 0 <= i0 <= 63; two[i0] : 0 <= i0 <= 63 }\22",
        "child:",
        "  sequence:",
        "  - filter: \22{ one[i0] }\22",
        "    child:",
        "      mark: \22thread\22",
        "      child:",
        "        schedule: \22[{ one[i0] -> [(i0)] }]\22",
        "  - filter: \22{ two[i0] }\22",
        "    child:",
        "      mark: \22thread\22",
        "      child:",
        "        schedule: \22[{ two[i0] -> [(i0)] }]\22"]>) {
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

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @rows: a warp has a point of the tile: 256 threads take 8, not 4}}
  sched.scop @rows outs(%y: memref<64x64xf32>)
      config(#sched.config<"default", [block<threads = 256, tile = [4]>, team<of = warp, loops = [1]>]>)
      schedule(#sched.tree<[
        "domain: \22{ zero[i0, i1] : 0 <= i0 <= 63 and 0 <= i1 <= 63 }\22",
        "child:",
        "  schedule: \22[{ zero[i0, i1] -> [(i0)] }]\22",
        "  permutable: 1",
        "  coincident: [ 1 ]",
        "  child:",
        "    schedule: \22[{ zero[i0, i1] -> [(i1)] }]\22",
        "    permutable: 1",
        "    coincident: [ 1 ]"]>) {
    sched.stmt @zero [i: 64, j: 64] writes %y[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @power: a row is shared by a power of two of threads, not 96}}
  sched.scop @power outs(%y: memref<64x64xf32>)
      config(#sched.config<"default", [block<threads = 96, tile = [1]>, team<of = block, loops = [1]>]>)
      schedule(#sched.tree<[
        "domain: \22{ zero[i0, i1] : 0 <= i0 <= 63 and 0 <= i1 <= 63 }\22",
        "child:",
        "  schedule: \22[{ zero[i0, i1] -> [(i0)] }]\22",
        "  permutable: 1",
        "  coincident: [ 1 ]",
        "  child:",
        "    schedule: \22[{ zero[i0, i1] -> [(i1)] }]\22",
        "    permutable: 1",
        "    coincident: [ 1 ]"]>) {
    sched.stmt @zero [i: 64, j: 64] writes %y[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @no_groups: the 10 iterations of @double that threads share are not several groups of 4}}
  sched.scop @no_groups ins(%x: memref<10xf32>) outs(%y: memref<10xf32>)
      config(#sched.config<"default", [block<threads = 64>, team<of = block, loops = [0], width = 4>]>)
      schedule(#sched.tree<[
        "domain: \22{ double[i0] : 0 <= i0 <= 9 }\22",
        "child:",
        "  schedule: \22[{ double[i0] -> [(i0)] }]\22",
        "  permutable: 1",
        "  coincident: [ 1 ]"]>) {
    sched.stmt @double [i: 10] reads %x[i] writes %y[i] {
    ^bb0(%0: f32):
      %1 = arith.addf %0, %0 : f32
      sched.yield %1 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @parts: parts of 66 iterations are no whole groups of 4}}
  sched.scop @parts ins(%x: memref<640xf32>) outs(%y: memref<f32>)
      config(#sched.config<"default", [grid<split = 66>, block<threads = 64>, team<of = block, loops = [-1, 0], width = 4>]>)
      schedule(#sched.tree<[
        "domain: \22{ zero[]; sum[i0] : 0 <= i0 <= 639 }\22",
        "child:",
        "  sequence:",
        "  - filter: \22{ zero[] }\22",
        "  - filter: \22{ sum[i0] }\22",
        "    child:",
        "      schedule: \22[{ sum[i0] -> [(i0)] }]\22",
        "      permutable: 1"]>) {
    sched.stmt @zero [] writes %y[] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [i: 640] reduces [i] reads %y[], %x[i] writes %y[] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @one_thread: columns are the points of a tile, a power of two with two threads or more each: 64 points for 64 threads are not}}
  sched.scop @one_thread outs(%y: memref<64x64xf32>)
      config(#sched.config<"default", [block<threads = 64, tile = [64]>, team<of = column, loops = [1]>]>)
      schedule(#sched.tree<[
        "domain: \22{ zero[i0, i1] : 0 <= i0 <= 63 and 0 <= i1 <= 63 }\22",
        "child:",
        "  schedule: \22[{ zero[i0, i1] -> [(i0)] }]\22",
        "  permutable: 1",
        "  coincident: [ 1 ]",
        "  child:",
        "    schedule: \22[{ zero[i0, i1] -> [(i1)] }]\22",
        "    permutable: 1",
        "    coincident: [ 1 ]"]>) {
    sched.stmt @zero [i: 64, j: 64] writes %y[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
  }
}
// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{has a config that does not fit group @overflow: columns are the points of a tile, a power of two with two threads or more each: 9223372036854775807 points for 64 threads are not}}
  sched.scop @overflow outs(%y: memref<64x64xf32>)
      config(#sched.config<"default", [block<threads = 64, tile = [4294967296, 4294967296]>, team<of = column, loops = [1]>]>)
      schedule(#sched.tree<[
        "domain: \22{ zero[i0, i1] : 0 <= i0 <= 63 and 0 <= i1 <= 63 }\22",
        "child:",
        "  schedule: \22[{ zero[i0, i1] -> [(i0)] }]\22",
        "  permutable: 1",
        "  coincident: [ 1 ]",
        "  child:",
        "    schedule: \22[{ zero[i0, i1] -> [(i1)] }]\22",
        "    permutable: 1",
        "    coincident: [ 1 ]"]>) {
    sched.stmt @zero [i: 64, j: 64] writes %y[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
  }
}
