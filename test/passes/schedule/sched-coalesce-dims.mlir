// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --sched-coalesce-dims --split-input-file | FileCheck %s
// RUN: fusec-opt %s --sched-coalesce-dims=remarks --split-input-file --verify-diagnostics -o /dev/null

// Pointwise without a broadcast: one loop.
sched.scop @exp ins(%x: memref<8x128x768xf32>) outs(%y: memref<8x128x768xf32>)
    schedule(#sched.tree<["domain: any"]>) {
  sched.stmt @exp [i: 8, j: 128, k: 768] reads %x[i, j, k] writes %y[i, j, k] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
}
func.func @main(%x: memref<8x128x768xf32>, %y: memref<8x128x768xf32>) attributes {fuse.outputs = 1 : i64} {
  kernel.launch @exp(%x, %y) : memref<8x128x768xf32>, memref<8x128x768xf32>
  return
}
// CHECK-LABEL: sched.scop @exp
// CHECK-NEXT:     ins(%x: memref<786432xf32>)
// CHECK-NEXT:     outs(%y: memref<786432xf32>) {
// CHECK:        sched.stmt @exp [i: 786432]
// CHECK-NEXT:       reads %x[i]
// CHECK-NEXT:       writes %y[i] {
// CHECK-NEXT:   ^bb0(%arg0: f32):
// CHECK-NEXT:     %0 = math.exp %arg0 : f32
// CHECK-NEXT:     sched.yield %0 : f32
// CHECK-LABEL: func.func @main(%arg0: memref<8x128x768xf32>, %arg1: memref<8x128x768xf32>) attributes {fuse.outputs = 1 : i64} {
// CHECK-NEXT:   %0 = kernel.view %arg0 : memref<8x128x768xf32> -> memref<786432xf32>
// CHECK-NEXT:   %1 = kernel.view %arg1 : memref<8x128x768xf32> -> memref<786432xf32>
// CHECK-NEXT:   kernel.launch @exp(%0, %1) : memref<786432xf32>, memref<786432xf32>
// CHECK-NEXT:   return

// -----

// A bias keeps the last dimension apart; the unit dimension goes.
sched.scop @bias ins(%x: memref<8x1x128x768xf32>, %b: memref<1x768xf32>) outs(%y: memref<8x1x128x768xf32>) {
  // expected-remark@+1 {{@add keeps j and k apart: it accesses %b[k]}}
  sched.stmt @add [i: 8, j: 1, k: 128, l: 768] reads %x[i, j, k, l], %b[0, l] writes %y[i, j, k, l] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}
func.func @main(%x: memref<8x128x768xf32>, %b: memref<768xf32>, %y: memref<1024x768xf32>) attributes {fuse.outputs = 1 : i64} {
  %0 = kernel.view %x : memref<8x128x768xf32> -> memref<8x1x128x768xf32>
  %1 = kernel.view %b : memref<768xf32> -> memref<1x768xf32>
  %2 = kernel.view %y : memref<1024x768xf32> -> memref<8x1x128x768xf32>
  kernel.launch @bias(%0, %1, %2) : memref<8x1x128x768xf32>, memref<1x768xf32>, memref<8x1x128x768xf32>
  return
}
// CHECK-LABEL: sched.scop @bias
// CHECK-NEXT:     ins(%x: memref<1024x768xf32>, %b: memref<768xf32>)
// CHECK-NEXT:     outs(%y: memref<1024x768xf32>) {
// CHECK:        sched.stmt @add [i: 1024, j: 768]
// CHECK-NEXT:       reads %x[i, j], %b[j]
// CHECK-NEXT:       writes %y[i, j] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32):
// CHECK-NEXT:     %0 = arith.addf %arg0, %arg1 : f32
// CHECK-NEXT:     sched.yield %0 : f32
// CHECK-LABEL: func.func @main(%arg0: memref<8x128x768xf32>, %arg1: memref<768xf32>, %arg2: memref<1024x768xf32>) attributes {fuse.outputs = 1 : i64} {
// CHECK-NEXT:   %0 = kernel.view %arg0 : memref<8x128x768xf32> -> memref<1024x768xf32>
// CHECK-NEXT:   kernel.launch @bias(%0, %arg1, %arg2) : memref<1024x768xf32>, memref<768xf32>, memref<1024x768xf32>
// CHECK-NEXT:   return

