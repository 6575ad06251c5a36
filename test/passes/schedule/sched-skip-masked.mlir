// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --sched-skip-masked --split-input-file --verify-diagnostics | FileCheck %s

// Attention: scores, a mask of the keys behind a query, softmax, the product.
// CHECK-LABEL: sched.scop @attention
// CHECK: sched.stmt @s_init [i: 8, j: 11] needed [i - j + 3]{{$}}
// CHECK: sched.stmt @s [i: 8, j: 11, k: 4] reduces [k] needed [i - j + 3]{{$}}
// CHECK: sched.stmt @max_init [i: 8]{{$}}
// CHECK: sched.stmt @max [i: 8, j: 11] reduces [j] needed [i - j + 3]{{$}}
// CHECK: sched.stmt @exp [i: 8, j: 11] needed [i - j + 3]{{$}}
// CHECK: sched.stmt @sum_init [i: 8]{{$}}
// CHECK: sched.stmt @sum [i: 8, j: 11] reduces [j] needed [i - j + 3]{{$}}
// CHECK: sched.stmt @y_init [i: 8, j: 5]{{$}}
// CHECK: sched.stmt @y [i: 8, j: 5, k: 11] reduces [k] needed [i - k + 3]{{$}}
// CHECK: sched.stmt @out [i: 8, j: 5]{{$}}
sched.scop @attention ins(%q: memref<8x4xf32>, %w: memref<4x11xf32>, %v: memref<11x5xf32>)
    outs(%out: memref<8x5xf32>)
    arrays(%s: memref<8x11xf32>, %max: memref<8xf32>, %exp: memref<8x11xf32>, %sum: memref<8xf32>, %y: memref<8x5xf32>) {
  sched.stmt @s_init [i: 8, j: 11] writes %s[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @s [i: 8, j: 11, k: 4] reduces [k] reads %s[i, j], %q[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @max_init [i: 8] writes %max[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  sched.stmt @max [i: 8, j: 11] reduces [j] reads %max[i], %s[i, j] writes %max[i] {
  ^bb0(%0: f32, %1: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %query = arith.index_cast %i : index to i32
    %key = arith.index_cast %j : index to i32
    %c3 = arith.constant 3 : i32
    %last = arith.addi %query, %c3 : i32
    %sees = arith.cmpi sle, %key, %last : i32
    %scale = arith.constant 0.5 : f32
    %2 = arith.mulf %1, %scale : f32
    %lowest = arith.constant 0xFF800000 : f32
    %3 = arith.select %sees, %2, %lowest : f32
    %4 = arith.maximumf %0, %3 : f32
    sched.yield %4 : f32
  }
  sched.stmt @exp [i: 8, j: 11] reads %s[i, j], %max[i] writes %exp[i, j] {
  ^bb0(%0: f32, %1: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %query = arith.index_cast %i : index to i32
    %key = arith.index_cast %j : index to i32
    %c3 = arith.constant 3 : i32
    %last = arith.addi %query, %c3 : i32
    %sees = arith.cmpi sle, %key, %last : i32
    %scale = arith.constant 0.5 : f32
    %2 = arith.mulf %0, %scale : f32
    %lowest = arith.constant 0xFF800000 : f32
    %3 = arith.select %sees, %2, %lowest : f32
    %4 = arith.subf %3, %1 : f32
    %5 = math.exp %4 : f32
    sched.yield %5 : f32
  }
  sched.stmt @sum_init [i: 8] writes %sum[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 11] reduces [j] reads %sum[i], %exp[i, j] writes %sum[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @y_init [i: 8, j: 5] writes %y[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @y [i: 8, j: 5, k: 11] reduces [k] reads %y[i, j], %exp[i, k], %v[k, j] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @out [i: 8, j: 5] reads %y[i, j], %sum[i] writes %out[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// A band: two comparisons, of which one holds where it hides.
// CHECK-LABEL: sched.scop @window
// CHECK: sched.stmt @max [i: 8, j: 8] reduces [j] needed [i - j, i * -1 + j + 2]{{$}}
sched.scop @window ins(%a: memref<8xf32>, %b: memref<8xf32>) outs(%max: memref<8xf32>) arrays(%x: memref<8x8xf32>) {
  sched.stmt @x [i: 8, j: 8] reads %a[i], %b[j] writes %x[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @init [i: 8] writes %max[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  sched.stmt @max [i: 8, j: 8] reduces [j] reads %max[i], %x[i, j] writes %max[i] {
  ^bb0(%0: f32, %1: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi sle, %j, %i : index
    %c2 = arith.constant 2 : index
    %from = arith.subi %i, %c2 : index
    %near = arith.cmpi sge, %j, %from : index
    %both = arith.andi %before, %near : i1
    %true = arith.constant true
    %hides = arith.xori %both, %true : i1
    %lowest = arith.constant -3.0e+38 : f32
    %2 = arith.select %hides, %lowest, %1 : f32
    %3 = arith.maximumf %2, %0 : f32
    sched.yield %3 : f32
  }
}

// -----

// A mask of -10000 is a number like others.
// CHECK-LABEL: sched.scop @soft
// CHECK: sched.stmt @max [i: 8, j: 8] reduces [j]{{$}}
sched.scop @soft ins(%x: memref<8x8xf32>) outs(%max: memref<8xf32>) {
  sched.stmt @init [i: 8] writes %max[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  // expected-remark@+1 {{all of it runs, though it compares iterators: what they hide changes the result}}
  sched.stmt @max [i: 8, j: 8] reduces [j] reads %max[i], %x[i, j] writes %max[i] {
  ^bb0(%0: f32, %1: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi sle, %j, %i : index
    %hidden = arith.constant -10000.0 : f32
    %2 = arith.select %before, %1, %hidden : f32
    %3 = arith.maximumf %0, %2 : f32
    sched.yield %3 : f32
  }
}

// -----

// Row 0 is hidden as a whole: its maximum is what the mask says, and so its terms
// are not zero.
// CHECK-LABEL: sched.scop @rows
// CHECK: sched.stmt @max [i: 8, j: 8] reduces [j]{{$}}
// CHECK: sched.stmt @sum [i: 8, j: 8] reduces [j]{{$}}
sched.scop @rows ins(%x: memref<8x8xf32>) outs(%max: memref<8xf32>, %sum: memref<8xf32>) {
  sched.stmt @init [i: 8] writes %max[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  // expected-remark@+1 {{all of it runs, though it compares iterators: they hide some rows as a whole}}
  sched.stmt @max [i: 8, j: 8] reduces [j] reads %max[i], %x[i, j] writes %max[i] {
  ^bb0(%0: f32, %1: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi slt, %j, %i : index
    %hidden = arith.constant -3.0e+38 : f32
    %2 = arith.select %before, %1, %hidden : f32
    %3 = arith.maximumf %0, %2 : f32
    sched.yield %3 : f32
  }
  sched.stmt @sum_init [i: 8] writes %sum[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  // expected-remark@+1 {{all of it runs, though it compares iterators: what they hide changes the result}}
  sched.stmt @sum [i: 8, j: 8] reduces [j] reads %sum[i], %x[i, j], %max[i] writes %sum[i] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi slt, %j, %i : index
    %hidden = arith.constant -3.0e+38 : f32
    %3 = arith.select %before, %1, %hidden : f32
    %4 = arith.subf %3, %2 : f32
    %5 = math.exp %4 : f32
    %6 = arith.addf %0, %5 : f32
    sched.yield %6 : f32
  }
}

// -----

// What else reads the terms needs all of them.
// CHECK-LABEL: sched.scop @returned
// CHECK: sched.stmt @exp [i: 8, j: 8]{{$}}
// CHECK: sched.stmt @sum [i: 8, j: 8] reduces [j] needed [i - j]{{$}}
sched.scop @returned ins(%x: memref<8x8xf32>) outs(%exp: memref<8x8xf32>, %sum: memref<8xf32>) {
  sched.stmt @exp [i: 8, j: 8] reads %x[i, j] writes %exp[i, j] {
  ^bb0(%0: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi sle, %j, %i : index
    %hidden = arith.constant -1.0e+30 : f32
    %1 = arith.select %before, %0, %hidden : f32
    %2 = math.exp %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @init [i: 8] writes %sum[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 8] reduces [j] reads %sum[i], %exp[i, j] writes %sum[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// Of an array that several statements write, one says nothing of the others'
// elements: neither that they are hidden, nor that they are zero.
// CHECK-LABEL: sched.scop @pieces
// CHECK: sched.stmt @zeros [i: 8, j: 4]{{$}}
// CHECK: sched.stmt @masked [i: 8, j: 4]{{$}}
// CHECK: sched.stmt @sum [i: 8, j: 8] reduces [j]{{$}}
// CHECK: sched.stmt @masked_sum [i: 8, j: 8] reduces [j]{{$}}
sched.scop @pieces ins(%x: memref<8x4xf32>) outs(%sum: memref<8xf32>, %other: memref<8xf32>) arrays(%both: memref<8x8xf32>) {
  sched.stmt @zeros [i: 8, j: 4] writes %both[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @masked [i: 8, j: 4] reads %x[i, j] writes %both[i, j + 4] {
  ^bb0(%0: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi sle, %j, %i : index
    %zero = arith.constant 0.0 : f32
    %1 = arith.select %before, %0, %zero : f32
    sched.yield %1 : f32
  }
  sched.stmt @init [i: 8] writes %sum[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, j: 8] reduces [j] reads %sum[i], %both[i, j] writes %sum[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @other_init [i: 8] writes %other[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  // expected-remark@+1 {{what they hide changes the result}}
  sched.stmt @masked_sum [i: 8, j: 8] reduces [j] reads %other[i], %both[i, j] writes %other[i] {
  ^bb0(%0: f32, %1: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %before = arith.cmpi sle, %j, %i : index
    %one = arith.constant 1.0 : f32
    %2 = arith.select %before, %1, %one : f32
    %3 = arith.addf %0, %2 : f32
    sched.yield %3 : f32
  }
}

// -----

// Bytes do not hold all indices: from 128 on they are negative.
// CHECK-LABEL: sched.scop @bytes
// CHECK: sched.stmt @max [i: 200, j: 200] reduces [j]{{$}}
sched.scop @bytes ins(%x: memref<200x200xf32>) outs(%max: memref<200xf32>) {
  sched.stmt @init [i: 200] writes %max[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  sched.stmt @max [i: 200, j: 200] reduces [j] reads %max[i], %x[i, j] writes %max[i] {
  ^bb0(%0: f32, %1: f32):
    %i = sched.index 0 : index
    %j = sched.index 1 : index
    %query = arith.index_cast %i : index to i8
    %key = arith.index_cast %j : index to i8
    %before = arith.cmpi sle, %key, %query : i8
    %hidden = arith.constant 0xFF800000 : f32
    %2 = arith.select %before, %1, %hidden : f32
    %3 = arith.maximumf %0, %2 : f32
    sched.yield %3 : f32
  }
}

// -----

// Keys in blocks of 16: a block that a row sees nothing of adds zero to its sum, as the
// maximum that is subtracted is cut off.
// CHECK-LABEL: sched.scop @blocks
// CHECK: sched.stmt @max_init [i: 4, j: 64]{{$}}
// CHECK: sched.stmt @max [i: 4, j: 64, k: 16] reduces [k] needed [i * -16 + j - k]{{$}}
// CHECK: sched.stmt @exp [i: 4, j: 64, k: 16] needed [i * -16 + j - k]{{$}}
// CHECK: sched.stmt @sum [i: 4, j: 64, k: 16] reduces [k] needed [i * -16 + j - k]{{$}}
sched.scop @blocks ins(%x: memref<64x64xf32>) outs(%sum: memref<4x64xf32>) arrays(%max: memref<4x64xf32>, %exp: memref<4x64x16xf32>) {
  sched.stmt @max_init [i: 4, j: 64] writes %max[i, j] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  sched.stmt @max [i: 4, j: 64, k: 16] reduces [k] reads %max[i, j], %x[j, i * 16 + k] writes %max[i, j] {
  ^bb0(%0: f32, %1: f32):
    %block = sched.index 0 : index
    %i = sched.index 1 : index
    %k = sched.index 2 : index
    %c16 = arith.constant 16 : index
    %first = arith.muli %block, %c16 : index
    %j = arith.addi %first, %k : index
    %sees = arith.cmpi sle, %j, %i : index
    %hidden = arith.constant 0xFF800000 : f32
    %2 = arith.select %sees, %1, %hidden : f32
    %3 = arith.maximumf %0, %2 : f32
    sched.yield %3 : f32
  }
  sched.stmt @exp [i: 4, j: 64, k: 16] reads %max[i, j], %x[j, i * 16 + k] writes %exp[i, j, k] {
  ^bb0(%0: f32, %1: f32):
    %block = sched.index 0 : index
    %i = sched.index 1 : index
    %k = sched.index 2 : index
    %c16 = arith.constant 16 : index
    %first = arith.muli %block, %c16 : index
    %j = arith.addi %first, %k : index
    %sees = arith.cmpi sle, %j, %i : index
    %hidden = arith.constant 0xFF800000 : f32
    %2 = arith.select %sees, %1, %hidden : f32
    %lowest = arith.constant -3.0e+38 : f32
    %least = arith.maximumf %0, %lowest : f32
    %3 = arith.subf %2, %least : f32
    %4 = math.exp %3 : f32
    sched.yield %4 : f32
  }
  sched.stmt @sum_init [i: 4, j: 64] writes %sum[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 4, j: 64, k: 16] reduces [k] reads %sum[i, j], %exp[i, j, k] writes %sum[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// Where a block has no other score, what is hidden by a number is its maximum.
// CHECK-LABEL: sched.scop @blocks_of_numbers
// CHECK: sched.stmt @max [i: 4, j: 64, k: 16] reduces [k]{{$}}
sched.scop @blocks_of_numbers ins(%a: memref<64xf32>) outs(%max: memref<4x64xf32>) arrays(%x: memref<64x64xf32>) {
  sched.stmt @x [i: 64, j: 64] reads %a[i], %a[j] writes %x[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @max_init [i: 4, j: 64] writes %max[i, j] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  // expected-remark@+1 {{they hide some rows as a whole}}
  sched.stmt @max [i: 4, j: 64, k: 16] reduces [k] reads %max[i, j], %x[j, i * 16 + k] writes %max[i, j] {
  ^bb0(%0: f32, %1: f32):
    %block = sched.index 0 : index
    %i = sched.index 1 : index
    %k = sched.index 2 : index
    %c16 = arith.constant 16 : index
    %first = arith.muli %block, %c16 : index
    %j = arith.addi %first, %k : index
    %sees = arith.cmpi sle, %j, %i : index
    %hidden = arith.constant -3.0e+38 : f32
    %2 = arith.select %sees, %1, %hidden : f32
    %3 = arith.maximumf %0, %2 : f32
    sched.yield %3 : f32
  }
}
