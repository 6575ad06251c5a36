// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-select-configs --sched-tile --sched-map --sched-promote-arrays --convert-sched-to-kernel --verify-diagnostics | FileCheck %s

// CHECK-LABEL: kernel.func @gemm(%x: memref<120x64xf32>, %w: memref<64x256xf32>, %y: memref<120x256xf32>)
// CHECK-SAME:  group = "gemm"
// CHECK-SAME:  proposer = "isl", schedule = "tile 6x16, vector 16", variant = "default"
// CHECK-NEXT:  kernel.for %j_tile = 0 to 16 map(parallel) {
// CHECK-NEXT:  kernel.for %i_tile = 0 to 20 map(parallel) {
// CHECK-NEXT:  %acc = kernel.local : memref<6x16xf32>
// CHECK:       kernel.for %k = 0 to 64 carries(add %acc : memref<6x16xf32>) {
// CHECK-NEXT:  kernel.for %i = 0 to 6 map(unroll) {
// CHECK-NEXT:  kernel.for %j = 0 to 16 map(vector) {
// CHECK-NEXT:  [[ACC:%.*]] = kernel.load %acc[%i, %j]
// CHECK-NEXT:  [[X:%.*]] = kernel.load %x[%i_tile * 6 + %i, %k]
// CHECK-NEXT:  [[W:%.*]] = kernel.load %w[%k, %j_tile * 16 + %j]
// CHECK-NEXT:  [[NEW:%.*]] = math.fma [[X]], [[W]], [[ACC]]
// CHECK-NEXT:  kernel.store [[NEW]], %acc[%i, %j]
// CHECK-LABEL: kernel.func @gemm_naive
// CHECK-SAME:  variant = "naive", workspace_bytes = 122880
// CHECK:       %acc = kernel.workspace offset = 0 : memref<120x256xf32>
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

