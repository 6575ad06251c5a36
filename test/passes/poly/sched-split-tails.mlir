// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-tile --sched-map --sched-promote-arrays --sched-split-tails --sched-verify --verify-diagnostics | FileCheck %s
// RUN: fusec-opt %s --split-input-file --sched-tile --sched-map --sched-promote-arrays --sched-split-tails --convert-sched-to-kernel | FileCheck %s --check-prefix=KERNEL

// 12 full tiles of 8 rows and one of 4, in blocks of 5; 12 of 16 columns and one of 8.
// Full tiles, those with all rows, and those with the last rows: each with accumulators
// of its own.
// CHECK-LABEL: sched.scop @blocks
// CHECK:      sequence:
// CHECK-NEXT: - filter: {{.*}}mac[i0, i1, i2] : i0 <= 95 and i1 <= 191
// CHECK-NEXT: child:
// CHECK-NEXT: mark: \22local_m3_8x16\22
// CHECK:      - filter: {{.*}}mac[i0, i1, i2] : i0 <= 95 and i1 >= 192
// CHECK-NEXT: child:
// CHECK-NEXT: mark: \22local_m3_8x16\22
// CHECK:      - filter: {{.*}}mac[i0, i1, i2] : i0 >= 96
// CHECK-NEXT: child:
// CHECK-NEXT: mark: \22local_m3_8x16\22

// One is what the others are not. What a condition says holds for the loops in it, of
// accumulations and of others.
// KERNEL-DAG: #[[FULL:.*]] = affine_set<(d0, d1, d2) : (-d1 + 11 >= 0, d0 * -5 - d2 + 11 >= 0)>
// KERNEL-DAG: #[[ROWS:.*]] = affine_set<(d0, d1, d2) : (d1 - 12 == 0, d0 * -5 - d2 + 11 >= 0)>
// KERNEL-LABEL: kernel.func @blocks
// KERNEL: kernel.if #[[FULL]](
// KERNEL-NEXT: kernel.local : memref<8x16xf32>
// KERNEL-NEXT: kernel.for %{{.*}} = 0 to 8 map(unroll)
// KERNEL-NEXT: kernel.for %{{.*}} = 0 to 16 map(vector)
// KERNEL: kernel.for %{{.*}} = 0 to 64 carries(add
// KERNEL-NEXT: kernel.for %{{.*}} = 0 to 8 map(unroll)
// KERNEL-NEXT: kernel.for %{{.*}} = 0 to 16 map(vector)
// KERNEL: kernel.for %{{.*}} = 0 to 8 map(unroll)
// KERNEL-NEXT: kernel.for %{{.*}} = 0 to 16 map(vector)
// KERNEL: } else {
// KERNEL-NEXT: kernel.if #[[ROWS]](
// KERNEL-NEXT: kernel.local : memref<8x16xf32>
// KERNEL-NEXT: kernel.for %{{.*}} = 0 to 8 map(unroll)
// KERNEL-NEXT: kernel.for %{{.*}} = 0 to 8 map(vector)
// KERNEL: kernel.for %{{.*}} = 0 to 8 map(unroll)
// KERNEL-NEXT: kernel.for %{{.*}} = 0 to 8 map(vector)
// KERNEL: } else {
// KERNEL-NEXT: kernel.local : memref<8x16xf32>
// KERNEL-NEXT: kernel.for %{{.*}} = 0 to 4 map(unroll)
// KERNEL-NEXT: kernel.for %{{.*}} = 0 to min #{{.*}} map(vector)
// KERNEL: kernel.for %{{.*}} = 0 to 4 map(unroll)
// KERNEL-NEXT: kernel.for %{{.*}} = 0 to min #{{.*}} map(vector)
sched.scop @blocks ins(%x: memref<100x64xf32>, %w: memref<64x200xf32>) outs(%y: memref<100x200xf32>) arrays(%acc: memref<100x200xf32>)
    config(#sched.config<"default", [cache<blocks = [5, 0]>, registers<tile = [8, 16], order = [1, 0]>, unit<lanes = 16, along = [1, 1, 1]>]>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0, i1] : 0 <= i0 <= 99 and 0 <= i1 <= 199; mac[i0, i1, i2] : 0 <= i0 <= 99 and 0 <= i1 <= 199 and 0 <= i2 <= 63; epi[i0, i1] : 0 <= i0 <= 99 and 0 <= i1 <= 199 }\22",
      "child:",
      "  schedule: \22[{ init[i0, i1] -> [(i0)]; mac[i0, i1, i2] -> [(i0)]; epi[i0, i1] -> [(i0)] }, { init[i0, i1] -> [(i1)]; mac[i0, i1, i2] -> [(i1)]; epi[i0, i1] -> [(i1)] }]\22",
      "  permutable: 1",
      "  coincident: [ 1, 1 ]",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0, i1] }\22",
      "    - filter: \22{ mac[i0, i1, i2] }\22",
      "      child:",
      "        schedule: \22[{ mac[i0, i1, i2] -> [(i2)] }]\22",
      "    - filter: \22{ epi[i0, i1] }\22"]>) {
  sched.stmt @init [i: 100, j: 200] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 100, j: 200, k: 64] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 100, j: 200] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// Rows of two loops: of each the last ones.
