// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products in matrix registers take no longer than the loads of their factors: what is
// loaded for each of the other's tiles decides which loop is inside, and how many rows a
// tile has.
// RUN: fusec-opt %s --sched-compute --sched-select-configs=variants=1 | FileCheck %s

module attributes {fuse.target = "sapphire-rapids-amx"} {

// Of 32 rows, 32 KiB would leave no room in the first-level cache: 16 stay, with the loop
// over columns inside.
// CHECK-LABEL: sched.scop @long
// CHECK:       registers<tile = [16, 32]>
// CHECK-SAME:  quad_tiles
sched.scop @long ins(%x: memref<1024x1024xui8>, %w: memref<1024x1024xi8>) outs(%y: memref<1024x1024xi32>) arrays(%s: memref<1024x1024xi32>) attributes {weights = array<i64: 1>} {
  sched.stmt @init [i: 1024, j: 1024] writes %s[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 1024, j: 1024, k: 1024] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
  sched.stmt @out [i: 1024, j: 1024] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: i32):
    sched.yield %0 : i32
  }
}

// Of 256 terms, twice as many rows stay, which share the loads of the columns.
// CHECK-LABEL: sched.scop @short
// CHECK:       registers<tile = [32, 32]>
// CHECK-SAME:  quad_tiles
sched.scop @short ins(%x: memref<1024x256xui8>, %w: memref<256x1024xi8>) outs(%y: memref<1024x1024xi32>) arrays(%s: memref<1024x1024xi32>) attributes {weights = array<i64: 1>} {
  sched.stmt @init [i: 1024, j: 1024] writes %s[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 1024, j: 1024, k: 256] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
  sched.stmt @out [i: 1024, j: 1024] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: i32):
    sched.yield %0 : i32
  }
}

// A weight of 2 MiB stays in no cache beside the rest: it is loaded once, with the loop over
// rows inside.
// CHECK-LABEL: sched.scop @wide
// CHECK:       registers<tile = [32, 32], order = [1, 0]>
// CHECK-SAME:  quad_tiles
sched.scop @wide ins(%x: memref<128x768xui8>, %w: memref<768x3072xi8>) outs(%y: memref<128x3072xi32>) arrays(%s: memref<128x3072xi32>) attributes {weights = array<i64: 1>} {
  sched.stmt @init [i: 128, j: 3072] writes %s[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 128, j: 3072, k: 768] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
  sched.stmt @out [i: 128, j: 3072] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: i32):
    sched.yield %0 : i32
  }
}
}
