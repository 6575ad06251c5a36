// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics
// What no target and no group make of a config.

// expected-error @below {{needs columns of 0 or more, has -1}}
#c = #sched.config<"default", [registers<tile = [1], columns = -1>, unit<lanes = 16>]>

// -----

// expected-error @below {{has columns, and no band that rows of them are of}}
#c = #sched.config<"default", [registers<columns = 16>, unit<lanes = 16>]>

// -----

// expected-error @below {{needs two lanes or more, has 1; a kernel of scalars has no unit}}
#c = #sched.config<"default", [registers<tile = [1]>, unit<lanes = 1>]>

// -----

// expected-error @below {{needs iterators, or -1, in along, has [-2]}}
#c = #sched.config<"default", [registers<tile = [1]>, unit<lanes = 16, along = [-2]>]>

// -----

// expected-error @below {{needs iterators, or -1, in loops, has [-2]}}
#c = #sched.config<"default", [block<threads = 64>, team<of = block, loops = [-2]>]>

// -----

// expected-error @below {{has products of 1 statements, and lanes of 2}}
#c = #sched.config<"default", [registers<tile = [1]>, unit<lanes = 16, along = [0, 0], products = [pairs]>]>

// -----

// expected-error @below {{has products by fma alone; leave them out}}
#c = #sched.config<"default", [registers<tile = [1]>, unit<lanes = 16, along = [0], products = [fma]>]>

// -----

// expected-error @+2 {{expected valid keyword}}
// expected-error @+1 {{failed to parse Sched_UnitLevel parameter 'products'}}
#c = #sched.config<"default", [registers<tile = [1]>, unit<lanes = 16, along = [0], products = [1]>]>

// -----

// expected-error @below {{duplicate or unknown struct parameter name: along}}
#c = #sched.config<"default", [registers<tile = [1]>, unit<lanes = 16, along = [0], along = [0]>]>

// -----

// expected-error @below {{duplicate or unknown struct parameter name: lane}}
#c = #sched.config<"default", [registers<tile = [1]>, unit<lane = 16>]>

// -----

// expected-error @below {{needs accumulators of 0 or more, has -1}}
#c = #sched.config<"default", [registers<tile = [1], accumulators = -1>, unit<lanes = 16>]>

// -----

// expected-error @below {{says what runs on lanes, but has none}}
#c = #sched.config<"default", [registers<tile = [1], accumulators = 4>]>

// -----

// expected-error @below {{needs to unroll to 1 copy or more, has 0}}
#c = #sched.config<"default", [registers<tile = [1], unroll = 0>, unit<lanes = 16>]>

// -----

// expected-error @below {{needs to unroll to 1 copy or more, has 0}}
#c = #sched.config<"default", [block<threads = 64, tile = [4]>, thread<unroll = 0>]>

// -----

// expected-error @below {{says what runs on lanes, but has none}}
#c = #sched.config<"default", [registers<tile = [1], unroll = 72>]>

// -----

// expected-error @below {{needs tile sizes of 1 or more, has [0]}}
#c = #sched.config<"default", [registers<tile = [0]>]>

// -----

// expected-error @below {{needs an order that is empty or a permutation of 2 loops, has [0, 0]}}
#c = #sched.config<"default", [block<threads = 64, tile = [1, 4], order = [0, 0]>]>

// -----

// expected-error @below {{needs blocks of 0 tiles or more, has [-1]}}
#c = #sched.config<"default", [cache<blocks = [-1]>, registers<tile = [1]>, unit<lanes = 16>]>

// -----

// expected-error @below {{has a depth, and columns, which no block of K has}}
#c = #sched.config<"default", [cache<blocks = [2], depth = 8>, registers<tile = [1], columns = 32>, unit<lanes = 16>]>

// -----

// expected-error @below {{needs blocks for each of 2 loops, has [2]}}
#c = #sched.config<"default", [cache<blocks = [2]>, registers<tile = [1, 1]>, unit<lanes = 16>]>

// -----

// expected-error @below {{needs a depth of 0, or of 2 or more, has -1}}
#c = #sched.config<"default", [cache<blocks = [2], depth = -1>, registers<tile = [1]>, unit<lanes = 16>]>

// -----

// expected-error @below {{needs a depth of 0, or of 2 or more, has 1}}
#c = #sched.config<"default", [cache<blocks = [2], depth = 1>, registers<tile = [1]>, unit<lanes = 16>]>

// -----

// expected-error @below {{has a depth, and no blocks of tiles that share it}}
#c = #sched.config<"default", [cache<blocks = [0, 0], depth = 8>, registers<tile = [1, 1]>, unit<lanes = 16>]>

// -----

// expected-error @below {{needs arguments in order, each once, to prefetch, has [1, 0]}}
#c = #sched.config<"default", [cache<prefetch = [1, 0]>]>

// -----

// expected-error @below {{needs arguments in order, each once, to stream, has [1, 1]}}
#c = #sched.config<"default", [cache<stream = [1, 1]>]>

// -----

// expected-error @below {{prefetches argument 1, and streams it past the caches}}
#c = #sched.config<"default", [cache<prefetch = [0, 1], stream = [1]>]>

// -----

// expected-error @below {{needs a grain of 0 or more, has -1}}
#c = #sched.config<"default", [cores<grain = -1>]>

// -----

