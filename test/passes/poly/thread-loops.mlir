// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of a GPU's threads, whatever isl makes of their bounds and conditions.
// RUN: fusec-opt %s --convert-sched-to-kernel 2>/dev/null | FileCheck %s
// RUN: fusec-opt %s --sched-promote-arrays 2>/dev/null | FileCheck %s --check-prefix=PLACE

// CHECK-DAG: #[[LATE:.*]] = affine_set<(d0, d1) : (d0 * 25 + d1 - 66 >= 0, d0 * -25 - d1 + 98 >= 0)>

module attributes {fuse.target = "cuda-sm80"} {
  // A loop of threads has constant bounds: that the first block begins late is a condition.
  // CHECK-LABEL: kernel.func @late(
  // CHECK: kernel.for %[[B:.*]] = 2 to 4 map(block) {
  // CHECK-NEXT: kernel.for %[[T:.*]] = 0 to 25 map(thread) {
  // CHECK-NEXT: kernel.if #[[LATE]](%[[B]], %[[T]]) {
  // CHECK-NEXT: kernel.load %{{.*}}[%[[B]] * 25 + %[[T]] - 66]
  sched.scop @late ins(%x: memref<33xf32>) outs(%y: memref<33xf32>)
      config(#sched.config<"default", [block<threads = 32, tile = [25]>, team<of = warp>]>)
      schedule(#sched.tree<[
        "domain: \22{ copy[i0] : 0 <= i0 <= 32 }\22",
        "child:",
        "  mark: \22block\22",
        "  child:",
        "    schedule: \22[{ copy[i0] -> [(floor((66 + i0)/25))] }]\22",
        "    options: \22{ atomic[0] }\22",
        "    child:",
        "      mark: \22thread\22",
        "      child:",
        "        schedule: \22[{ copy[i0] -> [((66 + i0) mod 25)] }]\22",
        "        options: \22{ atomic[0] }\22"]>) {
    sched.stmt @copy [i: 33] reads %x[i] writes %y[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }

  // All threads come to a barrier before what one of them does, under a condition too.
  // CHECK-LABEL: kernel.func @before(
  // CHECK: kernel.for %{{.*}} = -7 to 8 {
  // CHECK: kernel.if
  // CHECK-NEXT: kernel.barrier {{ *}}block
  // CHECK-NEXT: kernel.for %{{.*}} = 0 to 1 map(thread) {
  // CHECK: kernel.for %{{.*}} = 0 to 32 map(thread) {
  sched.scop @before ins(%x: memref<8xf32>) outs(%y: memref<8xf32>, %z: memref<8x32xf32>)
      config(#sched.config<"default", [block<threads = 32>, team<of = block>]>)
      schedule(#sched.tree<[
        "domain: \22{ one[i0] : 0 <= i0 <= 7; all[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 31 }\22",
        "child:",
        "  schedule: \22[{ one[i0] -> [(-i0)]; all[i0, i1] -> [(i0)] }]\22",
        "  options: \22{ atomic[0] }\22",
        "  child:",
        "    sequence:",
        "    - filter: \22{ one[i0] }\22",
        "      child:",
        "        mark: \22barrier\22",
        "        child:",
        "          schedule: \22[{ one[i0] -> [(0)] }]\22",
        "    - filter: \22{ all[i0, i1] }\22",
        "      child:",
        "        mark: \22vector\22",
        "        child:",
        "          schedule: \22[{ all[i0, i1] -> [(i1)] }]\22",
        "          options: \22{ atomic[0] }\22"]>) {
    sched.stmt @one [i: 8] reads %x[i] writes %y[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
    sched.stmt @all [i: 8, j: 32] reads %x[i] writes %z[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }

  // Around no loop, too, iterations go round the threads from the first one on: what a
  // thread makes in one it reads there.
  // PLACE-LABEL: sched.scop @own
  // PLACE: local_m2_1
  sched.scop @own ins(%x: memref<24xf32>) outs(%y: memref<24xf32>) arrays(%a: memref<24xf32>)
      config(#sched.config<"default", [block<threads = 32>, team<of = block>]>)
      schedule(#sched.tree<[
        "domain: \22{ first[i0] : 0 <= i0 <= 23; second[i0] : 0 <= i0 <= 23 }\22",
        "child:",
        "  mark: \22vector\22",
        "  child:",
        "    schedule: \22[{ first[i0] -> [(i0)]; second[i0] -> [(i0)] }]\22",
        "    coincident: [ 1 ]",
        "    options: \22{ atomic[0] }\22",
        "    child:",
        "      sequence:",
        "      - filter: \22{ first[i0] }\22",
        "      - filter: \22{ second[i0] }\22"]>) {
    sched.stmt @first [i: 24] reads %x[i] writes %a[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
    sched.stmt @second [i: 24] reads %a[i] writes %y[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }

  // What a thread asks for by its number is in no register: the row is in shared memory,
  // short as it is.
  // PLACE-LABEL: sched.scop @short_row
  // PLACE: shared_m2_1x15
  sched.scop @short_row ins(%x: memref<3x15xf32>) outs(%y: memref<3x15xf32>) arrays(%a: memref<3x15xf32>)
      config(#sched.config<"default", [block<threads = 32, tile = [1]>, team<of = warp>]>)
      schedule(#sched.tree<[
        "domain: \22{ first[i0, i1] : 0 <= i0 <= 2 and 0 <= i1 <= 14; second[i0, i1] : 0 <= i0 <= 2 and 0 <= i1 <= 14 }\22",
        "child:",
        "  mark: \22block\22",
        "  child:",
        "    schedule: \22[{ first[i0, i1] -> [(i0)]; second[i0, i1] -> [(i0)] }]\22",
        "    coincident: [ 1 ]",
        "    options: \22{ atomic[0] }\22",
        "    child:",
        "      sequence:",
        "      - filter: \22{ first[i0, i1] }\22",
        "        child:",
        "          mark: \22vector\22",
        "          child:",
        "            schedule: \22[{ first[i0, i1] -> [(i1)] }]\22",
        "            options: \22{ atomic[0] }\22",
        "      - filter: \22{ second[i0, i1] }\22",
        "        child:",
        "          mark: \22vector\22",
        "          child:",
        "            schedule: \22[{ second[i0, i1] -> [(i1)] }]\22",
        "            options: \22{ atomic[0] }\22"]>) {
    sched.stmt @first [i: 3, j: 15] reads %x[i, j] writes %a[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
    sched.stmt @second [i: 3, j: 15] reads %a[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}
