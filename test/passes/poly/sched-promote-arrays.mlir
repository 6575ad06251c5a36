// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-select-configs=variants=1 --sched-tile --sched-map --sched-promote-arrays --sched-verify --verify-diagnostics | FileCheck %s

// The accumulators of one tile.
// CHECK-LABEL: sched.scop @gemm
// CHECK:       mark: \22local_m3_6x16\22
// CHECK:       reads %acc[i, j], %x[i, k], %w[k, j]
sched.scop @gemm ins(%x: memref<120x64xf32>, %w: memref<64x256xf32>) outs(%y: memref<120x256xf32>) arrays(%acc: memref<120x256xf32>) {
  sched.stmt @init [i: 120, j: 256] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 120, j: 256, k: 64] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 120, j: 256] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// One scalar a row.
// CHECK-LABEL: sched.scop @row
// CHECK:       mark: \22local_m2_1\22
sched.scop @row ins(%x: memref<64x33xf32>) outs(%y: memref<64x33xf32>) arrays(%s: memref<64xf32>) {
  sched.stmt @init [i: 64] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64, j: 33] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 64, j: 33] reads %x[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// A row that is too long for the stack.
// CHECK-LABEL: sched.scop @long
// CHECK-NOT:   local_m2
// CHECK:       mark: \22local_m3_1\22
// expected-remark @below {{array e stays in the workspace: 80000 bytes are live at a time, more than 65536}}
sched.scop @long ins(%x: memref<4x20000xf32>) outs(%y: memref<4x20000xf32>) arrays(%e: memref<4x20000xf32>, %s: memref<4xf32>) {
  sched.stmt @exp [i: 4, j: 20000] reads %x[i, j] writes %e[i, j] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
  sched.stmt @init [i: 4] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 4, j: 20000] reduces [j] reads %s[i], %e[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 4, j: 20000] reads %e[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// Rows run on lanes, since they are side by side in memory: in the accumulators, too.
// CHECK-LABEL: sched.scop @turned
// CHECK:       mark: \22local_m3_16x6_last0\22
sched.scop @turned ins(%x: memref<64x96xf32>, %w: memref<120x64xf32>) outs(%y: memref<120x96xf32>) arrays(%acc: memref<96x120xf32>) {
  sched.stmt @init [i: 96, j: 120] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 96, j: 120, k: 64] reduces [k] reads %acc[i, j], %x[k, i], %w[j, k] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 96, j: 120] reads %acc[i, j] writes %y[j, i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// Sums run four rows behind what they add up: eight rows have room for the five
// that are live, and the next power of two divides cheaply.
// CHECK-LABEL: sched.scop @behind
// CHECK:       mark: \22local_m2_8x64\22
// CHECK:       schedule: {{.*}}[(4 + i0)]
// CHECK:       mark: \22local_m3_1x64\22
// expected-remark @below {{takes isl's schedule}}
sched.scop @behind ins(%x: memref<1024x2048xf32>) outs(%y: memref<1020x2048xf32>) arrays(%t: memref<1024x2048xf32>, %s: memref<1020x2048xf32>) {
  sched.stmt @t [i: 1024, j: 2048] reads %x[i, j] writes %t[i, j] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
  sched.stmt @s_init [i: 1020, j: 2048] writes %s[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @s [i: 1020, j: 2048, k: 5] reduces [k] reads %s[i, j], %t[i + k, j] writes %s[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @y [i: 1020, j: 2048] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// With blocks of a reduction, the array is a block's, and a tile accumulates to a
// copy.
// CHECK-LABEL: sched.scop @depth
// CHECK:       mark: \22local_m3_210x32\22
// CHECK:       sequence:
// CHECK:       mac[i0, i1, i2] -> [(floor((i2)/128))]
// CHECK:       mark: \22copy_m3_14x32\22
// CHECK-NEXT:  child:
// CHECK-NEXT:  mac[i0, i1, i2] -> [((i2) mod 128)]
sched.scop @depth ins(%x: memref<700x1024xf32>, %w: memref<1024x256xf32>) outs(%y: memref<700x256xf32>) arrays(%acc: memref<700x256xf32>)
    config(#sched.config<"default", [cores<grain = 1>, cache<blocks = [15, 0], depth = 128>, registers<tile = [14, 32], order = [1, 0]>, unit<lanes = 16, along = [1, 1, 1]>]>) {
  sched.stmt @init [i: 700, j: 256] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 700, j: 256, k: 1024] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 700, j: 256] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// The copy has its lanes side by side too.
// CHECK-LABEL: sched.scop @depth_across
// CHECK:       mark: \22copy_m3_32x14_last0\22
sched.scop @depth_across ins(%x: memref<700x1024xf32>, %w: memref<1024x256xf32>) outs(%y: memref<700x256xf32>) arrays(%acc: memref<256x700xf32>)
    config(#sched.config<"default", [cores<grain = 1>, cache<blocks = [15, 0], depth = 128>, registers<tile = [14, 32], order = [1, 0]>, unit<lanes = 16, along = [1, 1, 1]>]>) {
  sched.stmt @init [i: 700, j: 256] writes %acc[j, i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 700, j: 256, k: 1024] reduces [k] reads %acc[j, i], %x[i, k], %w[k, j] writes %acc[j, i] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 700, j: 256] reads %acc[j, i] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
