// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --convert-fuse-to-sched --split-input-file | FileCheck %s
// Statements of the groups that models are made of.

// Rows: the exponential is needed twice and stored, the difference is not.
func.func @main(%x: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %y = fuse.group @softmax (%x) : (tensor<128x64xf32>) -> tensor<128x64xf32> {
  ^bb0(%a: tensor<128x64xf32> loc("x")):
    %m = fuse.reduce (%a) inits = [0xFF800000 : f32] dims = [1] : (tensor<128x64xf32>) -> tensor<128xf32> {
    ^bb0(%acc: f32, %e: f32):
      %r = arith.maximumf %acc, %e : f32
      fuse.yield %r : f32
    } loc("Softmax")
    %0 = fuse.broadcast %m dims = [0] : tensor<128xf32> -> tensor<128x64xf32>
    %1 = fuse.sub %a, %0 : tensor<128x64xf32> loc("Softmax")
    %2 = fuse.exp %1 : tensor<128x64xf32> loc("Softmax")
    %s = fuse.reduce (%2) inits = [0.0 : f32] dims = [1] : (tensor<128x64xf32>) -> tensor<128xf32> {
    ^bb0(%acc: f32, %e: f32):
      %r = arith.addf %acc, %e : f32
      fuse.yield %r : f32
    } loc("Softmax")
    %3 = fuse.broadcast %s dims = [0] : tensor<128xf32> -> tensor<128x64xf32>
    %4 = fuse.div %2, %3 : tensor<128x64xf32> loc("Softmax")
    fuse.yield %4 : tensor<128x64xf32>
  }
  return %y : tensor<128x64xf32>
}
// CHECK-LABEL: sched.scop @softmax
// CHECK-NEXT:     ins(%x: memref<128x64xf32>)
// CHECK-NEXT:     outs(%Softmax: memref<128x64xf32>)
// CHECK-NEXT:     arrays(%Softmax_max: memref<128xf32>, %Softmax_exp: memref<128x64xf32>, %Softmax_sum: memref<128xf32>) {
// CHECK:        sched.stmt @Softmax_max_init [i: 128]
// CHECK-NEXT:       writes %Softmax_max[i] {
// CHECK-NEXT:     %cst = arith.constant 0xFF800000 : f32
// CHECK-NEXT:     sched.yield %cst : f32
// CHECK:        sched.stmt @Softmax_max [i: 128, j: 64] reduces [j]
// CHECK-NEXT:       reads %Softmax_max[i], %x[i, j]
// CHECK-NEXT:       writes %Softmax_max[i] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32):
// CHECK-NEXT:     %0 = arith.maximumf %arg0, %arg1 : f32
// CHECK-NEXT:     sched.yield %0 : f32
// CHECK:        sched.stmt @Softmax_exp [i: 128, j: 64]
// CHECK-NEXT:       reads %x[i, j], %Softmax_max[i]
// CHECK-NEXT:       writes %Softmax_exp[i, j] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32):
// CHECK-NEXT:     %0 = arith.subf %arg0, %arg1 : f32
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     sched.yield %1 : f32
// CHECK:        sched.stmt @Softmax_sum_init [i: 128]
// CHECK-NEXT:       writes %Softmax_sum[i] {
// CHECK-NEXT:     %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     sched.yield %cst : f32
// CHECK:        sched.stmt @Softmax_sum [i: 128, j: 64] reduces [j]
// CHECK-NEXT:       reads %Softmax_sum[i], %Softmax_exp[i, j]
// CHECK-NEXT:       writes %Softmax_sum[i] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32):
// CHECK-NEXT:     %0 = arith.addf %arg0, %arg1 : f32
// CHECK-NEXT:     sched.yield %0 : f32
// CHECK:        sched.stmt @Softmax [i: 128, j: 64]
// CHECK-NEXT:       reads %Softmax_exp[i, j], %Softmax_sum[i]
// CHECK-NEXT:       writes %Softmax[i, j] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32):
// CHECK-NEXT:     %0 = arith.divf %arg0, %arg1 : f32
// CHECK-NEXT:     sched.yield %0 : f32
// CHECK-LABEL: func.func @main(%arg0: memref<128x64xf32>, %arg1: memref<128x64xf32>) attributes {fuse.outputs = 1 : i64} {
// CHECK-NEXT:   kernel.launch @softmax(%arg0, %arg1) : memref<128x64xf32>, memref<128x64xf32>
// CHECK-NEXT:   return

