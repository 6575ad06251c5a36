// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements that need not run everywhere: by tiles it is decided which ones run, and
// only loops leave the others out.
// RUN: fusec-opt %s --sched-compute --sched-tile --verify-diagnostics | FileCheck %s --check-prefix=RUNS
// RUN: fusec-opt %s --sched-compute --sched-tile --sched-map --sched-promote-arrays --sched-split-tails \
// RUN:   --sched-verify --convert-sched-to-kernel 2>/dev/null | FileCheck %s --check-prefix=LOOP
// RUN: sed 's/^module.*/module attributes {fuse.target = "cuda-sm80"} {/; s/config(.*)$/config(#sched.config<"default", [block<threads = 32, tile = [32]>]>)/' %s \
// RUN:   | fusec-opt --sched-compute --sched-tile | FileCheck %s --check-prefix=GPU

module attributes {fuse.target = "generic"} {
// Four rows share a bound, a multiple of 16 columns. The tree has all points.
// RUNS-LABEL: sched.scop @causal
// RUNS: domain: {{.*}}exp[i0, i1] : 0 <= i0 <= 63 and 0 <= i1 <= 63
// RUNS: sched.stmt @exp [i: 64, j: 64] needed [i - j] runs [(((i floordiv 4) * 4 + 3) floordiv 16) * 16 - j + 15]
// RUNS: sched.stmt @init [i: 64]{{$}}
// RUNS: sched.stmt @sum [i: 64, j: 64] reduces [j] needed [i - j] runs [(((i floordiv 4) * 4 + 3) floordiv 16) * 16 - j + 15]
// LOOP: #[[BOUND:.*]] = affine_map<(d0) -> ((d0 floordiv 4) * 16 + 16)>
// LOOP: #[[BEGIN:.*]] = affine_map<(d0) -> (0, ((d0 + 2) floordiv 4) * 16 - 16)>
// LOOP: #[[PART:.*]] = affine_map<(d0, d1) -> (32, d1 * -32 + ((d0 + 2) floordiv 4) * 16 + 16)>
// LOOP-LABEL: kernel.func @causal
// LOOP: kernel.for %[[ROWS:.*]] = 0 to 16
// LOOP: kernel.for %{{.*}} = 0 to #[[BOUND]](%[[ROWS]])
// LOOP-NOT: kernel.if
// LOOP: kernel.return
// A GPU's threads run all.
// GPU-LABEL: sched.scop @causal
// GPU: sched.stmt @exp [i: 64, j: 64] needed [i - j]{{$}}
sched.scop @causal ins(%x: memref<64x64xf32>) outs(%sum: memref<64xf32>) arrays(%exp: memref<64x64xf32>)
    config(#sched.config<"default", [registers<tile = [4]>, unit<lanes = 16, along = [-1, -1, -1]>]>)
{
  sched.stmt @exp [i: 64, j: 64] needed [i - j] reads %x[i, j] writes %exp[i, j] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
  sched.stmt @init [i: 64] writes %sum[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64, j: 64] reduces [j] needed [i - j] reads %sum[i], %exp[i, j] writes %sum[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// Both bounds of a window are those of loops.
// RUNS-LABEL: sched.scop @window
// RUNS: sched.stmt @sum [i: 64, j: 64] reduces [j] needed [i - j, j - i + 8] runs [(((i floordiv 4) * 4 + 3) floordiv 16) * 16 - j + 15, j + (((i floordiv 4) * 4 - 8) floordiv 16) * -16]
// LOOP-LABEL: kernel.func @window
// LOOP: kernel.for %[[ROWS:.*]] = 0 to 16
// LOOP: kernel.for %{{.*}} = max #[[BEGIN]](%[[ROWS]]) to #[[BOUND]](%[[ROWS]]) carries(add
// LOOP-NOT: kernel.if
// LOOP: kernel.return
sched.scop @window ins(%x: memref<64x64xf32>) outs(%sum: memref<64xf32>)
    config(#sched.config<"default", [registers<tile = [4]>, unit<lanes = 16, along = [-1, -1]>]>)
{
  sched.stmt @init [i: 64] writes %sum[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64, j: 64] reduces [j] needed [i - j, j - i + 8] reads %sum[i], %x[i, j] writes %sum[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// Of keys in blocks (j), bounds within a block change with the block, too: blocks that no
// row of a tile sees are left out.
// RUNS-LABEL: sched.scop @blocks
// RUNS: sched.stmt @sum [i: 64, j: 4, k: 32] reduces [k] needed [i + j * -32 - k + 5] runs [(((i floordiv 4) * 4 + j * -32 + 8) floordiv 16) * 16 - k + 15]
// RUNS: sched.stmt @all_init [i: 64]{{$}}
// RUNS: sched.stmt @all [i: 64, j: 4] reduces [j]{{$}}
// LOOP-LABEL: kernel.func @blocks
// LOOP: kernel.for %[[ROWS:.*]] = 0 to 16
// LOOP: kernel.for %[[BLOCK:.*]] = 0 to 4 carries
// LOOP: kernel.for %{{.*}} = 0 to min #[[PART]](%[[ROWS]], %[[BLOCK]])
// LOOP-NOT: kernel.if
// LOOP: kernel.return
sched.scop @blocks ins(%x: memref<64x128xf32>) outs(%all: memref<64xf32>) arrays(%sum: memref<64x4xf32>)
    config(#sched.config<"default", [registers<tile = [4]>, unit<lanes = 16, along = [-1, -1, -1, -1]>]>)
{
  sched.stmt @init [i: 64, j: 4] writes %sum[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64, j: 4, k: 32] reduces [k] needed [i - j * 32 - k + 5] reads %sum[i, j], %x[i, j * 32 + k] writes %sum[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @all_init [i: 64] writes %all[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @all [i: 64, j: 4] reduces [j] reads %all[i], %sum[i, j] writes %all[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// And in blocks.
// RUNS-LABEL: sched.scop @window_of_blocks
// RUNS: sched.stmt @sum [i: 64, j: 4, k: 32] reduces [k] needed [i + j * -32 - k, j * 32 + k - i + 8] runs [(((i floordiv 4) * 4 + j * -32 + 3) floordiv 16) * 16 - k + 15, k + (((i floordiv 4) * 4 + j * -32 - 8) floordiv 16) * -16]
// LOOP-LABEL: kernel.func @window_of_blocks
// LOOP: kernel.for %[[ROWS:.*]] = 0 to 16
// LOOP: kernel.for %[[BLOCK:.*]] = 0 to 4 carries
// LOOP: kernel.for %{{.*}} = max #{{.*}}(%[[ROWS]], %[[BLOCK]]) to min #{{.*}}(%[[ROWS]], %[[BLOCK]])
// LOOP-NOT: kernel.if
// LOOP: kernel.return
sched.scop @window_of_blocks ins(%x: memref<64x128xf32>) outs(%all: memref<64xf32>) arrays(%sum: memref<64x4xf32>)
    config(#sched.config<"default", [registers<tile = [4]>, unit<lanes = 16, along = [-1, -1, -1, -1]>]>)
{
  sched.stmt @init [i: 64, j: 4] writes %sum[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64, j: 4, k: 32] reduces [k] needed [i - j * 32 - k, j * 32 + k - i + 8] reads %sum[i, j], %x[i, j * 32 + k] writes %sum[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @all_init [i: 64] writes %all[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @all [i: 64, j: 4] reduces [j] reads %all[i], %sum[i, j] writes %all[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// One block of columns is all of them.
// RUNS-LABEL: sched.scop @short
// RUNS: sched.stmt @sum [i: 64, j: 13] reduces [j] needed [i - j]{{$}}
sched.scop @short ins(%x: memref<64x13xf32>) outs(%sum: memref<64xf32>)
    config(#sched.config<"default", [registers<tile = [4]>, unit<lanes = 16, along = [-1, -1]>]>)
{
  sched.stmt @init [i: 64] writes %sum[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64, j: 13] reduces [j] needed [i - j] reads %sum[i], %x[i, j] writes %sum[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// What is read has to run.
// RUNS-LABEL: sched.scop @apart
// RUNS-NOT: runs [
// expected-remark@+1 {{all instances run: blocks of what is needed are not the same in all statements}}
sched.scop @apart ins(%x: memref<64x64xf32>) outs(%sum: memref<64xf32>) arrays(%exp: memref<64x64xf32>)
    config(#sched.config<"default", [registers<tile = [4]>, unit<lanes = 16, along = [-1, -1, -1]>]>)
{
  sched.stmt @exp [i: 64, j: 64] needed [i - j] reads %x[i, j] writes %exp[i, j] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
  sched.stmt @init [i: 64] writes %sum[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64, j: 64] reduces [j] needed [i - j + 40] reads %sum[i], %exp[i, j] writes %sum[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}
}
