// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of an ordered scop: terms on no lanes, on no threads, however many there are.
// RUN: fusec-opt %s --sched-compute --sched-select-configs 2>/dev/null | FileCheck %s
// RUN: fusec-opt %s --sched-compute --sched-select-configs=numerics=fast 2>/dev/null | FileCheck %s
// RUN: fusec-opt %s --sched-compute --sched-select-configs --sched-tile --sched-map --sched-promote-arrays --sched-verify -o %t.mlir

// A row on lanes is a sum of partial sums; where the order counts, lanes are rows.
// CHECK-LABEL: sched.scop @rows{{$}}
// CHECK: unit<lanes = 16, along = [-1, 1]>
// CHECK-LABEL: sched.scop @rows_ordered{{$}}
// CHECK: unit<lanes = 16, along = [0, 0]>
// CHECK-LABEL: sched.scop @all_ordered{{$}}
// CHECK-NOT: split
// CHECK: unit<lanes = 16, along = [-1, -1]>
// Whole numbers have no order.
// CHECK-LABEL: sched.scop @integers_ordered{{$}}
// CHECK: unit<lanes = 16, along = [-1, 1]>
// CHECK-LABEL: sched.scop @product_ordered{{$}}
// CHECK: unit<lanes = 16, along = [1, 1]>
sched.scop @rows ins(%x: memref<64x512xf32>) outs(%y: memref<64xf32>) {
  sched.stmt @init [i: 64] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64, k: 512] reduces [k] reads %y[i], %x[i, k] writes %y[i] {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    sched.yield %0 : f32
  }
}
sched.scop @rows_ordered ins(%x: memref<64x512xf32>) outs(%y: memref<64xf32>) attributes {ordered} {
  sched.stmt @init [i: 64] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64, k: 512] reduces [k] reads %y[i], %x[i, k] writes %y[i] {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    sched.yield %0 : f32
  }
}
sched.scop @all_ordered ins(%x: memref<100000xf32>) outs(%y: memref<f32>) attributes {ordered} {
  sched.stmt @init [] writes %y[] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [k: 100000] reduces [k] reads %y[], %x[k] writes %y[] {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    sched.yield %0 : f32
  }
}
sched.scop @integers_ordered ins(%x: memref<64x512xi32>) outs(%y: memref<64xi32>) attributes {ordered} {
  sched.stmt @init [i: 64] writes %y[i] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @sum [i: 64, k: 512] reduces [k] reads %y[i], %x[i, k] writes %y[i] {
  ^bb0(%a: i32, %b: i32):
    %0 = arith.addi %a, %b : i32
    sched.yield %0 : i32
  }
}
sched.scop @product_ordered ins(%x: memref<64x32xf32>, %w: memref<32x64xf32>) outs(%y: memref<64x64xf32>) attributes {ordered} {
  sched.stmt @init [i: 64, j: 64] writes %y[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 64, j: 64, k: 32] reduces [k] reads %y[i, j], %x[i, k], %w[k, j] writes %y[i, j] {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = math.fma %b, %c, %a : f32
    sched.yield %0 : f32
  }
}