// -----

// The mean and the deviation are computed once a row, the difference twice.
func.func @main(%x: tensor<8x768xf16>) -> tensor<8x768xf16> {
  %y = fuse.group @ln (%x) : (tensor<8x768xf16>) -> tensor<8x768xf16> {
  ^bb0(%a: tensor<8x768xf16> loc("x")):
    %count = fuse.constant dense<768.0> : tensor<f32>
    %epsilon = fuse.constant dense<1.0e-5> : tensor<f32>
    %c = fuse.cast %a : tensor<8x768xf16> -> tensor<8x768xf32>
    %s = fuse.reduce (%c) inits = [0.0 : f32] dims = [1] : (tensor<8x768xf32>) -> tensor<8xf32> {
    ^bb0(%acc: f32, %e: f32):
      %r = arith.addf %acc, %e : f32
      fuse.yield %r : f32
    } loc("sum")
    %n = fuse.broadcast %count dims = [] : tensor<f32> -> tensor<8xf32>
    %mean = fuse.div %s, %n : tensor<8xf32> loc("mean")
    %m = fuse.broadcast %mean dims = [0] : tensor<8xf32> -> tensor<8x768xf32>
    %d = fuse.sub %c, %m : tensor<8x768xf32> loc("d")
    %dd = fuse.mul %d, %d : tensor<8x768xf32>
    %ss = fuse.reduce (%dd) inits = [0.0 : f32] dims = [1] : (tensor<8x768xf32>) -> tensor<8xf32> {
    ^bb0(%acc: f32, %e: f32):
      %r = arith.addf %acc, %e : f32
      fuse.yield %r : f32
    } loc("squares")
    %v = fuse.div %ss, %n : tensor<8xf32> loc("variance")
    %e = fuse.broadcast %epsilon dims = [] : tensor<f32> -> tensor<8xf32>
    %ve = fuse.add %v, %e : tensor<8xf32>
    %sd = fuse.sqrt %ve : tensor<8xf32> loc("deviation")
    %sdb = fuse.broadcast %sd dims = [0] : tensor<8xf32> -> tensor<8x768xf32>
    %z = fuse.div %d, %sdb : tensor<8x768xf32> loc("z")
    %r = fuse.cast %z : tensor<8x768xf32> -> tensor<8x768xf16> loc("y")
    fuse.yield %r : tensor<8x768xf16>
  }
  return %y : tensor<8x768xf16>
}
// CHECK-LABEL: sched.scop @ln
// CHECK-NEXT:     ins(%x: memref<8x768xf16>)
// CHECK-NEXT:     outs(%y: memref<8x768xf16>)
// CHECK-NEXT:     arrays(%sum: memref<8xf32>, %mean: memref<8xf32>, %squares: memref<8xf32>, %deviation: memref<8xf32>) {
// CHECK:        sched.stmt @sum_init [i: 8]
// CHECK-NEXT:       writes %sum[i] {
// CHECK-NEXT:     %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     sched.yield %cst : f32
// CHECK:        sched.stmt @sum [i: 8, j: 768] reduces [j]
// CHECK-NEXT:       reads %sum[i], %x[i, j]
// CHECK-NEXT:       writes %sum[i] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32):
// CHECK-NEXT:     %0 = arith.addf %arg0, %arg1 : f32
// CHECK-NEXT:     sched.yield %0 : f32
// CHECK:        sched.stmt @mean [i: 8]
// CHECK-NEXT:       reads %sum[i]
// CHECK-NEXT:       writes %mean[i] {
// CHECK-NEXT:   ^bb0(%arg0: f32):
// CHECK-NEXT:     %cst = arith.constant 7.680000e+02 : f32
// CHECK-NEXT:     %0 = arith.divf %arg0, %cst : f32
// CHECK-NEXT:     sched.yield %0 : f32
// CHECK:        sched.stmt @squares_init [i: 8]
// CHECK-NEXT:       writes %squares[i] {
// CHECK-NEXT:     %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     sched.yield %cst : f32
// CHECK:        sched.stmt @squares [i: 8, j: 768] reduces [j]
// CHECK-NEXT:       reads %squares[i], %x[i, j], %mean[i]
// CHECK-NEXT:       writes %squares[i] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32, %arg2: f32):
// CHECK-NEXT:     %0 = arith.subf %arg1, %arg2 : f32
// CHECK-NEXT:     %1 = arith.mulf %0, %0 : f32
// CHECK-NEXT:     %2 = arith.addf %arg0, %1 : f32
// CHECK-NEXT:     sched.yield %2 : f32
// CHECK:        sched.stmt @deviation [i: 8]
// CHECK-NEXT:       reads %squares[i]
// CHECK-NEXT:       writes %deviation[i] {
// CHECK-NEXT:   ^bb0(%arg0: f32):
// CHECK-NEXT:     %cst = arith.constant 7.680000e+02 : f32
// CHECK-NEXT:     %0 = arith.divf %arg0, %cst : f32
// CHECK-NEXT:     %cst_0 = arith.constant 9.99999974E-6 : f32
// CHECK-NEXT:     %1 = arith.addf %0, %cst_0 : f32
// CHECK-NEXT:     %2 = math.sqrt %1 : f32
// CHECK-NEXT:     sched.yield %2 : f32
// CHECK:        sched.stmt @y [i: 8, j: 768]
// CHECK-NEXT:       reads %x[i, j], %mean[i], %deviation[i]
// CHECK-NEXT:       writes %y[i, j] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32, %arg2: f32):
// CHECK-NEXT:     %0 = arith.subf %arg0, %arg1 : f32
// CHECK-NEXT:     %1 = arith.divf %0, %arg2 : f32
// CHECK-NEXT:     sched.yield %1 : f32
// CHECK-LABEL: func.func @main(%arg0: memref<8x768xf16>, %arg1: memref<8x768xf16>) attributes {fuse.outputs = 1 : i64} {
// CHECK-NEXT:   kernel.launch @ln(%arg0, %arg1) : memref<8x768xf16>, memref<8x768xf16>
// CHECK-NEXT:   return

