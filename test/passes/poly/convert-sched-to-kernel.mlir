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
    config(#sched.config<name = "default", tile = [], order = [], vector = 1>)
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
// expected-remark @below {{runs on one thread}}
// expected-remark @below {{not tiled}}
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

// What a statement reduces by, its loops carry: each combiner, a choice, and a
// difference whose order is kept.
// CHECK-LABEL: kernel.func @kinds(
// CHECK:       kernel.for %k = 0 to 40 carries(add %add : memref<1xf32>) {
// CHECK:       kernel.for %k = 0 to 40 carries(add %fma : memref<1xf32>) {
// CHECK:       kernel.for %k = 0 to 40 carries(add %sub : memref<1xf32>) {
// CHECK:       kernel.for %k = 0 to 40 carries(mul %mul : memref<1xf32>) {
// CHECK:       kernel.for %k = 0 to 40 carries(max %max : memref<1xf32>) {
// CHECK:       kernel.for %k = 0 to 40 carries(min %min : memref<1xf32>) {
// CHECK:       kernel.for %k = 0 to 40 carries(add %addi : memref<1xi32>) {
// CHECK:       kernel.for %k = 0 to 40 carries(add %subi : memref<1xi32>) {
// CHECK:       kernel.for %k = 0 to 40 carries(mul %muli : memref<1xi32>) {
// CHECK:       kernel.for %k = 0 to 40 carries(max %maxi : memref<1xi32>) {
// CHECK:       kernel.for %k = 0 to 40 carries(min %mini : memref<1xi32>) {
// CHECK:       kernel.for %k = 0 to 40 carries(and %all : memref<1xi1>) {
// CHECK:       kernel.for %k = 0 to 40 carries(or %any : memref<1xi1>) {
// CHECK:       kernel.for %k = 0 to 40 carries(select %first : memref<1xf32>) {
// CHECK:       kernel.for %k = 0 to 40 carries(update %last : memref<1xf32>) {
sched.scop @kinds ins(%x: memref<40xf32>, %n: memref<40xi32>, %p: memref<40xi1>) outs(%add: memref<1xf32>, %fma: memref<1xf32>, %sub: memref<1xf32>, %mul: memref<1xf32>, %max: memref<1xf32>, %min: memref<1xf32>, %addi: memref<1xi32>, %subi: memref<1xi32>, %muli: memref<1xi32>, %maxi: memref<1xi32>, %mini: memref<1xi32>, %all: memref<1xi1>, %any: memref<1xi1>, %first: memref<1xf32>, %last: memref<1xf32>)
    config(#sched.config<name = "default", tile = [], order = [], vector = 1>) {
  sched.stmt @init [i: 1] writes %add[i], %fma[i], %sub[i], %mul[i], %max[i], %min[i], %addi[i], %subi[i], %muli[i], %maxi[i], %mini[i], %all[i], %any[i], %first[i], %last[i] {
    %f32 = arith.constant 1.0 : f32
    %i32 = arith.constant 1 : i32
    %i1 = arith.constant true
    sched.yield %f32, %f32, %f32, %f32, %f32, %f32, %i32, %i32, %i32, %i32, %i32, %i1, %i1, %f32, %f32 : f32, f32, f32, f32, f32, f32, i32, i32, i32, i32, i32, i1, i1, f32, f32
  }
  sched.stmt @add [i: 1, k: 40] reduces [k] reads %add[i], %x[k] writes %add[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @fma [i: 1, k: 40] reduces [k] reads %fma[i], %x[k] writes %fma[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = math.fma %1, %1, %0 : f32
    sched.yield %2 : f32
  }
  sched.stmt @sub [i: 1, k: 40] reduces [k] reads %sub[i], %x[k] writes %sub[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @mul [i: 1, k: 40] reduces [k] reads %mul[i], %x[k] writes %mul[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %1, %0 : f32
    sched.yield %2 : f32
  }
  sched.stmt @max [i: 1, k: 40] reduces [k] reads %max[i], %x[k] writes %max[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.maximumf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @min [i: 1, k: 40] reduces [k] reads %min[i], %x[k] writes %min[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.minimumf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @addi [i: 1, k: 40] reduces [k] reads %addi[i], %n[k] writes %addi[i] {
  ^bb0(%0: i32, %1: i32):
    %2 = arith.addi %0, %1 : i32
    sched.yield %2 : i32
  }
  sched.stmt @subi [i: 1, k: 40] reduces [k] reads %subi[i], %n[k] writes %subi[i] {
  ^bb0(%0: i32, %1: i32):
    %2 = arith.subi %0, %1 : i32
    sched.yield %2 : i32
  }
  sched.stmt @muli [i: 1, k: 40] reduces [k] reads %muli[i], %n[k] writes %muli[i] {
  ^bb0(%0: i32, %1: i32):
    %2 = arith.muli %0, %1 : i32
    sched.yield %2 : i32
  }
  sched.stmt @maxi [i: 1, k: 40] reduces [k] reads %maxi[i], %n[k] writes %maxi[i] {
  ^bb0(%0: i32, %1: i32):
    %2 = arith.maxsi %0, %1 : i32
    sched.yield %2 : i32
  }
  sched.stmt @mini [i: 1, k: 40] reduces [k] reads %mini[i], %n[k] writes %mini[i] {
  ^bb0(%0: i32, %1: i32):
    %2 = arith.minsi %0, %1 : i32
    sched.yield %2 : i32
  }
  sched.stmt @all [i: 1, k: 40] reduces [k] reads %all[i], %p[k] writes %all[i] {
  ^bb0(%0: i1, %1: i1):
    %2 = arith.andi %0, %1 : i1
    sched.yield %2 : i1
  }
  sched.stmt @any [i: 1, k: 40] reduces [k] reads %any[i], %p[k] writes %any[i] {
  ^bb0(%0: i1, %1: i1):
    %2 = arith.ori %0, %1 : i1
    sched.yield %2 : i1
  }
  sched.stmt @first [i: 1, k: 40] reduces [k] reads %first[i], %x[k] writes %first[i] {
  ^bb0(%0: f32, %1: f32):
    %3 = arith.cmpf ogt, %1, %0 : f32
    %2 = arith.select %3, %1, %0 : f32
    sched.yield %2 : f32
  }
  sched.stmt @last [i: 1, k: 40] reduces [k] reads %last[i], %x[k] writes %last[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %1, %0 : f32
    sched.yield %2 : f32
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
