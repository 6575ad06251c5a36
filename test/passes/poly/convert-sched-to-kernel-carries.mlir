// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --sched-compute=proposer=structural --sched-select-configs --sched-tile --sched-map --sched-promote-arrays --convert-sched-to-kernel --verify-diagnostics | FileCheck %s

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
    config(#sched.config<"default", []>) {
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