// -----

#x = affine_map<(n, o, p, q, c, u, v) -> (n, c, p, q, u, v)>
#w = affine_map<(n, o, p, q, c, u, v) -> (o, c, u, v)>
#y = affine_map<(n, o, p, q, c, u, v) -> (n, o, p, q)>
func.func @main(%x: tensor<1x3x32x32xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<8xf32>) -> tensor<1x8x32x32xf32> {
  %r = fuse.group @conv (%x, %w, %b) : (tensor<1x3x32x32xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<1x8x32x32xf32> {
  ^bb0(%a0: tensor<1x3x32x32xf32> loc("x"), %a1: tensor<8x3x3x3xf32> loc("w"), %a2: tensor<8xf32> loc("b")):
    %0 = fuse.window %a0 sizes = [3, 3] strides = [1, 1] dilations = [1, 1] pad_low = [1, 1] fill = 0.0 : f32
      : tensor<1x3x32x32xf32> -> tensor<1x3x32x32x3x3xf32>
    %1 = fuse.contract %0, %a1 maps = [#x, #w, #y] : tensor<1x3x32x32x3x3xf32>, tensor<8x3x3x3xf32> -> tensor<1x8x32x32xf32> loc("conv")
    %2 = fuse.broadcast %a2 dims = [1] : tensor<8xf32> -> tensor<1x8x32x32xf32>
    %3 = fuse.add %1, %2 : tensor<1x8x32x32xf32> loc("bias")
    fuse.yield %3 : tensor<1x8x32x32xf32>
  }
  return %r : tensor<1x8x32x32xf32>
}
// CHECK-LABEL: sched.scop @conv
// CHECK-NEXT:     ins(%x: memref<1x3x32x32xf32>, %w: memref<8x3x3x3xf32>, %b: memref<8xf32>)
// CHECK-NEXT:     outs(%bias: memref<1x8x32x32xf32>)
// CHECK-NEXT:     arrays(%conv: memref<1x8x32x32xf32>) {
// CHECK:        sched.stmt @conv_init [i: 1, j: 8, k: 32, l: 32]
// CHECK-NEXT:       writes %conv[i, j, k, l] {
// CHECK-NEXT:     %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     sched.yield %cst : f32
// CHECK:        sched.stmt @conv [i: 1, j: 8, k: 32, l: 32, m: 3, n: 3, o: 3] reduces [m, n, o]
// CHECK-NEXT:       reads %conv[i, j, k, l], %x[i, m, k + n - 1, l + o - 1] else 0.000000e+00 : f32, %w[j, m, n, o]
// CHECK-NEXT:       writes %conv[i, j, k, l] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32, %arg2: f32):
// CHECK-NEXT:     %0 = math.fma %arg1, %arg2, %arg0 : f32
// CHECK-NEXT:     sched.yield %0 : f32
// CHECK:        sched.stmt @bias [i: 1, j: 8, k: 32, l: 32]
// CHECK-NEXT:       reads %conv[i, j, k, l], %b[j]
// CHECK-NEXT:       writes %bias[i, j, k, l] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32):
// CHECK-NEXT:     %0 = arith.addf %arg0, %arg1 : f32
// CHECK-NEXT:     sched.yield %0 : f32
// CHECK-LABEL: func.func @main(%arg0: memref<1x3x32x32xf32>, %arg1: memref<8x3x3x3xf32>, %arg2: memref<8xf32>, %arg3: memref<1x8x32x32xf32>) attributes {fuse.outputs = 1 : i64} {
// CHECK-NEXT:   kernel.launch @conv(%arg0, %arg1, %arg2, %arg3) : memref<1x3x32x32xf32>, memref<8x3x3x3xf32>, memref<8xf32>, memref<1x8x32x32xf32>
// CHECK-NEXT:   return

// -----

// Max-pooling of a pointwise value: the fill belongs to relu(x), so the body
// chooses it; the read of x outside is harmless.
func.func @main(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32> {
  %r = fuse.group @pool (%x) : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32> {
  ^bb0(%a: tensor<1x4x8x8xf32> loc("x")):
    %0 = fuse.abs %a : tensor<1x4x8x8xf32>
    %1 = fuse.window %0 sizes = [3, 3] strides = [2, 2] dilations = [1, 1] pad_low = [1, 1] fill = 0xFF800000 : f32
      : tensor<1x4x8x8xf32> -> tensor<1x4x4x4x3x3xf32>
    %2 = fuse.reduce (%1) inits = [0xFF800000 : f32] dims = [4, 5] : (tensor<1x4x4x4x3x3xf32>) -> tensor<1x4x4x4xf32> {
    ^bb0(%acc: f32, %e: f32):
      %m = arith.maximumf %acc, %e : f32
      fuse.yield %m : f32
    } loc("pool")
    fuse.yield %2 : tensor<1x4x4x4xf32>
  }
  return %r : tensor<1x4x4x4xf32>
}
// CHECK-LABEL: sched.scop @pool
// CHECK-NEXT:     ins(%x: memref<1x4x8x8xf32>)
// CHECK-NEXT:     outs(%pool_out: memref<1x4x4x4xf32>)
// CHECK-NEXT:     arrays(%pool: memref<1x4x4x4xf32>) {
// CHECK:        sched.stmt @pool_init [i: 1, j: 4, k: 4, l: 4]
// CHECK-NEXT:       writes %pool[i, j, k, l] {
// CHECK-NEXT:     %cst = arith.constant 0xFF800000 : f32
// CHECK-NEXT:     sched.yield %cst : f32
// CHECK:        sched.stmt @pool [i: 1, j: 4, k: 4, l: 4, m: 3, n: 3] reduces [m, n]
// CHECK-NEXT:       reads %pool[i, j, k, l], %x[i, j, k * 2 + m - 1, l * 2 + n - 1] else 0.000000e+00 : f32
// CHECK-NEXT:       writes %pool[i, j, k, l] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32):
// CHECK-NEXT:     %0 = sched.index 2 : index
// CHECK-NEXT:     %c2 = arith.constant 2 : index
// CHECK-NEXT:     %1 = arith.muli %0, %c2 : index
// CHECK-NEXT:     %2 = sched.index 4 : index
// CHECK-NEXT:     %3 = arith.addi %1, %2 : index
// CHECK-NEXT:     %c-1 = arith.constant -1 : index
// CHECK-NEXT:     %4 = arith.addi %3, %c-1 : index
// CHECK-NEXT:     %5 = sched.index 3 : index
// CHECK-NEXT:     %6 = arith.muli %5, %c2 : index
// CHECK-NEXT:     %7 = sched.index 5 : index
// CHECK-NEXT:     %8 = arith.addi %6, %7 : index
// CHECK-NEXT:     %9 = arith.addi %8, %c-1 : index
// CHECK-NEXT:     %10 = math.absf %arg1 : f32
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %11 = arith.cmpi sge, %4, %c0 : index
// CHECK-NEXT:     %12 = arith.cmpi sge, %9, %c0 : index
// CHECK-NEXT:     %13 = arith.andi %11, %12 : i1
// CHECK-NEXT:     %cst = arith.constant 0xFF800000 : f32
// CHECK-NEXT:     %14 = arith.select %13, %10, %cst : f32
// CHECK-NEXT:     %15 = arith.maximumf %arg0, %14 : f32
// CHECK-NEXT:     sched.yield %15 : f32
// CHECK:        sched.stmt @pool_out [i: 1, j: 4, k: 4, l: 4]
// CHECK-NEXT:       reads %pool[i, j, k, l]
// CHECK-NEXT:       writes %pool_out[i, j, k, l] {
// CHECK-LABEL: func.func @main(%arg0: memref<1x4x8x8xf32>, %arg1: memref<1x4x4x4xf32>) attributes {fuse.outputs = 1 : i64} {
// CHECK-NEXT:   kernel.launch @pool(%arg0, %arg1) : memref<1x4x8x8xf32>, memref<1x4x4x4xf32>
// CHECK-NEXT:   return

// -----

// Rows that are concatenated, and scaled by a sum of each: their loop is that of the sums,
// and is not cut. Columns would be.
func.func @main(%x: tensor<1x8xf32>, %y: tensor<4x8xf32>) -> tensor<5x8xf32> {
  %r = fuse.group @rows (%x, %y) : (tensor<1x8xf32>, tensor<4x8xf32>) -> tensor<5x8xf32> {
  ^bb0(%a: tensor<1x8xf32> loc("a"), %b: tensor<4x8xf32> loc("b")):
    %0 = fuse.concat %a, %b axis = 0 : tensor<1x8xf32>, tensor<4x8xf32> -> tensor<5x8xf32>
    %s = fuse.reduce (%0) inits = [0.0 : f32] dims = [1] : (tensor<5x8xf32>) -> tensor<5xf32> {
    ^bb0(%acc: f32, %e: f32):
      %t = arith.addf %acc, %e : f32
      fuse.yield %t : f32
    } loc("s")
    %1 = fuse.broadcast %s dims = [0] : tensor<5xf32> -> tensor<5x8xf32>
    %2 = fuse.div %0, %1 : tensor<5x8xf32> loc("scaled")
    fuse.yield %2 : tensor<5x8xf32>
  }
  return %r : tensor<5x8xf32>
}
// CHECK-LABEL: sched.scop @rows
// CHECK-NOT:    _part
// CHECK:        sched.stmt @scaled [i: 5, j: 8]
// CHECK-NEXT:     reads %a[i, j] else 0.000000e+00 : f32, %b[i - 1, j] else 0.000000e+00 : f32, %s[i]
// CHECK-NEXT:     writes %scaled[i, j] {
// CHECK-NOT:    _part

// -----

// Concatenation: one statement per operand, no choice in the body. Inside a
// reduction the body chooses.
func.func @main(%x: tensor<4x3xf32>, %y: tensor<4x5xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %r:2 = fuse.group @concat (%x, %y) : (tensor<4x3xf32>, tensor<4x5xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4x3xf32> loc("a"), %b: tensor<4x5xf32> loc("b")):
    %0 = fuse.sqrt %b : tensor<4x5xf32>
    %1 = fuse.concat %a, %0 axis = 1 : tensor<4x3xf32>, tensor<4x5xf32> -> tensor<4x8xf32> loc("c")
    %2 = fuse.abs %1 : tensor<4x8xf32> loc("abs")
    %3 = fuse.concat %a, %b axis = 1 : tensor<4x3xf32>, tensor<4x5xf32> -> tensor<4x8xf32>
    %s = fuse.reduce (%3) inits = [0.0 : f32] dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32> {
    ^bb0(%acc: f32, %e: f32):
      %t = arith.addf %acc, %e : f32
      fuse.yield %t : f32
    } loc("s")
    fuse.yield %2, %s : tensor<4x8xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<4xf32>
}
// CHECK-LABEL: sched.scop @concat
// CHECK-NEXT:     ins(%a: memref<4x3xf32>, %b: memref<4x5xf32>)
// CHECK-NEXT:     outs(%abs: memref<4x8xf32>, %s_out: memref<4xf32>)
// CHECK-NEXT:     arrays(%s: memref<4xf32>) {
// CHECK:        sched.stmt @abs_part [i: 4, j: 3]
// CHECK-NEXT:       reads %a[i, j]
// CHECK-NEXT:       writes %abs[i, j] {
// CHECK-NEXT:   ^bb0(%arg0: f32):
// CHECK-NEXT:     %0 = math.absf %arg0 : f32
// CHECK-NEXT:     sched.yield %0 : f32
// CHECK:        sched.stmt @abs_part_2 [i: 4, j: 5]
// CHECK-NEXT:       reads %b[i, j]
// CHECK-NEXT:       writes %abs[i, j + 3] {
// CHECK-NEXT:   ^bb0(%arg0: f32):
// CHECK-NEXT:     %0 = math.sqrt %arg0 : f32
// CHECK-NEXT:     %1 = math.absf %0 : f32
// CHECK-NEXT:     sched.yield %1 : f32
// CHECK:        sched.stmt @s_init [i: 4]
// CHECK-NEXT:       writes %s[i] {
// CHECK-NEXT:     %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     sched.yield %cst : f32
// CHECK:        sched.stmt @s [i: 4, j: 8] reduces [j]
// CHECK-NEXT:       reads %s[i], %a[i, j] else 0.000000e+00 : f32, %b[i, j - 3] else 0.000000e+00 : f32
// CHECK-NEXT:       writes %s[i] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32, %arg2: f32):
// CHECK-NEXT:     %0 = sched.index 1 : index
// CHECK-NEXT:     %c3 = arith.constant 3 : index
// CHECK-NEXT:     %1 = arith.cmpi slt, %0, %c3 : index
// CHECK-NEXT:     %2 = arith.select %1, %arg1, %arg2 : f32
// CHECK-NEXT:     %3 = arith.addf %arg0, %2 : f32
// CHECK-NEXT:     sched.yield %3 : f32
// CHECK-LABEL: func.func @main(%arg0: memref<4x3xf32>, %arg1: memref<4x5xf32>, %arg2: memref<4x8xf32>, %arg3: memref<4xf32>) attributes {fuse.outputs = 2 : i64} {
// CHECK-NEXT:   kernel.launch @concat(%arg0, %arg1, %arg2, %arg3) : memref<4x3xf32>, memref<4x5xf32>, memref<4x8xf32>, memref<4xf32>
// CHECK-NEXT:   return

// -----

// Networks that recommend put dozens of tables side by side: no element looks
// for its operand.
func.func @main(%x0: tensor<4x2xf32>, %x1: tensor<4x2xf32>, %x2: tensor<4x2xf32>, %x3: tensor<4x2xf32>, %x4: tensor<4x2xf32>, %x5: tensor<4x2xf32>, %x6: tensor<4x2xf32>, %x7: tensor<4x2xf32>, %x8: tensor<4x2xf32>, %x9: tensor<4x2xf32>, %x10: tensor<4x2xf32>, %x11: tensor<4x2xf32>, %x12: tensor<4x2xf32>, %x13: tensor<4x2xf32>, %x14: tensor<4x2xf32>, %x15: tensor<4x2xf32>, %x16: tensor<4x2xf32>, %x17: tensor<4x2xf32>, %x18: tensor<4x2xf32>, %x19: tensor<4x2xf32>, %x20: tensor<4x2xf32>, %x21: tensor<4x2xf32>, %x22: tensor<4x2xf32>, %x23: tensor<4x2xf32>, %x24: tensor<4x2xf32>, %x25: tensor<4x2xf32>, %x26: tensor<4x2xf32>) -> tensor<4x54xf32> {
  %r = fuse.group @tables (%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8, %x9, %x10, %x11, %x12, %x13, %x14, %x15, %x16, %x17, %x18, %x19, %x20, %x21, %x22, %x23, %x24, %x25, %x26) : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x54xf32> {
  ^bb0(%a0: tensor<4x2xf32>, %a1: tensor<4x2xf32>, %a2: tensor<4x2xf32>, %a3: tensor<4x2xf32>, %a4: tensor<4x2xf32>, %a5: tensor<4x2xf32>, %a6: tensor<4x2xf32>, %a7: tensor<4x2xf32>, %a8: tensor<4x2xf32>, %a9: tensor<4x2xf32>, %a10: tensor<4x2xf32>, %a11: tensor<4x2xf32>, %a12: tensor<4x2xf32>, %a13: tensor<4x2xf32>, %a14: tensor<4x2xf32>, %a15: tensor<4x2xf32>, %a16: tensor<4x2xf32>, %a17: tensor<4x2xf32>, %a18: tensor<4x2xf32>, %a19: tensor<4x2xf32>, %a20: tensor<4x2xf32>, %a21: tensor<4x2xf32>, %a22: tensor<4x2xf32>, %a23: tensor<4x2xf32>, %a24: tensor<4x2xf32>, %a25: tensor<4x2xf32>, %a26: tensor<4x2xf32>):
    %0 = fuse.concat %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11, %a12, %a13, %a14, %a15, %a16, %a17, %a18, %a19, %a20, %a21, %a22, %a23, %a24, %a25, %a26 axis = 1 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x54xf32>
    fuse.yield %0 : tensor<4x54xf32>
  }
  return %r : tensor<4x54xf32>
}
// CHECK-LABEL: sched.scop @tables
// CHECK-COUNT-27: sched.stmt @{{.*}}_part
// CHECK-NOT: arith.select

// -----

// Windows overlap the mean: it waits for them, and not the sum.
func.func @main(%x: tensor<40x512xf32> {fuse.name = "x"}) -> (tensor<36x512xf32> {fuse.name = "b"}) {
  %0 = fuse.group @windows(%x) : (tensor<40x512xf32>) -> tensor<36x512xf32> {
  ^bb0(%x1: tensor<40x512xf32>):
    %third = fuse.constant dense<0.333333343> : tensor<f32>
    %xs = fuse.transpose %x1 perm = [1, 0] : tensor<40x512xf32> -> tensor<512x40xf32>
    %wa = fuse.window %xs sizes = [3] strides = [1] dilations = [1] pad_low = [0] fill = 0.0 : f32 : tensor<512x40xf32> -> tensor<512x38x3xf32>
    %at = fuse.transpose %wa perm = [1, 0, 2] : tensor<512x38x3xf32> -> tensor<38x512x3xf32>
    %a = fuse.reduce(%at) inits = [0.0 : f32] dims = [2] : (tensor<38x512x3xf32>) -> tensor<38x512xf32> {
    ^bb0(%acc: f32, %e: f32):
      %m = arith.addf %acc, %e : f32
      fuse.yield %m : f32
    } loc("a")
    %thirds = fuse.broadcast %third dims = [] : tensor<f32> -> tensor<38x512xf32>
    %mean = fuse.mul %a, %thirds : tensor<38x512xf32> loc("mean")
    %as = fuse.transpose %mean perm = [1, 0] : tensor<38x512xf32> -> tensor<512x38xf32>
    %wb = fuse.window %as sizes = [3] strides = [1] dilations = [1] pad_low = [0] fill = 0.0 : f32 : tensor<512x38xf32> -> tensor<512x36x3xf32>
    %bt = fuse.transpose %wb perm = [1, 0, 2] : tensor<512x36x3xf32> -> tensor<36x512x3xf32>
    %b = fuse.reduce(%bt) inits = [0.0 : f32] dims = [2] : (tensor<36x512x3xf32>) -> tensor<36x512xf32> {
    ^bb0(%acc: f32, %e: f32):
      %m = arith.addf %acc, %e : f32
      fuse.yield %m : f32
    } loc("b")
    fuse.yield %b : tensor<36x512xf32>
  }
  return %0 : tensor<36x512xf32>
}
// CHECK-LABEL: sched.scop @windows
// CHECK:          arrays(%a: memref<38x512xf32>, %mean: memref<38x512xf32>, %b: memref<36x512xf32>) {
// CHECK:        sched.stmt @mean [i: 38, j: 512]
// CHECK-NEXT:       reads %a[i, j]
// CHECK-NEXT:       writes %mean[i, j] {
// CHECK:        sched.stmt @b [i: 36, j: 512, k: 3] reduces [k]
// CHECK-NEXT:       reads %b[i, j], %mean[i + k, j]

// -----

// What a GPU computes from indices is no statement of its own, which would leave threads
// its own loops: two statements compute it.
module attributes {fuse.target = "cuda-sm80"} {
  func.func @main(%x: tensor<8x33x33xf32> {fuse.name = "x"}) -> (tensor<8x33x33xf32> {fuse.name = "y"}) {
    %0 = fuse.group @causal(%x) : (tensor<8x33x33xf32>) -> tensor<8x33x33xf32> {
    ^bb0(%x1: tensor<8x33x33xf32>):
      %row = fuse.iota axis = 0 : tensor<33x33xi32>
      %column = fuse.iota axis = 1 : tensor<33x33xi32>
      %before = fuse.cmp le %column, %row : tensor<33x33xi32>, tensor<33x33xi32> -> tensor<33x33xi1> loc("before")
      %all = fuse.broadcast %before dims = [1, 2] : tensor<33x33xi1> -> tensor<8x33x33xi1>
      %least = fuse.constant dense<0xFF800000> : tensor<f32>
      %none = fuse.broadcast %least dims = [] : tensor<f32> -> tensor<8x33x33xf32>
      %allowed = fuse.select %all, %x1, %none : tensor<8x33x33xi1>, tensor<8x33x33xf32>, tensor<8x33x33xf32> -> tensor<8x33x33xf32>
      %most = fuse.reduce(%allowed) inits = [0xFF800000 : f32] dims = [2] : (tensor<8x33x33xf32>) -> tensor<8x33xf32> {
      ^bb0(%acc: f32, %e: f32):
        %m = arith.maximumf %acc, %e : f32
        fuse.yield %m : f32
      } loc("most")
      %mosts = fuse.broadcast %most dims = [0, 1] : tensor<8x33xf32> -> tensor<8x33x33xf32>
      %y = fuse.sub %allowed, %mosts : tensor<8x33x33xf32> loc("y")
      fuse.yield %y : tensor<8x33x33xf32>
    }
    return %0 : tensor<8x33x33xf32>
  }
}
// CHECK-LABEL: sched.scop @causal
// CHECK:          arrays(%most: memref<8x33xf32>) {
// CHECK:        sched.stmt @most [i: 8, j: 33, k: 33] reduces [k]
// CHECK:          arith.cmpi sle
// CHECK:        sched.stmt @y [i: 8, j: 33, k: 33]
// CHECK:          arith.cmpi sle