// -----

// A batched matrix product with one weight: batch and rows merge, in all
// statements. What a chain of statements disagrees on stays apart.
sched.scop @matmul ins(%x: memref<4x32x64xf32>, %w: memref<64x16xf32>, %s: memref<32x16xf32>)
    outs(%y: memref<4x32x16xf32>, %z: memref<4x32x16xf32>) arrays(%acc: memref<4x32x16xf32>) {
  // expected-remark@+2 {{@init keeps i and j apart: @scale cannot merge them: it accesses %s[j, k]}}
  // expected-remark@+1 {{@init keeps j and k apart}}
  sched.stmt @init [i: 4, j: 32, k: 16] writes %acc[i, j, k] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  // expected-remark@+3 {{@mac keeps i and j apart: @scale cannot merge them: it accesses %s[j, k]}}
  // expected-remark@+2 {{@mac keeps j and k apart}}
  // expected-remark@+1 {{@mac keeps k and l apart: only one of them is reduced}}
  sched.stmt @mac [i: 4, j: 32, k: 16, l: 64] reduces [l] reads %acc[i, j, k], %x[i, j, l], %w[l, k] writes %acc[i, j, k] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  // expected-remark@+2 {{@copy keeps i and j apart}}
  // expected-remark@+1 {{@copy keeps j and k apart}}
  sched.stmt @copy [i: 4, j: 32, k: 16] reads %acc[i, j, k] writes %y[i, j, k] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  // expected-remark@+2 {{@scale keeps i and j apart: it accesses %s[j, k]}}
  // expected-remark@+1 {{@scale keeps j and k apart}}
  sched.stmt @scale [i: 4, j: 32, k: 16] reads %acc[i, j, k], %s[j, k] writes %z[i, j, k] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    sched.yield %2 : f32
  }
}
// CHECK-LABEL: sched.scop @matmul
// CHECK-NEXT:     ins(%x: memref<4x32x64xf32>, %w: memref<64x16xf32>, %s: memref<32x16xf32>)
// CHECK-NEXT:     outs(%y: memref<4x32x16xf32>, %z: memref<4x32x16xf32>)
// CHECK-NEXT:     arrays(%acc: memref<4x32x16xf32>) {
// CHECK:        sched.stmt @init [i: 4, j: 32, k: 16]
// CHECK-NEXT:       writes %acc[i, j, k] {
// CHECK-NEXT:     %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     sched.yield %cst : f32
// CHECK:        sched.stmt @mac [i: 4, j: 32, k: 16, l: 64] reduces [l]
// CHECK-NEXT:       reads %acc[i, j, k], %x[i, j, l], %w[l, k]
// CHECK-NEXT:       writes %acc[i, j, k] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32, %arg2: f32):
// CHECK-NEXT:     %0 = math.fma %arg1, %arg2, %arg0 : f32
// CHECK-NEXT:     sched.yield %0 : f32
// CHECK:        sched.stmt @copy [i: 4, j: 32, k: 16]
// CHECK-NEXT:       reads %acc[i, j, k]
// CHECK-NEXT:       writes %y[i, j, k] {
// CHECK-NEXT:   ^bb0(%arg0: f32):
// CHECK-NEXT:     sched.yield %arg0 : f32
// CHECK:        sched.stmt @scale [i: 4, j: 32, k: 16]
// CHECK-NEXT:       reads %acc[i, j, k], %s[j, k]
// CHECK-NEXT:       writes %z[i, j, k] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32):
// CHECK-NEXT:     %0 = arith.mulf %arg0, %arg1 : f32
// CHECK-NEXT:     sched.yield %0 : f32

// -----