// expected-error @below {{needs a split of 0 or more, has -1}}
#c = #sched.config<"default", [cores<split = -1>]>

// -----

// expected-error @below {{needs a split of 0 or more, has -1}}
#c = #sched.config<"default", [grid<split = -1>]>

// -----

// expected-error @below {{has a grain, and no loop that threads share}}
#c = #sched.config<"default", [cores<grain = 2>, unit<lanes = 16>]>

// -----

// expected-error @below {{combines parts, and splits no reduction into them}}
#c = #sched.config<"default", [grid<combine = last_block>, block<threads = 64>]>

// -----

// expected-error @+2 {{expected ::fusec::sched::Combine to be one of: atomic, last_block}}
// expected-error @+1 {{failed to parse Sched_GridLevel parameter 'combine'}}
#c = #sched.config<"default", [grid<split = 64, combine = ordered>, block<threads = 64>]>

// -----

// expected-error @below {{needs 1 thread or more, has 0}}
#c = #sched.config<"default", [block<threads = 0>]>

// -----

// expected-error @below {{needs a width that is a power of two, has 3}}
#c = #sched.config<"default", [block<threads = 64>, team<of = block, width = 3>]>

// -----

// expected-error @below {{needs 1 stage or more, has 0}}
#c = #sched.config<"default", [block<threads = 32, tile = [8], depth = 8, stages = 0>, thread<points = [4]>]>

// -----

// expected-error @below {{has 2 stages, and no depth: parts of a reduction that are loaded ahead}}
#c = #sched.config<"default", [block<threads = 32, tile = [8], stages = 2>, thread<points = [4]>]>

// -----

// expected-error @below {{has a depth, and no points of a thread that parts of a reduction in shared memory are for}}
#c = #sched.config<"default", [block<threads = 32, tile = [8], depth = 8>]>

// -----

// expected-error @below {{needs points of 1 or more, has [0]}}
#c = #sched.config<"default", [block<threads = 32, tile = [8]>, thread<points = [0]>]>

// -----

// expected-error @below {{multiplies matrices, and threads have no points of a tile that these are of}}
#c = #sched.config<"default", [block<threads = 32, tile = [8]>, thread<unroll = 2, matrices = "mma_f16">]>

// -----

// expected-error @below {{needs points that divide the tile sizes of 2 loops, and no team, has [4, 3]}}
#c = #sched.config<"default", [block<threads = 32, tile = [8, 32]>, thread<points = [4, 3]>]>

// -----

// expected-error @below {{needs points that divide the tile sizes of 2 loops, and no team, has [4]}}
#c = #sched.config<"default", [block<threads = 32, tile = [8, 32]>, thread<points = [4]>]>

// -----

// expected-error @below {{needs points that divide the tile sizes of 1 loops, and no team, has [4]}}
#c = #sched.config<"default", [block<threads = 32, tile = [8]>, team<of = warp>, thread<points = [4]>]>

// -----

// expected-error @below {{has a level 'cores' that says nothing; leave it out}}
#c = #sched.config<"default", [cores<>, registers<tile = [1]>]>

// -----

// expected-error @below {{needs levels of one target, each once, outermost first: some of cores, cache, registers, unit, or some of grid, block, team, thread}}
#c = #sched.config<"default", [registers<tile = [1]>, cores<grain = 2>]>

// -----

// expected-error @below {{needs levels of one target, each once, outermost first}}
#c = #sched.config<"default", [registers<tile = [1]>, block<threads = 32>]>

// -----

// expected-error @below {{needs levels of one target, each once, outermost first}}
#c = #sched.config<"default", [registers<tile = [1]>, registers<tile = [2]>]>

// -----

// expected-error @below {{expected a level, not 'another attribute'}}
#c = #sched.config<"default", [tree<["domain: 1"]>]>

// -----

// expected-error @below {{expected a level, not 'tile'}}
#c = #sched.config<"default", [tile = [1]]>

// -----

// expected-error @below {{expected string}}
#old = #sched.config<name = "default", tile = [1], order = [], vector = 16>

// -----

// expected-error @below {{has a config that streams argument 0, which is no output}}
sched.scop @input ins(%x: memref<8xf32>) outs(%y: memref<8xf32>)
    config(#sched.config<"default", [cache<stream = [0]>, registers<tile = [1]>, unit<lanes = 16>]>) {
  sched.stmt @copy [i: 8] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// expected-error @below {{has a config that prefetches argument 1, and 1 inputs and outputs}}
sched.scop @arguments outs(%y: memref<8xf32>)
    config(#sched.config<"default", [cache<prefetch = [1]>, registers<tile = [1]>, unit<lanes = 16>]>) {
  sched.stmt @zero [i: 8] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}

// -----

// expected-error @below {{has a config with lanes of 2 statements, and 1}}
sched.scop @statements outs(%y: memref<8xf32>)
    config(#sched.config<"default", [registers<tile = [1]>, unit<lanes = 16, along = [0, 0]>]>) {
  sched.stmt @zero [i: 8] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}

// -----

sched.scop @iterators outs(%y: memref<8xf32>)
    config(#sched.config<"default", [registers<tile = [1]>, unit<lanes = 16, along = [1]>]>) {
  // expected-error @below {{has no iterator 1 to run on lanes}}
  sched.stmt @zero [i: 8] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}