// CHECK-LABEL: sched.scop @two_rows
// CHECK:      - filter: {{.*}}mac[i0, i1, i2, i3] : i0 <= 5 and i1 <= 5
// CHECK:      - filter: {{.*}}mac[i0, i1 = 6, i2, i3] : i0 <= 5
// CHECK:      - filter: {{.*}}mac[i0 = 6, i1, i2, i3]
// CHECK-NOT:  i0 {{<|>}}
// KERNEL-LABEL: kernel.func @two_rows
// KERNEL: } else {
// KERNEL: kernel.for %i = 0 to 2 map(unroll)
// KERNEL-NEXT: kernel.for %c = 0 to 16 map(vector)
// KERNEL: } else {
// KERNEL: kernel.for %{{.*}} = 0 to min
sched.scop @two_rows ins(%x: memref<7x7x64xf32>, %w: memref<64x16xf32>) outs(%y: memref<7x7x16xf32>) arrays(%acc: memref<7x7x16xf32>)
    config(#sched.config<"default", [registers<tile = [2, 3, 16], order = [0, 1, 2]>, unit<lanes = 16, along = [2, 2, 2]>]>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0, i1, i2] : 0 <= i0 <= 6 and 0 <= i1 <= 6 and 0 <= i2 <= 15; mac[i0, i1, i2, i3] : 0 <= i0 <= 6 and 0 <= i1 <= 6 and 0 <= i2 <= 15 and 0 <= i3 <= 63; epi[i0, i1, i2] : 0 <= i0 <= 6 and 0 <= i1 <= 6 and 0 <= i2 <= 15 }\22",
      "child:",
      "  schedule: \22[{ init[i0, i1, i2] -> [(i0)]; mac[i0, i1, i2, i3] -> [(i0)]; epi[i0, i1, i2] -> [(i0)] }, { init[i0, i1, i2] -> [(i1)]; mac[i0, i1, i2, i3] -> [(i1)]; epi[i0, i1, i2] -> [(i1)] }, { init[i0, i1, i2] -> [(i2)]; mac[i0, i1, i2, i3] -> [(i2)]; epi[i0, i1, i2] -> [(i2)] }]\22",
      "  permutable: 1",
      "  coincident: [ 1, 1, 1 ]",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0, i1, i2] }\22",
      "    - filter: \22{ mac[i0, i1, i2, i3] }\22",
      "      child:",
      "        schedule: \22[{ mac[i0, i1, i2, i3] -> [(i3)] }]\22",
      "    - filter: \22{ epi[i0, i1, i2] }\22"]>) {
  sched.stmt @init [i: 7, j: 7, c: 16] writes %acc[i, j, c] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 7, j: 7, c: 16, k: 64] reduces [k] reads %acc[i, j, c], %x[i, j, k], %w[k, c] writes %acc[i, j, c] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 7, j: 7, c: 16] reads %acc[i, j, c] writes %y[i, j, c] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// No accumulator: not worth a copy. Its vectors are masked later.
// CHECK-LABEL: sched.scop @elementwise
// CHECK:       mark: \22vector\22
// CHECK-NOT:   sequence
sched.scop @elementwise ins(%x: memref<100x70xf32>) outs(%y: memref<100x70xf32>) arrays(%t: memref<100x70xf32>)
    config(#sched.config<"default", [registers<tile = [8, 16], order = [0, 1]>, unit<lanes = 16, along = [1]>]>)
    schedule(#sched.tree<[
      "domain: \22{ y[i0, i1] : 0 <= i0 <= 99 and 0 <= i1 <= 69 }\22",
      "child:",
      "  schedule: \22[{ y[i0, i1] -> [(i0)] }, { y[i0, i1] -> [(i1)] }]\22",
      "  permutable: 1",
      "  coincident: [ 1, 1 ]"]>) {
  sched.stmt @y [i: 100, j: 70] reads %x[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// The first tile begins late, the last one ends early: no condition is both.
// CHECK-LABEL: sched.scop @shifted
// CHECK:       mark: \22local_m2_8\22
// CHECK-NOT:   local_m2
// KERNEL-LABEL: kernel.func @shifted
// KERNEL-NOT: kernel.if
// expected-remark @below {{tile not split: where its loops end early is no one condition on the loops around}}
sched.scop @shifted ins(%x: memref<100x64xf32>) outs(%y: memref<100xf32>) arrays(%acc: memref<100xf32>)
    config(#sched.config<"default", []>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : 0 <= i0 <= 99; sum[i0, i1] : 0 <= i0 <= 99 and 0 <= i1 <= 63; epi[i0] : 0 <= i0 <= 99 }\22",
      "child:",
      "  schedule: \22[{ init[i0] -> [(floor((2 + i0)/8))]; sum[i0, i1] -> [(floor((2 + i0)/8))]; epi[i0] -> [(floor((2 + i0)/8))] }]\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "      child:",
      "        schedule: \22[{ init[i0] -> [((2 + i0) mod 8)] }]\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "        child:",
      "          mark: \22unroll\22",
      "          child:",
      "            schedule: \22[{ sum[i0, i1] -> [((2 + i0) mod 8)] }]\22",
      "    - filter: \22{ epi[i0] }\22",
      "      child:",
      "        schedule: \22[{ epi[i0] -> [((2 + i0) mod 8)] }]\22"]>) {
  sched.stmt @init [i: 100] writes %acc[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 100, j: 64] reduces [j] reads %acc[i], %x[i, j] writes %acc[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @epi [i: 100] reads %acc[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
