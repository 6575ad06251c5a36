// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-select-configs --verify-diagnostics | FileCheck %s

// Rows are short of a vector axis: the lanes run along the row.
// CHECK-LABEL: sched.scop @row
// CHECK:       config(#sched.config<"default", [cores<grain = {{[0-9]+}}>, registers<tile = [1], accumulators = 2>, unit<lanes = 16, along = [-1, 1, 1]>]>)
// CHECK-LABEL: sched.scop @row_naive
// CHECK:       config(#sched.config<"naive", []>)
// CHECK:       group = "row"
sched.scop @row ins(%x: memref<64x33xf32>) outs(%y: memref<64x33xf32>) arrays(%s: memref<64xf32>) {
  sched.stmt @init [i: 64] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64, j: 33] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 64, j: 33] reads %x[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// A vector of columns for six rows: the accumulators stay in registers.
// CHECK-LABEL: sched.scop @gemm
// CHECK:       config(#sched.config<"default", [cores<grain = {{[0-9]+}}>, registers<tile = [6, 16], order = [1, 0]>, unit<lanes = 16, along = [1, 1, 1]>]>)
sched.scop @gemm ins(%x: memref<128x64xf32>, %w: memref<64x256xf32>) outs(%y: memref<128x256xf32>) arrays(%acc: memref<128x256xf32>) {
  sched.stmt @init [i: 128, j: 256] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 128, j: 256, k: 64] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 128, j: 256] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// Two tiles of four take as many steps as one of six and one of two.
// CHECK-LABEL: sched.scop @few_rows
// CHECK:       config(#sched.config<"default", [cores<grain = {{[0-9]+}}>, registers<tile = [4, 16], order = [1, 0]>, unit<lanes = 16, along = [1, 1, 1]>]>)
sched.scop @few_rows ins(%x: memref<8x64xf32>, %w: memref<64x256xf32>) outs(%y: memref<8x256xf32>) arrays(%acc: memref<8x256xf32>) {
  sched.stmt @init [i: 8, j: 256] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 8, j: 256, k: 64] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 8, j: 256] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// CHECK-LABEL: sched.scop @total
// CHECK:       config(#sched.config<"default", [
// expected-remark @below {{runs on one thread: no loop around all statements is free of dependences}}
sched.scop @total ins(%x: memref<33xf32>) outs(%y: memref<f32>) arrays(%s: memref<f32>) {
  sched.stmt @init [] writes %s[] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 33] reduces [i] reads %s[], %x[i] writes %s[] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [] reads %s[] writes %y[] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// Each sum of a scan needs the one before: its rows run on lanes, although its columns
// would lie side by side.
// CHECK-LABEL: sched.scop @scan
// CHECK:       config(#sched.config<"default", [cores<grain = {{[0-9]+}}>, registers<tile = [16]>, unit<lanes = 16, along = [0, 0, 0]>]>)
sched.scop @scan ins(%x: memref<4x64xf32>) outs(%y: memref<4x64xf32>) arrays(%u: memref<4x65xf32>) {
  sched.stmt @init [i: 4] writes %u[i, 0] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 4, j: 64] reads %u[i, j], %x[i, j] writes %u[i, j + 1] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 4, j: 64] reads %u[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// Rows of 4096 bytes take each other's place in the caches: the reduction gets
// blocks that stay there.
// CHECK-LABEL: sched.scop @together
// CHECK:       blocks = [{{[0-9]+}}, 0], depth = 256
module attributes {fuse.target = "sapphire-rapids"} {
  sched.scop @together ins(%x: memref<1024x1024xf32>, %w: memref<1024x1024xf32>) outs(%y: memref<1024x1024xf32>) arrays(%acc: memref<1024x1024xf32>) {
    sched.stmt @init [i: 1024, j: 1024] writes %acc[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @mac [i: 1024, j: 1024, k: 1024] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    sched.stmt @epi [i: 1024, j: 1024] reads %acc[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

// Rows of another length do not.
// CHECK-LABEL: sched.scop @apart
// CHECK-NOT:   depth
// CHECK:       schedule(
module attributes {fuse.target = "sapphire-rapids"} {
  sched.scop @apart ins(%x: memref<1024x1024xf32>, %w: memref<1024x1008xf32>) outs(%y: memref<1024x1008xf32>) arrays(%acc: memref<1024x1008xf32>) {
    sched.stmt @init [i: 1024, j: 1008] writes %acc[i, j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @mac [i: 1024, j: 1008, k: 1024] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    sched.stmt @epi [i: 1024, j: 1008] reads %acc[i, j] writes %y[i, j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}
