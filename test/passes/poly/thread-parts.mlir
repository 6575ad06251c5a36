// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which thread runs what, in trees that no point of an outer band stands around, and
// where threads wait below a condition.
// RUN: fusec-opt %s --sched-promote-arrays --sched-place-barriers --sched-verify --convert-sched-to-kernel | FileCheck %s

module attributes {fuse.target = "cuda-sm80"} {
  // A value of one iteration of a loop that threads share is its thread's own.
  // CHECK-LABEL: kernel.func @one_iteration(
  // CHECK-NEXT:    %t = kernel.local : memref<96xf32, #kernel.space<shared>>
  // CHECK-NEXT:    kernel.for %i = 0 to 96 map(thread) {
  // CHECK-NEXT:      %u = kernel.local : memref<f32, #kernel.space<thread>>
  // CHECK:         kernel.barrier block
  // CHECK-NEXT:    kernel.for %i = 0 to 96 map(thread) {
  sched.scop @one_iteration ins(%x: memref<96xf32>) outs(%y: memref<96xf32>) arrays(%t: memref<96xf32>, %u: memref<96xf32>)
      config(#sched.config<"default", [block<threads = 64>, team<of = block, loops = [0, 0, 0]>]>)
      schedule(#sched.tree<[
        "domain: \22{ half[i0] : 0 <= i0 <= 95; root[i0] : 0 <= i0 <= 95; turn[i0] : 0 <= i0 <= 95 }\22",
        "child:",
        "  sequence:",
        "  - filter: \22{ half[i0]; root[i0] }\22",
        "    child:",
        "      mark: \22vector\22",
        "      child:",
        "        schedule: \22[{ half[i0] -> [(i0)]; root[i0] -> [(i0)] }]\22",
        "        child:",
        "          sequence:",
        "          - filter: \22{ half[i0] }\22",
        "          - filter: \22{ root[i0] }\22",
        "  - filter: \22{ turn[i0] }\22",
        "    child:",
        "      mark: \22vector\22",
        "      child:",
        "        schedule: \22[{ turn[i0] -> [(i0)] }]\22"]>) {
    sched.stmt @half [i: 96] reads %x[i] writes %u[i] {
    ^bb0(%0: f32):
      %1 = arith.addf %0, %0 : f32
      sched.yield %1 : f32
    }
    sched.stmt @root [i: 96] reads %u[i] writes %t[i] {
    ^bb0(%0: f32):
      %1 = math.sqrt %0 : f32
      sched.yield %1 : f32
    }
    sched.stmt @turn [i: 96] reads %t[95 - i] writes %y[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }

  // In a loop over several statements that run in some iterations each, one thread makes
  // what all read in later ones: they wait where they read, which all do or none.
  // CHECK-LABEL: kernel.func @skewed(
  // CHECK-NEXT:    kernel.for %[[S:.*]] = -7 to 8 {
  // CHECK-NOT:     kernel.barrier
  // CHECK:         kernel.for %{{.*}} = 0 to 1 map(thread) {
  // CHECK-NEXT:      kernel.if #{{.*}}(%[[S]]) {
  // CHECK-NOT:     kernel.barrier
  // CHECK:         kernel.if #{{.*}}(%[[S]]) {
  // CHECK-NEXT:      kernel.barrier block
  // CHECK-NEXT:      kernel.for %{{.*}} = 0 to 64 map(thread) {
  sched.scop @skewed ins(%x: memref<8x64xf32>) outs(%y: memref<8x64xf32>, %t: memref<8xf32>) arrays(%u: memref<8xf32>)
      config(#sched.config<"default", [block<threads = 64>, team<of = block, loops = [-1, -1, 1]>]>)
      schedule(#sched.tree<[
        "domain: \22{ root[i0] : 0 <= i0 <= 7; make[i0] : 0 <= i0 <= 7; use[i0, i1] : 0 <= i0 <= 7 and 0 <= i1 <= 63 }\22",
        "child:",
        "  schedule: \22[{ root[i0] -> [(-i0)]; make[i0] -> [(-i0)]; use[i0, i1] -> [(i0)] }]\22",
        "  child:",
        "    sequence:",
        "    - filter: \22{ root[i0] }\22",
        "    - filter: \22{ make[i0] }\22",
        "    - filter: \22{ use[i0, i1] }\22",
        "      child:",
        "        mark: \22vector\22",
        "        child:",
        "          schedule: \22[{ use[i0, i1] -> [(i1)] }]\22"]>) {
    sched.stmt @root [i: 8] reads %x[i, 0] writes %u[i] {
    ^bb0(%0: f32):
      %1 = math.sqrt %0 : f32
      sched.yield %1 : f32
    }
    sched.stmt @make [i: 8] reads %u[i] writes %t[i] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
    sched.stmt @use [i: 8, j: 64] reads %t[7 - i], %x[i, j] writes %y[i, j] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.mulf %0, %1 : f32
      sched.yield %2 : f32
    }
  }

  // Threads that begin late, as those of what is put behind something else do in the
  // tile that both have a part of: their loop is one of constants, with a condition.
  // CHECK-LABEL: kernel.func @behind(
  // CHECK:         kernel.for %[[T:.*]] = 2 to 4 map(block) {
  // CHECK-NEXT:      kernel.for %[[I:.*]] = 0 to 25 map(thread) {
  // CHECK-NEXT:        kernel.if #{{.*}}(%[[T]], %[[I]]) {
  sched.scop @behind ins(%x: memref<33xf32>) outs(%y: memref<33xf32>)
      config(#sched.config<"default", [block<threads = 32, tile = [25]>]>)
      schedule(#sched.tree<[
        "domain: \22{ second[i0] : 0 <= i0 <= 32 }\22",
        "child:",
        "  mark: \22block\22",
        "  child:",
        "    schedule: \22[{ second[i0] -> [(floor((i0 + 66)/25))] }]\22",
        "    child:",
        "      mark: \22thread\22",
        "      child:",
        "        schedule: \22[{ second[i0] -> [((i0 + 66) mod 25)] }]\22"]>) {
    sched.stmt @second [i: 33] reads %x[i] writes %y[i] {
    ^bb0(%0: f32):
      %1 = math.sqrt %0 : f32
      sched.yield %1 : f32
    }
  }

  // The last of 24 threads has one point of 47, and the others two: that is a condition,
  // too, so that what they add up in lies in registers.
  // CHECK-LABEL: kernel.func @points(
  // CHECK:         kernel.for %[[J:.*]] = 0 to 24 map(thread) {
  // CHECK-NEXT:      kernel.for %[[P:.*]] = 0 to 2 map(unroll) {
  // CHECK-NEXT:        kernel.if #{{.*}}(%[[J]], %[[P]]) {
  sched.scop @points ins(%x: memref<47xf32>) outs(%y: memref<47xf32>)
      config(#sched.config<"default", [block<threads = 32, tile = [48]>, thread<points = [2]>]>)
      schedule(#sched.tree<[
        "domain: \22{ copy[i0] : 0 <= i0 <= 46 }\22",
        "child:",
        "  mark: \22thread\22",
        "  child:",
        "    schedule: \22[{ copy[i0] -> [((i0) mod 24)] }]\22",
        "    child:",
        "      mark: \22unroll\22",
        "      child:",
        "        schedule: \22[{ copy[i0] -> [(floor((i0)/24))] }]\22"]>) {
    sched.stmt @copy [i: 47] reads %x[i] writes %y[i] {
    ^bb0(%0: f32):
      %1 = math.sqrt %0 : f32
      sched.yield %1 : f32
    }
  }
}
