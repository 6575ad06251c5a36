// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s | FileCheck %s
// RUN: fusec-opt %s | fusec-opt | FileCheck %s
// RUN: fusec-opt %s --mlir-print-op-generic --mlir-print-debuginfo | fusec-opt | FileCheck %s

// Names of arguments survive; attributes stand on their own lines.
// CHECK-LABEL: sched.scop @mlp_0
// CHECK-NEXT:      ins(%x: memref<128x512xf32>, %w: memref<512x1024xf32>, %b: memref<1024xf32>)
// CHECK-NEXT:      outs(%y: memref<128x1024xf32>)
// CHECK-NEXT:      arrays(%acc: memref<128x1024xf32>)
// CHECK-NEXT:      config(#sched.config<"default", [cores<grain = 7>, cache<prefetch = [0], stream = [3]>, registers<tile = [8, 32], order = [1, 0], columns = 32, accumulators = 4>, unit<lanes = 16, along = [-1, 1, 0]>]>)
// CHECK-NEXT:      schedule(#sched.tree<[
// CHECK-NEXT:        "domain: \22{ init[i, j] }\22",
// CHECK-NEXT:        "child:"]>) attributes {group = "mlp_0"} {
// CHECK-NEXT:    sched.stmt @init [i: 128, j: 1024]
// CHECK-NEXT:        writes %acc[i, j] {
// CHECK:         sched.stmt @mac [i: 128, j: 1024, k: 512] reduces [k]
// CHECK-NEXT:        reads %acc[i, j], %x[i, k], %w[k, j]
// CHECK-NEXT:        writes %acc[i, j] {
sched.scop @mlp_0
    ins(%x: memref<128x512xf32>, %w: memref<512x1024xf32>, %b: memref<1024xf32>)
    outs(%y: memref<128x1024xf32>) arrays(%acc: memref<128x1024xf32>)
    config(#sched.config<"default", [cores<grain = 7>, cache<prefetch = [0], stream = [3]>, registers<tile = [8, 32], order = [1, 0], columns = 32, accumulators = 4>, unit<lanes = 16, along = [-1, 1, 0]>]>)
    schedule(#sched.tree<["domain: \"{ init[i, j] }\"", "child:"]>)
    attributes {group = "mlp_0"} {
  sched.stmt @init [i: 128, j: 1024] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 128, j: 1024, k: 512] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 128, j: 1024] reads %acc[i, j], %b[j] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// A window with a fill, a gather, an index, two writes, a scalar array.
// CHECK-LABEL: sched.scop @accesses
// CHECK:       sched.stmt @window [i: 2, j: 5, k: 3]
// CHECK-NEXT:      reads %x[i, j * 2 + k - 1] else 0xFF800000 : f32
// CHECK-NEXT:      writes %a[i, j, k] {
// CHECK:       sched.stmt @gather [i: 4, j: 9]
// CHECK-NEXT:      reads %n[i], %x[(i + j) mod 2, 8 - j]
// CHECK-NEXT:      writes %b[i, j], %c[] attributes {note = "two"} {
// CHECK:         sched.gather %x at #{{.*}}[%arg0] : memref<2x9xf32>, i64 -> f32
// CHECK:         sched.index 1 : index
sched.scop @accesses ins(%x: memref<2x9xf32>, %n: memref<4xi64>)
    outs(%a: memref<2x5x3xf32>, %b: memref<4x9xf16>, %c: memref<i64>) {
  sched.stmt @window [i: 2, j: 5, k: 3] reads %x[i, j * 2 + k - 1] else 0xFF800000 : f32 writes %a[i, j, k] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @gather [i: 4, j: 9] reads %n[i], %x[(i + j) mod 2, 8 - j] writes %b[i, j], %c[] attributes {note = "two"} {
  ^bb0(%0: i64, %2: f32):
    %1 = sched.gather %x at affine_map<(d0, d1)[s0] -> (s0, d1)> [%0] : memref<2x9xf32>, i64 -> f32
    %3 = sched.index 1 : index
    %4 = arith.index_cast %3 : index to i64
    sched.yield %1, %4 : f32, i64
  }
}

// Two arguments that want one name.
// CHECK-LABEL: sched.scop @names
// CHECK-NEXT:      ins(%x: memref<f32>)
// CHECK-NEXT:      outs(%x_2: memref<f32>) {
sched.scop @names ins(%x: memref<f32>) outs(%0: memref<f32> loc("x")) {
  sched.stmt @copy [] reads %x[] writes %0[] {
  ^bb0(%1: f32):
    sched.yield %1 : f32
  }
}

// A variant of a group for one of the instruction sets that the target tiles for.
// CHECK-LABEL: sched.scop @limited
// CHECK-NEXT:      outs(%y: memref<8xf32>) attributes {group = "limited", isa = "avx512"} {
sched.scop @limited outs(%y: memref<8xf32>) attributes {group = "limited", isa = "avx512"} {
  sched.stmt @zero [i: 8] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}

// What is needed, and what runs.
// CHECK-LABEL: sched.scop @needed
// CHECK: sched.stmt @exp [i: 8, j: 8] needed [i - j, j - i + 2] runs [(i floordiv 4) * 4 - j + 3]
// CHECK-NEXT: reads %x[i, j]
sched.scop @needed ins(%x: memref<8x8xf32>) outs(%y: memref<8x8xf32>) {
  sched.stmt @exp [i: 8, j: 8] needed [i - j, j - i + 2] runs [(i floordiv 4) * 4 + 3 - j]
      reads %x[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
}
