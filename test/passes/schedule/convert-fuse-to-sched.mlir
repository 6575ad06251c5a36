// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --convert-fuse-to-sched --split-input-file | FileCheck %s
// RUN: fusec-opt %s --convert-fuse-to-sched=remarks --split-input-file --verify-diagnostics -o /dev/null

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// A contraction with an epilogue, between a function's arguments.
func.func @main(%x: tensor<128x512xf32> {fuse.name = "x"}, %w: tensor<512x1024xf32>, %b: tensor<1024xf32>)
    -> (tensor<128x1024xf32> {fuse.name = "y"}) {
  %y = fuse.group @mlp_0 (%x, %w, %b) : (tensor<128x512xf32>, tensor<512x1024xf32>, tensor<1024xf32>) -> tensor<128x1024xf32> {
  ^bb0(%a0: tensor<128x512xf32>, %a1: tensor<512x1024xf32> loc("w"), %a2: tensor<1024xf32> loc("fc.0.bias")):
    %zero = fuse.constant dense<0.0> : tensor<f32>
    %0 = fuse.contract %a0, %a1 maps = [#mk, #kn, #mn] : tensor<128x512xf32>, tensor<512x1024xf32> -> tensor<128x1024xf32> loc("/mlp/Gemm_output_0")
    %1 = fuse.broadcast %a2 dims = [1] : tensor<1024xf32> -> tensor<128x1024xf32>
    %2 = fuse.add %0, %1 : tensor<128x1024xf32> loc("/mlp/Gemm_output_0")
    %3 = fuse.broadcast %zero dims = [] : tensor<f32> -> tensor<128x1024xf32>
    %4 = fuse.maximum %2, %3 : tensor<128x1024xf32> loc("/mlp/Relu_output_0")
    fuse.yield %4 : tensor<128x1024xf32>
  }
  return %y : tensor<128x1024xf32>
}
// CHECK-LABEL: sched.scop @mlp_0
// CHECK-NEXT:     ins(%x: memref<128x512xf32>, %w: memref<512x1024xf32>, %fc_0_bias: memref<1024xf32>)
// CHECK-NEXT:     outs(%Relu: memref<128x1024xf32>)
// CHECK-NEXT:     arrays(%Gemm: memref<128x1024xf32>) {
// CHECK:        sched.stmt @Gemm_init [i: 128, j: 1024]
// CHECK-NEXT:       writes %Gemm[i, j] {
// CHECK-NEXT:     %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     sched.yield %cst : f32
// CHECK:        sched.stmt @Gemm [i: 128, j: 1024, k: 512] reduces [k]
// CHECK-NEXT:       reads %Gemm[i, j], %x[i, k], %w[k, j]
// CHECK-NEXT:       writes %Gemm[i, j] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32, %arg2: f32):
// CHECK-NEXT:     %0 = math.fma %arg1, %arg2, %arg0 : f32
// CHECK-NEXT:     sched.yield %0 : f32
// CHECK:        sched.stmt @Relu [i: 128, j: 1024]
// CHECK-NEXT:       reads %Gemm[i, j], %fc_0_bias[j]
// CHECK-NEXT:       writes %Relu[i, j] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32):
// CHECK-NEXT:     %0 = arith.addf %arg0, %arg1 : f32
// CHECK-NEXT:     %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %1 = arith.maximumf %0, %cst : f32
// CHECK-NEXT:     sched.yield %1 : f32
// CHECK-LABEL: func.func @main(%arg0: memref<128x512xf32> {fuse.name = "x"}, %arg1: memref<512x1024xf32>, %arg2: memref<1024xf32>, %arg3: memref<128x1024xf32> {fuse.name = "y"}) attributes {fuse.outputs = 1 : i64} {
// CHECK-NEXT:   kernel.launch @mlp_0(%arg0, %arg1, %arg2, %arg3) : memref<128x512xf32>, memref<512x1024xf32>, memref<1024xf32>, memref<128x1024xf32>
// CHECK-NEXT:   return

// -----

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
// CHECK-NEXT:     outs(%pool: memref<1x4x4x4xf32>) {
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
// CHECK-LABEL: func.func @main(%arg0: memref<1x4x8x8xf32>, %arg1: memref<1x4x4x4xf32>) attributes {fuse.outputs = 1 : i64} {
// CHECK-NEXT:   kernel.launch @pool(%arg0, %arg1) : memref<1x4x8x8xf32>, memref<1x4x4x4xf32>
// CHECK-NEXT:   return

// -----

// Side by side: one statement per operand, no choice in the body. Inside a
// reduction the body chooses.
func.func @main(%x: tensor<4x3xf32>, %y: tensor<4x5xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %r:2 = fuse.group @concat (%x, %y) : (tensor<4x3xf32>, tensor<4x5xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4x3xf32> loc("a"), %b: tensor<4x5xf32> loc("b")):
    %0 = fuse.exp %b : tensor<4x5xf32>
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
// CHECK-NEXT:     outs(%abs: memref<4x8xf32>, %s: memref<4xf32>) {
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
// CHECK-NEXT:     %0 = math.exp %arg0 : f32
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

// Data-dependent rows; the index is computed, so it is stored first.
func.func @main(%t: tensor<100x16xf32>, %n: tensor<4xi64>) -> tensor<16x4xf32> {
  %r = fuse.group @gather (%t, %n) : (tensor<100x16xf32>, tensor<4xi64>) -> tensor<16x4xf32> {
  ^bb0(%a: tensor<100x16xf32> loc("table"), %b: tensor<4xi64> loc("rows")):
    %i = fuse.abs %b : tensor<4xi64> loc("index")
    %0 = fuse.gather %a, %i axis = 0 : tensor<100x16xf32>, tensor<4xi64> -> tensor<4x16xf32>
    %1 = fuse.exp %0 : tensor<4x16xf32> loc("exp")
    %2 = fuse.transpose %1 perm = [1, 0] : tensor<4x16xf32> -> tensor<16x4xf32> loc("y")
    fuse.yield %2 : tensor<16x4xf32>
  }
  return %r : tensor<16x4xf32>
}
// CHECK-LABEL: sched.scop @gather
// CHECK-NEXT:     ins(%table: memref<100x16xf32>, %rows: memref<4xi64>)
// CHECK-NEXT:     outs(%y: memref<16x4xf32>)
// CHECK-NEXT:     arrays(%index: memref<4xi64>) {
// CHECK:        sched.stmt @index [i: 4]
// CHECK-NEXT:       reads %rows[i]
// CHECK-NEXT:       writes %index[i] {
// CHECK-NEXT:   ^bb0(%arg0: i64):
// CHECK-NEXT:     %0 = math.absi %arg0 : i64
// CHECK-NEXT:     sched.yield %0 : i64
// CHECK:        sched.stmt @y [i: 16, j: 4]
// CHECK-NEXT:       reads %index[j], %table[r0, i]
// CHECK-NEXT:       writes %y[i, j] {
// CHECK-NEXT:   ^bb0(%arg0: i64, %arg1: f32):
// CHECK-NEXT:     %0 = math.exp %arg1 : f32
// CHECK-NEXT:     sched.yield %0 : f32
// CHECK-LABEL: func.func @main(%arg0: memref<100x16xf32>, %arg1: memref<4xi64>, %arg2: memref<16x4xf32>) attributes {fuse.outputs = 1 : i64} {
// CHECK-NEXT:   kernel.launch @gather(%arg0, %arg1, %arg2) : memref<100x16xf32>, memref<4xi64>, memref<16x4xf32>
// CHECK-NEXT:   return

// -----

// Narrow integers wrap after each operation; two pads with one fill are one.
func.func @main(%x: tensor<4xui8>, %y: tensor<4xi8>) -> (tensor<8xui8>, tensor<4xi8>) {
  %r:2 = fuse.group @narrow (%x, %y) : (tensor<4xui8>, tensor<4xi8>) -> (tensor<8xui8>, tensor<4xi8>) {
  ^bb0(%a: tensor<4xui8> loc("a"), %b: tensor<4xi8> loc("b")):
    %0 = fuse.pad %a low = [1] high = [1] fill = 255 : ui8 : tensor<4xui8> -> tensor<6xui8>
    %1 = fuse.pad %0 low = [1] high = [1] fill = 255 : ui8 : tensor<6xui8> -> tensor<8xui8>
    %2 = fuse.add %1, %1 : tensor<8xui8> loc("twice")
    %3 = fuse.mul %b, %b : tensor<4xi8>
    %4 = fuse.maximum %3, %b : tensor<4xi8> loc("max")
    fuse.yield %2, %4 : tensor<8xui8>, tensor<4xi8>
  }
  return %r#0, %r#1 : tensor<8xui8>, tensor<4xi8>
}
// CHECK-LABEL: sched.scop @narrow
// CHECK-NEXT:     ins(%a: memref<4xui8>, %b: memref<4xi8>)
// CHECK-NEXT:     outs(%twice: memref<8xui8>, %max: memref<4xi8>) {
// CHECK:        sched.stmt @twice [i: 8]
// CHECK-NEXT:       reads %a[i - 2] else 255 : i32
// CHECK-NEXT:       writes %twice[i] {
// CHECK-NEXT:   ^bb0(%arg0: i32):
// CHECK-NEXT:     %0 = arith.addi %arg0, %arg0 : i32
// CHECK-NEXT:     %c255_i32 = arith.constant 255 : i32
// CHECK-NEXT:     %1 = arith.andi %0, %c255_i32 : i32
// CHECK-NEXT:     sched.yield %1 : i32
// CHECK:        sched.stmt @max [i: 4]
// CHECK-NEXT:       reads %b[i]
// CHECK-NEXT:       writes %max[i] {
// CHECK-NEXT:   ^bb0(%arg0: i32):
// CHECK-NEXT:     %0 = arith.muli %arg0, %arg0 : i32
// CHECK-NEXT:     %c24_i32 = arith.constant 24 : i32
// CHECK-NEXT:     %1 = arith.shli %0, %c24_i32 : i32
// CHECK-NEXT:     %2 = arith.shrsi %1, %c24_i32 : i32
// CHECK-NEXT:     %3 = arith.maxsi %2, %arg0 : i32
// CHECK-NEXT:     sched.yield %3 : i32
// CHECK-LABEL: func.func @main(%arg0: memref<4xui8>, %arg1: memref<4xi8>, %arg2: memref<8xui8>, %arg3: memref<4xi8>) attributes {fuse.outputs = 2 : i64} {
// CHECK-NEXT:   kernel.launch @narrow(%arg0, %arg1, %arg2, %arg3) : memref<4xui8>, memref<4xi8>, memref<8xui8>, memref<4xi8>
// CHECK-NEXT:   return

// -----

// A sliced operand: the pad's bounds are not those of the array, so the body
// decides. A reduction of f16 accumulates in f32 and is copied to the result.
func.func @main(%x: tensor<10xf16>, %z: tensor<4x6xf16>) -> (tensor<6xf16>, tensor<4xf16>) {
  %r:2 = fuse.group @slices (%x, %z) : (tensor<10xf16>, tensor<4x6xf16>) -> (tensor<6xf16>, tensor<4xf16>) {
  ^bb0(%a: tensor<10xf16> loc("a"), %b: tensor<4x6xf16> loc("b")):
    %0 = fuse.slice %a offsets = [9] strides = [-2] : tensor<10xf16> -> tensor<4xf16>
    %1 = fuse.pad %0 low = [1] high = [1] fill = 1.0 : f16 : tensor<4xf16> -> tensor<6xf16> loc("padded")
    %2 = fuse.reduce (%b) inits = [0.0 : f32] dims = [1] : (tensor<4x6xf16>) -> tensor<4xf16> {
    ^bb0(%acc: f32, %e: f32):
      %t = arith.addf %acc, %e : f32
      fuse.yield %t : f32
    } loc("total")
    fuse.yield %1, %2 : tensor<6xf16>, tensor<4xf16>
  }
  return %r#0, %r#1 : tensor<6xf16>, tensor<4xf16>
}
// CHECK-LABEL: sched.scop @slices
// CHECK-NEXT:     ins(%a: memref<10xf16>, %b: memref<4x6xf16>)
// CHECK-NEXT:     outs(%padded: memref<6xf16>, %total_out: memref<4xf16>)
// CHECK-NEXT:     arrays(%total: memref<4xf32>) {
// CHECK:        sched.stmt @padded [i: 6]
// CHECK-NEXT:       reads %a[i * -2 + 11] else 0.000000e+00 : f32
// CHECK-NEXT:       writes %padded[i] {
// CHECK-NEXT:   ^bb0(%arg0: f32):
// CHECK-NEXT:     %0 = sched.index 0 : index
// CHECK-NEXT:     %c-1 = arith.constant -1 : index
// CHECK-NEXT:     %1 = arith.addi %0, %c-1 : index
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %2 = arith.cmpi sge, %1, %c0 : index
// CHECK-NEXT:     %c4 = arith.constant 4 : index
// CHECK-NEXT:     %3 = arith.cmpi slt, %1, %c4 : index
// CHECK-NEXT:     %4 = arith.andi %2, %3 : i1
// CHECK-NEXT:     %cst = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %5 = arith.select %4, %arg0, %cst : f32
// CHECK-NEXT:     sched.yield %5 : f32
// CHECK:        sched.stmt @total_init [i: 4]
// CHECK-NEXT:       writes %total[i] {
// CHECK-NEXT:     %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     sched.yield %cst : f32
// CHECK:        sched.stmt @total [i: 4, j: 6] reduces [j]
// CHECK-NEXT:       reads %total[i], %b[i, j]
// CHECK-NEXT:       writes %total[i] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32):
// CHECK-NEXT:     %0 = arith.addf %arg0, %arg1 : f32
// CHECK-NEXT:     sched.yield %0 : f32
// CHECK:        sched.stmt @total_out [i: 4]
// CHECK-NEXT:       reads %total[i]
// CHECK-NEXT:       writes %total_out[i] {
// CHECK-NEXT:   ^bb0(%arg0: f32):
// CHECK-NEXT:     sched.yield %arg0 : f32
// CHECK-LABEL: func.func @main(%arg0: memref<10xf16>, %arg1: memref<4x6xf16>, %arg2: memref<6xf16>, %arg3: memref<4xf16>) attributes {fuse.outputs = 2 : i64} {
// CHECK-NEXT:   kernel.launch @slices(%arg0, %arg1, %arg2, %arg3) : memref<10xf16>, memref<4x6xf16>, memref<6xf16>, memref<4xf16>
// CHECK-NEXT:   return

// -----

// The host program: weights, small constants, reshapes, buffers, results.
fuse.weight @w = dense_resource<w> : tensor<4xf32>
func.func @main(%x: tensor<2x2xf32> {fuse.name = "x"})
    -> (tensor<4xf32> {fuse.name = "y"}, tensor<2x2xf32>, tensor<2x2xf32>, tensor<4xf32>) {
  %w = fuse.get_weight @w : tensor<4xf32>
  %c = fuse.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> loc("steps")
  %0 = fuse.reshape %x : tensor<2x2xf32> -> tensor<4xf32>
  %1 = fuse.group @sum (%0, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %s = fuse.add %a, %b : tensor<4xf32>
    fuse.yield %s : tensor<4xf32>
  } loc("sum")
  %2 = fuse.group @product (%1, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %s = fuse.mul %a, %b : tensor<4xf32>
    fuse.yield %s : tensor<4xf32>
  } loc("product")
  %3 = fuse.reshape %2 : tensor<4xf32> -> tensor<2x2xf32>
  // expected-remark@+3 {{result 1 is copied: it is returned twice}}
  // expected-remark@+2 {{result 2 is copied: it is an argument}}
  // expected-remark@+1 {{result 3 is copied: it is a constant}}
  return %2, %3, %x, %w : tensor<4xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<4xf32>
}
// CHECK: fuse.weight @w = dense_resource<w> : tensor<4xf32>
// CHECK: fuse.weight @steps = dense_resource<steps> : tensor<4xf32>
// CHECK-LABEL: sched.scop @sum
// CHECK-NEXT:     ins(%x: memref<4xf32>, %w: memref<4xf32>)
// CHECK-NEXT:     outs(%add: memref<4xf32>) {
// CHECK:        sched.stmt @add [i: 4]
// CHECK-NEXT:       reads %x[i], %w[i]
// CHECK-NEXT:       writes %add[i] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32):
// CHECK-NEXT:     %0 = arith.addf %arg0, %arg1 : f32
// CHECK-NEXT:     sched.yield %0 : f32
// CHECK-LABEL: sched.scop @product
// CHECK-NEXT:     ins(%sum: memref<4xf32>, %steps: memref<4xf32>)
// CHECK-NEXT:     outs(%mul: memref<4xf32>) {
// CHECK:        sched.stmt @mul [i: 4]
// CHECK-NEXT:       reads %sum[i], %steps[i]
// CHECK-NEXT:       writes %mul[i] {
// CHECK-NEXT:   ^bb0(%arg0: f32, %arg1: f32):
// CHECK-NEXT:     %0 = arith.mulf %arg0, %arg1 : f32
// CHECK-NEXT:     sched.yield %0 : f32
// CHECK-LABEL: func.func @main(%arg0: memref<2x2xf32> {fuse.name = "x"}, %arg1: memref<4xf32> {fuse.name = "y"}, %arg2: memref<2x2xf32>, %arg3: memref<2x2xf32>, %arg4: memref<4xf32>) attributes {fuse.outputs = 4 : i64} {
// CHECK-NEXT:   %0 = kernel.weight @w : memref<4xf32>
// CHECK-NEXT:   %1 = kernel.weight @steps : memref<4xf32>
// CHECK-NEXT:   %2 = kernel.view %arg0 : memref<2x2xf32> -> memref<4xf32>
// CHECK-NEXT:   %sum = kernel.buffer : memref<4xf32>
// CHECK-NEXT:   kernel.launch @sum(%2, %0, %sum) : memref<4xf32>, memref<4xf32>, memref<4xf32>
// CHECK-NEXT:   kernel.launch @product(%sum, %1, %arg1) : memref<4xf32>, memref<4xf32>, memref<4xf32>
// CHECK-NEXT:   %3 = kernel.view %arg1 : memref<4xf32> -> memref<2x2xf32>
// CHECK-NEXT:   kernel.copy %3, %arg2 : memref<2x2xf32>
// CHECK-NEXT:   kernel.copy %arg0, %arg3 : memref<2x2xf32>
// CHECK-NEXT:   kernel.copy %0, %arg4 : memref<4xf32>
// CHECK-NEXT:   return
{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F000000400000404000008040"
    }
  }
#-}