// A scop that stands for one node has its name as location; its loops have names
// of their own.
// CHECK-LABEL: kernel.func @node
// CHECK-NOT:   kernel.for %node
// CHECK:       kernel.for %{{[ij](_tile)?}} =
sched.scop @node outs(%y: memref<128x64xf32>) {
  sched.stmt @fill [i: 128, j: 64] writes %y[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
} loc("node")

// -----

// A condition that no bound can say stays one, and is reported.
// CHECK-LABEL: kernel.func @guarded
// CHECK:       kernel.if
// expected-remark @below {{a statement runs under a condition}}
sched.scop @guarded outs(%y: memref<8xf32>, %z: memref<1xf32>)
    config(#sched.config<"default", []>)
    schedule(#sched.tree<[
      "domain: \22{ a[i0] : 0 <= i0 <= 7; b[i0] : i0 = 0 }\22",
      "child:",
      "  schedule: \22[{ a[i0] -> [(i0)]; b[i0] -> [(3)] }]\22",
      "  options: \22{ atomic[0] }\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ a[i0] }\22",
      "    - filter: \22{ b[i0] }\22"]>) {
  sched.stmt @a [i: 8] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @b [i: 1] writes %z[i] {
    %0 = arith.constant 1.0 : f32
    sched.yield %0 : f32
  }
}

// -----

// Padding is a mask with a fill, a data-dependent read is a gather.
// CHECK-LABEL: kernel.func @reads
// CHECK:       kernel.in_bounds
// CHECK:       mask
// CHECK:       kernel.gather %x
// expected-remark @below {{takes the structural one}}
sched.scop @reads ins(%x: memref<9xf32>, %n: memref<4xi64>) outs(%a: memref<11xf32>, %b: memref<4xf32>) {
  sched.stmt @pad [i: 11] reads %x[i - 1] else 1.0 : f32 writes %a[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @pick [i: 4] reads %n[i] writes %b[i] {
  ^bb0(%0: i64):
    %1 = sched.gather %x at affine_map<(d0)[s0] -> (s0)> [%0] : memref<9xf32>, i64 -> f32
    sched.yield %1 : f32
  }
}

// -----

// Rows of the last tile that are not in the domain do not run: only the padded
// dimension is a condition, the same for all rows.
// CHECK-DAG:   [[INSIDE:#.*]] = affine_set<(d0) : (d0 - 1 >= 0, -(d0 - 1) + 63 >= 0)>
// CHECK-LABEL: kernel.func @padded
// CHECK:       kernel.for %i = 0 to min {{#.*}}(%i_tile) map(unroll)
// CHECK:       kernel.in_bounds [[INSIDE]](%k) : i1
sched.scop @padded ins(%x: memref<11x64xf32>, %w: memref<66x32xf32>) outs(%y: memref<11x32xf32>) arrays(%acc: memref<11x32xf32>) {
  sched.stmt @init [i: 11, j: 32] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 11, j: 32, k: 66] reduces [k] reads %acc[i, j], %x[i, k - 1] else 0.0 : f32, %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 11, j: 32] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// The greatest and its place are selected together. What has no order to lose keeps
// its lanes only until then, and says why.
// CHECK-LABEL: kernel.func @lanes(
// CHECK:       map(vector) carries(select %most : memref<f32>, select %place : memref<i32>, update %last : memref<f32>)
sched.scop @lanes ins(%x: memref<4x40xf32>) outs(%y: memref<4xf32>, %at: memref<4xi32>, %z: memref<4xf32>)
    arrays(%most: memref<4xf32>, %place: memref<4xi32>, %last: memref<4xf32>) {
  sched.stmt @init [i: 4] writes %most[i], %place[i], %last[i] {
    %0 = arith.constant 0.0 : f32
    %1 = arith.constant 0 : i32
    sched.yield %0, %1, %0 : f32, i32, f32
  }
  sched.stmt @greatest [i: 4, k: 40] reduces [k] reads %most[i], %place[i], %x[i, k] writes %most[i], %place[i] {
  ^bb0(%0: f32, %1: i32, %2: f32):
    %3 = sched.index 1 : index
    %4 = arith.index_cast %3 : index to i32
    %5 = arith.cmpf ogt, %2, %0 : f32
    %6 = arith.select %5, %2, %0 : f32
    %7 = arith.select %5, %4, %1 : i32
    sched.yield %6, %7 : f32, i32
  }
  // expected-remark @below {{reduces one iteration after the other: this is no combiner that is known to be associative}}
  sched.stmt @difference [i: 4, k: 40] reduces [k] reads %last[i], %x[i, k] writes %last[i] {
  ^bb0(%0: f32, %1: f32):
    // expected-note @below {{because of this}}
    %2 = arith.subf %1, %0 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 4] reads %most[i], %place[i], %last[i] writes %y[i], %at[i], %z[i] {
  ^bb0(%0: f32, %1: i32, %2: f32):
    sched.yield %0, %1, %2 : f32, i32, f32
  }
}

// -----

// Where statements have their parts of the loop around all of them, it is one
// loop, and each runs where its part is. A tile has whole vectors of what ends or
// begins in it.
// CHECK-DAG:   [[FIRST:#.*]] = affine_set<(d0) : (-d0 + 1 >= 0)>
// CHECK-DAG:   [[SECOND:#.*]] = affine_set<(d0) : (d0 - 1 >= 0)>
// CHECK-LABEL: kernel.func @pieces
// CHECK:       kernel.for %[[TILE:.*]] = 0 to 3 map(parallel)
// CHECK-NOT:   map(parallel)
// CHECK:       kernel.if [[FIRST]](%[[TILE]])
// CHECK-NEXT:    kernel.for %{{.*}} = 0 to min #{{.*}}(%[[TILE]]) map(vector)
// CHECK:       kernel.if [[SECOND]](%[[TILE]])
// CHECK-NEXT:    kernel.for %{{.*}} = max #{{.*}}(%[[TILE]]) to 4096 map(vector)
// CHECK-LABEL: kernel.func @pieces_naive
// expected-remark @below {{takes the structural one}}
sched.scop @pieces ins(%a: memref<6000xf32>, %b: memref<6288xf32>) outs(%y: memref<12288xf32>) {
  sched.stmt @first [i: 6000] reads %a[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @second [i: 6288] reads %b[i] writes %y[i + 6000] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
