// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s | FileCheck %s
// RUN: fusec-opt %s | fusec-opt | FileCheck %s
// Each family of kernels, as a config says it. What is as by default is left out, and
// fields are printed in their order.

// CHECK-LABEL: module @cpu
module @cpu attributes {
  // CHECK-SAME: test.inner = #sched.config<"default", [registers<tile = [1, 1], accumulators = 4>, unit<lanes = 16, along = [1, 1]>]>
  test.inner = #sched.config<"default", [registers<accumulators = 4, tile = [1, 1], columns = 0, unroll = 1>, unit<lanes = 16, along = [1, 1]>]>,
  // CHECK-SAME: test.naive = #sched.config<"naive", []>
  test.naive = #sched.config<"naive", []>,
  // CHECK-SAME: test.products = #sched.config<"default", [registers<tile = [6, 16]>, unit<lanes = 16, along = [1, 1, 1], products = [fma, pairs, fma]>]>
  test.products = #sched.config<"default", [registers<tile = [6, 16]>, unit<lanes = 16, products = [fma, pairs, fma], along = [1, 1, 1]>]>,
  // CHECK-SAME: test.rows = #sched.config<"default", [cores<grain = 3>, cache<prefetch = [0, 2], stream = [3]>, registers<tile = [4], columns = 64>, unit<lanes = 16>]>
  test.rows = #sched.config<"default", [cores<grain = 3>, cache<stream = [3], prefetch = [0, 2]>, registers<tile = [4], columns = 64>, unit<lanes = 16>]>,
  // CHECK-SAME: test.split = #sched.config<"default", [cores<grain = 1, split = 4096>, registers<accumulators = 4>, unit<lanes = 16, along = [0]>]>
  test.split = #sched.config<"default", [cores<split = 4096, grain = 1>, registers<accumulators = 4>, unit<lanes = 16, along = [0]>]>,
  // CHECK-SAME: test.tiles = #sched.config<"default", [cache<blocks = [13, 0], depth = 128>, registers<tile = [6, 16], order = [1, 0], unroll = 4>, unit<lanes = 16, along = [1, 1, -1]>]>
  test.tiles = #sched.config<"default", [cache<blocks = [13, 0], depth = 128>, registers<tile = [6, 16], order = [1, 0], unroll = 4>, unit<lanes = 16, along = [1, 1, -1]>]>
} {}

// CHECK-LABEL: module @gpu
module @gpu attributes {
  // CHECK-SAME: test.columns = #sched.config<"default", [block<threads = 256, tile = [1, 32]>, team<of = column, loops = [-1, 1]>]>
  test.columns = #sched.config<"default", [block<threads = 256, tile = [1, 32]>, team<of = column, loops = [-1, 1]>]>,
  // CHECK-SAME: test.one_thread = #sched.config<"default", []>
  test.one_thread = #sched.config<"default", []>,
  // CHECK-SAME: test.rows = #sched.config<"default", [block<threads = 512, tile = [1]>, team<of = block, loops = [1], width = 4>]>
  test.rows = #sched.config<"default", [block<threads = 512, tile = [1]>, team<of = block, loops = [1], width = 4>]>,
  // CHECK-SAME: test.split_atomic = #sched.config<"default", [grid<split = 4096>, block<threads = 256, tile = [1]>, team<of = block>]>
  test.split_atomic = #sched.config<"default", [grid<split = 4096, combine = atomic>, block<threads = 256, tile = [1]>, team<of = block>]>,
  // CHECK-SAME: test.threads = #sched.config<"default", [block<threads = 160, tile = [1, 150]>]>
  test.threads = #sched.config<"default", [block<threads = 160, tile = [1, 150]>]>,
  // CHECK-SAME: test.tiles_last_block = #sched.config<"default", [grid<split = 512, combine = last_block>, block<threads = 256, tile = [64, 64], order = [1, 0], depth = 16, stages = 3>, thread<points = [4, 4], unroll = 512>]>
  test.tiles_last_block = #sched.config<"default", [grid<split = 512, combine = last_block>, block<threads = 256, tile = [64, 64], order = [1, 0], depth = 16, stages = 3>, thread<points = [4, 4], unroll = 512>]>,
  // CHECK-SAME: test.warps = #sched.config<"default", [block<threads = 256, tile = [8, 1]>, team<of = warp, loops = [-1, 1]>]>
  test.warps = #sched.config<"default", [block<threads = 256, tile = [8, 1]>, team<of = warp, loops = [-1, 1]>]>
} {}
