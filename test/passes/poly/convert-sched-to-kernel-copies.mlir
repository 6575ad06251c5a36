// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-verify --convert-sched-to-kernel | FileCheck %s
// Tiles with copies of what they accumulate to.

// Filled where the mark stands and written back at its end, by rows that are unrolled
// and columns on lanes.
// CHECK-LABEL: kernel.func @tile(
// CHECK:       [[ACC:%.*]] = kernel.local : memref<10x16xf32>
// CHECK:       kernel.for %k_tile = 0 to 2 {
// CHECK-NEXT:    kernel.for %i_tile = 0 to 2 {
// CHECK-NEXT:      [[TILE:%.*]] = kernel.local : memref<5x16xf32>
// CHECK-NEXT:      kernel.for %i = 0 to 5 map(unroll) {
// CHECK-NEXT:        kernel.for %j = 0 to 16 map(vector) {
// CHECK-NEXT:          [[IN:%.*]] = kernel.load [[ACC]][%i_tile * 5 + %i, %j]
// CHECK-NEXT:          kernel.store [[IN]], [[TILE]][%i, %j]
// CHECK:           kernel.for %k = 0 to 32 carries(add [[TILE]] : memref<5x16xf32>) {
// CHECK:           kernel.for %i = 0 to 5 map(unroll) {
// CHECK-NEXT:        kernel.for %j = 0 to 16 map(vector) {
// CHECK:               kernel.for %i = 0 to 5 map(unroll) {
// CHECK-NEXT:        kernel.for %j = 0 to 16 map(vector) {
// CHECK-NEXT:          [[BACK:%.*]] = kernel.load [[TILE]][%i, %j]
// CHECK-NEXT:          kernel.store [[BACK]], [[ACC]][%i_tile * 5 + %i, %j]
// CHECK:           kernel.load [[ACC]][%i, %j]
// CHECK-NEXT:      kernel.store {{.*}}, %y[%i, %j]
sched.scop @tile ins(%x: memref<10x64xf32>, %w: memref<64x16xf32>) outs(%y: memref<10x16xf32>) arrays(%acc: memref<10x16xf32>)
    config(#sched.config<"default", [cores<grain = 1>, cache<blocks = [2, 0], depth = 32>, registers<tile = [5, 16]>, unit<lanes = 16, along = [1, 1, 1]>]>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0, i1] : 0 <= i0 <= 9 and 0 <= i1 <= 15; mac[i0, i1, i2] : 0 <= i0 <= 9 and 0 <= i1 <= 15 and 0 <= i2 <= 63; out[i0, i1] : 0 <= i0 <= 9 and 0 <= i1 <= 15 }\22",
      "child:",
      "  mark: \22local_m3_10x16\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ init[i0, i1] -> [(i0)] }]\22",
      "        child:",
      "          mark: \22vector\22",
      "          child:",
      "            schedule: \22[{ init[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ mac[i0, i1, i2] }\22",
      "      child:",
      "        schedule: \22[{ mac[i0, i1, i2] -> [(floor((i2)/32))] }]\22",
      "        child:",
      "          schedule: \22[{ mac[i0, i1, i2] -> [(floor((i0)/5))] }]\22",
      "          child:",
      "            mark: \22copy_m3_5x16\22",
      "            child:",
      "              schedule: \22[{ mac[i0, i1, i2] -> [(i2 mod 32)] }]\22",
      "              child:",
      "                mark: \22unroll\22",
      "                child:",
      "                  schedule: \22[{ mac[i0, i1, i2] -> [(i0 mod 5)] }]\22",
      "                  child:",
      "                    mark: \22vector\22",
      "                    child:",
      "                      schedule: \22[{ mac[i0, i1, i2] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i0)] }]\22",
      "        child:",
      "          mark: \22vector\22",
      "          child:",
      "            schedule: \22[{ out[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 10, j: 16] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 10, j: 16, k: 64] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @out [i: 10, j: 16] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// Lanes are those of the statement, of which a part is below the mark.
// CHECK-LABEL: kernel.func @parts(
// CHECK:       kernel.if
// CHECK-COUNT-3: kernel.for %j = 0 to 16 map(vector) {
// CHECK:       } else {
// CHECK-COUNT-3: kernel.for %j = 0 to 16 map(vector) {
sched.scop @parts ins(%x: memref<10x64xf32>, %w: memref<64x16xf32>) outs(%y: memref<10x16xf32>) arrays(%acc: memref<10x16xf32>)
    config(#sched.config<"default", [cores<grain = 1>, cache<blocks = [2, 0], depth = 32>, registers<tile = [5, 16]>, unit<lanes = 16, along = [1, 1, 1]>]>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0, i1] : 0 <= i0 <= 9 and 0 <= i1 <= 15; mac[i0, i1, i2] : 0 <= i0 <= 9 and 0 <= i1 <= 15 and 0 <= i2 <= 63; out[i0, i1] : 0 <= i0 <= 9 and 0 <= i1 <= 15 }\22",
      "child:",
      "  mark: \22local_m3_10x16\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ init[i0, i1] -> [(i0)] }]\22",
      "        child:",
      "          mark: \22vector\22",
      "          child:",
      "            schedule: \22[{ init[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ mac[i0, i1, i2] }\22",
      "      child:",
      "        schedule: \22[{ mac[i0, i1, i2] -> [(floor((i2)/32))] }]\22",
      "        child:",
      "          schedule: \22[{ mac[i0, i1, i2] -> [(floor((i0)/5))] }]\22",
      "          child:",
      "            sequence:",
      "            - filter: \22{ mac[i0, i1, i2] : i0 <= 4 }\22",
      "              child:",
      "                mark: \22copy_m3_5x16\22",
      "                child:",
      "                  schedule: \22[{ mac[i0, i1, i2] -> [(i2 mod 32)] }]\22",
      "                  child:",
      "                    mark: \22unroll\22",
      "                    child:",
      "                      schedule: \22[{ mac[i0, i1, i2] -> [(i0 mod 5)] }]\22",
      "                      child:",
      "                        mark: \22vector\22",
      "                        child:",
      "                          schedule: \22[{ mac[i0, i1, i2] -> [(i1)] }]\22",
      "            - filter: \22{ mac[i0, i1, i2] : i0 >= 5 }\22",
      "              child:",
      "                mark: \22copy_m3_5x16\22",
      "                child:",
      "                  schedule: \22[{ mac[i0, i1, i2] -> [(i2 mod 32)] }]\22",
      "                  child:",
      "                    mark: \22unroll\22",
      "                    child:",
      "                      schedule: \22[{ mac[i0, i1, i2] -> [(i0 mod 5)] }]\22",
      "                      child:",
      "                        mark: \22vector\22",
      "                        child:",
      "                          schedule: \22[{ mac[i0, i1, i2] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i0)] }]\22",
      "        child:",
      "          mark: \22vector\22",
      "          child:",
      "            schedule: \22[{ out[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 10, j: 16] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 10, j: 16, k: 64] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @out [i: 10, j: 16] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// A copy of a part of a copy: it goes back to that one, and that one to the array.
// CHECK-LABEL: kernel.func @nested(
// CHECK:       [[ACC:%.*]] = kernel.local : memref<10x16xf32>
// CHECK:       [[ALL:%.*]] = kernel.local : memref<10x16xf32>
// CHECK:       [[TILE:%.*]] = kernel.local : memref<5x16xf32>
// CHECK:       kernel.for %k = 0 to 64 carries(add [[TILE]]
// CHECK:       kernel.for %i = 0 to 5
// CHECK:       kernel.for %i = 0 to 5
// CHECK:       [[BACK:%.*]] = kernel.load [[TILE]][%i, %j]
// CHECK-NEXT:  kernel.store [[BACK]], [[ALL]][%i_tile * 5 + %i, %j]
// CHECK:       [[BACK:%.*]] = kernel.load [[ALL]][%i, %j]
// CHECK-NEXT:  kernel.store [[BACK]], [[ACC]][%i, %j]
sched.scop @nested ins(%x: memref<10x64xf32>, %w: memref<64x16xf32>) outs(%y: memref<10x16xf32>) arrays(%acc: memref<10x16xf32>)
    config(#sched.config<"default", [cores<grain = 1>, cache<blocks = [2, 0], depth = 32>, registers<tile = [5, 16]>, unit<lanes = 16, along = [1, 1, 1]>]>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0, i1] : 0 <= i0 <= 9 and 0 <= i1 <= 15; mac[i0, i1, i2] : 0 <= i0 <= 9 and 0 <= i1 <= 15 and 0 <= i2 <= 63; out[i0, i1] : 0 <= i0 <= 9 and 0 <= i1 <= 15 }\22",
      "child:",
      "  mark: \22local_m3_10x16\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ init[i0, i1] -> [(i0)] }]\22",
      "        child:",
      "          mark: \22vector\22",
      "          child:",
      "            schedule: \22[{ init[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ mac[i0, i1, i2] }\22",
      "      child:",
      "        mark: \22copy_m3_10x16\22",
      "        child:",
      "          schedule: \22[{ mac[i0, i1, i2] -> [(floor((i0)/5))] }]\22",
      "          child:",
      "            mark: \22copy_m3_5x16\22",
      "            child:",
      "              schedule: \22[{ mac[i0, i1, i2] -> [(i2)] }]\22",
      "              child:",
      "                mark: \22unroll\22",
      "                child:",
      "                  schedule: \22[{ mac[i0, i1, i2] -> [(i0 mod 5)] }]\22",
      "                  child:",
      "                    mark: \22vector\22",
      "                    child:",
      "                      schedule: \22[{ mac[i0, i1, i2] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0, i1] }\22",
      "      child:",
      "        schedule: \22[{ out[i0, i1] -> [(i0)] }]\22",
      "        child:",
      "          mark: \22vector\22",
      "          child:",
      "            schedule: \22[{ out[i0, i1] -> [(i1)] }]\22"]>) {
  sched.stmt @init [i: 10, j: 16] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 10, j: 16, k: 64] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @out [i: 10, j: 16] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// Without loops, what a copy stored is what comes next, not what the array had.
// CHECK-LABEL: kernel.func @one(
// CHECK:       [[SUM:%.*]] = arith.addf
// CHECK:       kernel.store [[SUM]], %y[0]
sched.scop @one ins(%x: memref<1xf32>) outs(%y: memref<1xf32>) arrays(%s: memref<1xf32>)
    config(#sched.config<"default", []>)
    schedule(#sched.tree<[
      "domain: \22{ init[i0] : i0 = 0; sum[i0, i1] : i0 = 0 and i1 = 0; out[i0] : i0 = 0 }\22",
      "child:",
      "  mark: \22local_m2_1\22",
      "  child:",
      "    sequence:",
      "    - filter: \22{ init[i0] }\22",
      "    - filter: \22{ sum[i0, i1] }\22",
      "      child:",
      "        mark: \22copy_m2_1\22",
      "        child:",
      "          schedule: \22[{ sum[i0, i1] -> [(i1)] }]\22",
      "    - filter: \22{ out[i0] }\22"]>) {
  sched.stmt @init [i: 1] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 1, j: 1] reduces [j] reads %s[i], %x[j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 1] reads %s[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