// Rows of a softmax over the last dimension; reduced iterators merge too.
sched.scop @rows ins(%x: memref<4x12x8x16xf32>) outs(%y: memref<4x12xf32>) {
  sched.stmt @init [i: 4, j: 12] writes %y[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  // expected-remark@+1 {{@sum keeps j and k apart: only one of them is reduced}}
  sched.stmt @sum [i: 4, j: 12, k: 8, l: 16] reduces [k, l] reads %y[i, j], %x[i, j, k, l] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}
// CHECK-LABEL: sched.scop @rows
// CHECK-NEXT:     ins(%x: memref<48x128xf32>)
// CHECK-NEXT:     outs(%y: memref<48xf32>) {
// CHECK:        sched.stmt @init [i: 48]
// CHECK-NEXT:       writes %y[i] {
// CHECK-NEXT:     %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     sched.yield %cst : f32
// CHECK:        sched.stmt @sum [i: 48, j: 128] reduces [j]
// CHECK-NEXT:       reads %y[i], %x[i, j]
// CHECK-NEXT:       writes %y[i] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32):
// CHECK-NEXT:     %0 = arith.addf %arg0, %arg1 : f32
// CHECK-NEXT:     sched.yield %0 : f32

// -----

// Two bodies of one space: what one of them keeps apart stays apart in both, for
// merged in one, no loop could be around the two.
sched.scop @together ins(%x: memref<4x32x64xf32>, %w: memref<4x32x64xf32>, %b: memref<32x64xf32>) outs(%y: memref<4x32x64xf32>, %z: memref<4x32x64xf32>) {
  // expected-remark@+1 {{@plain keeps i and j apart: @biased has both loops, and keeps them apart}}
  sched.stmt @plain [i: 4, j: 32, k: 64] reads %x[i, j, k] writes %y[i, j, k] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
  // expected-remark@+1 {{@biased keeps i and j apart: it accesses %b[j, k]}}
  sched.stmt @biased [i: 4, j: 32, k: 64] reads %w[i, j, k], %b[j, k] writes %z[i, j, k] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}
// CHECK-LABEL: sched.scop @together
// CHECK:        sched.stmt @plain [i: 4, j: 2048]
// CHECK:        sched.stmt @biased [i: 4, j: 2048]

// -----

// Without a loop in common there is nothing to keep.
sched.scop @alone ins(%x: memref<4x32xf32>, %w: memref<3x32xf32>, %b: memref<32xf32>) outs(%y: memref<4x32xf32>, %z: memref<3x32xf32>) {
  sched.stmt @plain [i: 4, j: 32] reads %x[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
  // expected-remark@+1 {{@biased keeps i and j apart: it accesses %b[j]}}
  sched.stmt @biased [i: 3, j: 32] reads %w[i, j], %b[j] writes %z[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}
// CHECK-LABEL: sched.scop @alone
// CHECK:        sched.stmt @plain [i: 128]
// CHECK:        sched.stmt @biased [i: 3, j: 32]

// -----

// A convolution: windows, and a pad over a unit dimension, keep their
// dimensions. A part of an array is no row-major pair. sched.index is needed.
sched.scop @apart ins(%x: memref<1x1x9xf32>, %t: memref<8x8xf32>, %n: memref<4xi64>)
    outs(%y: memref<1x3x9xf32>, %z: memref<4x4xf32>, %u: memref<4x2xi64>) {
  // expected-remark@+1 {{@pad keeps i and j apart: it accesses %x[i - 1, j]}}
  sched.stmt @pad [h: 1, i: 3, j: 9] reads %x[h, i - 1, j] else 0.0 : f32 writes %y[h, i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  // expected-remark@+1 {{@part keeps i and j apart: it accesses %t[i, j]}}
  sched.stmt @part [i: 4, j: 4] reads %t[i, j] writes %z[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  // expected-remark@+1 {{@index keeps i and j apart: the body asks for the value of j}}
  sched.stmt @index [i: 4, j: 2, k: 1] writes %u[i, j] {
    %0 = sched.index 1 : index
    %1 = sched.index 2 : index
    %2 = arith.addi %0, %1 : index
    %3 = arith.index_cast %2 : index to i64
    sched.yield %3 : i64
  }
}
// CHECK-LABEL: sched.scop @apart
// CHECK-NEXT:     ins(%x: memref<1x9xf32>, %t: memref<8x8xf32>, %n: memref<4xi64>)
// CHECK-NEXT:     outs(%y: memref<3x9xf32>, %z: memref<4x4xf32>, %u: memref<4x2xi64>) {
// CHECK:        sched.stmt @pad [i: 3, j: 9]
// CHECK-NEXT:       reads %x[i - 1, j] else 0.000000e+00 : f32
// CHECK-NEXT:       writes %y[i, j] {
// CHECK-NEXT:   ^bb0(%arg0: f32):
// CHECK-NEXT:     sched.yield %arg0 : f32
// CHECK:        sched.stmt @part [i: 4, j: 4]
// CHECK-NEXT:       reads %t[i, j]
// CHECK-NEXT:       writes %z[i, j] {
// CHECK-NEXT:   ^bb0(%arg0: f32):
// CHECK-NEXT:     sched.yield %arg0 : f32
// CHECK:        sched.stmt @index [i: 4, j: 2]
// CHECK-NEXT:       writes %u[i, j] {
// CHECK-NEXT:     %0 = sched.index 1 : index
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %1 = arith.addi %0, %c0 : index
// CHECK-NEXT:     %2 = arith.index_cast %1 : index to i64
// CHECK-NEXT:     sched.yield %2 : i64

// -----

// Rows of a concatenation: whole rows, some with an offset.
sched.scop @concat ins(%a: memref<3x4x5xf32>, %b: memref<2x4x5xf32>) outs(%y: memref<5x4x5xf32>) {
  sched.stmt @first [i: 3, j: 4, k: 5] reads %a[i, j, k] writes %y[i, j, k] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @second [i: 2, j: 4, k: 5] reads %b[i, j, k] writes %y[i + 3, j, k] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
// CHECK-LABEL: sched.scop @concat
// CHECK-NEXT:     ins(%a: memref<60xf32>, %b: memref<40xf32>)
// CHECK-NEXT:     outs(%y: memref<100xf32>) {
// CHECK:        sched.stmt @first [i: 60]
// CHECK-NEXT:       reads %a[i]
// CHECK-NEXT:       writes %y[i] {
// CHECK-NEXT:   ^bb0(%arg0: f32):
// CHECK-NEXT:     sched.yield %arg0 : f32
// CHECK:        sched.stmt @second [i: 40]
// CHECK-NEXT:       reads %b[i]
// CHECK-NEXT:       writes %y[i + 60] {
// CHECK-NEXT:   ^bb0(%arg0: f32):
// CHECK-NEXT:     sched.yield %arg0 : f32

// -----

// A gather's own subscripts keep dimensions apart; its indices do not.
sched.scop @embed ins(%t: memref<30x1x8xf32>, %n: memref<2x4xi64>) outs(%y: memref<2x4x8xf32>) {
  // expected-remark@+1 {{@pick keeps j and k apart: it accesses %n[i, j]}}
  sched.stmt @pick [i: 2, j: 4, k: 8] reads %n[i, j] writes %y[i, j, k] {
  ^bb0(%0: i64):
    %1 = sched.gather %t at affine_map<(d0, d1, d2)[s0] -> (s0, 0, d2)> [%0] : memref<30x1x8xf32>, i64 -> f32
    sched.yield %1 : f32
  }
}
// CHECK: #[[MAP:.*]] = affine_map<(d0, d1)[s0] -> (s0, d1)>
// CHECK-LABEL: sched.scop @embed
// CHECK-NEXT:     ins(%t: memref<30x8xf32>, %n: memref<8xi64>)
// CHECK-NEXT:     outs(%y: memref<8x8xf32>) {
// CHECK:        sched.stmt @pick [i: 8, j: 8]
// CHECK-NEXT:       reads %n[i]
// CHECK-NEXT:       writes %y[i, j] {
// CHECK:          sched.gather %t at #[[MAP]][%arg0] : memref<30x8xf32>, i64 -> f32

// -----

// Rows that another statement made are read at two offsets: a loop over rows can run
// the second statement one row behind the first, which one over all elements cannot.
sched.scop @stencil ins(%x: memref<9x64xf32>) outs(%y: memref<8x64xf32>) arrays(%t: memref<9x64xf32>) {
  // expected-remark @below {{@t keeps i and j apart: @y cannot merge them: it reads %t at several offsets}}
  sched.stmt @t [i: 9, j: 64] reads %x[i, j] writes %t[i, j] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
  // expected-remark @below {{@y keeps i and j apart: it reads %t at several offsets}}
  sched.stmt @y [i: 8, j: 64] reads %t[i, j], %t[i + 1, j] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %1, %0 : f32
    sched.yield %2 : f32
  }
}
// CHECK-LABEL: sched.scop @stencil
// CHECK:       sched.stmt @t [i: 9, j: 64]
// CHECK:       sched.stmt @y [i: 8, j: 64]
// CHECK:       reads %t[i, j], %t[i + 1, j]
