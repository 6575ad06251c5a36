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

// Data-dependent rows; the index is computed where it is needed.
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
// CHECK-NEXT:     outs(%y: memref<16x4xf32>) {
// CHECK:        sched.stmt @y [i: 16, j: 4]
// CHECK-NEXT:       reads %rows[j]
// CHECK-NEXT:       writes %y[i, j] {
// CHECK-NEXT:   ^bb0(%arg0: i64):
// CHECK-NEXT:     %0 = math.absi %arg0 : i64
// CHECK-NEXT:     %1 = sched.gather %table at #{{.*}}[%0] : memref<100x16xf32>, i64 -> f32
// CHECK-NEXT:     %2 = math.exp %1 : f32
// CHECK-NEXT:     sched.yield %2 : f32
// CHECK-LABEL: func.func @main(%arg0: memref<100x16xf32>, %arg1: memref<4xi64>, %arg2: memref<16x4xf32>) attributes {fuse.outputs = 1 : i64} {
// CHECK-NEXT:   kernel.launch @gather(%arg0, %arg1, %arg2) : memref<100x16xf32>, memref<4xi64>, memref<16x4xf32>
// CHECK-NEXT:   return

// -----

// An index of a cost that a row should not pay per element is stored; two
// gathers by one tensor share its value.
func.func @main(%t: tensor<100x16xf32>, %u: tensor<100x100xf32>, %n: tensor<4xi64>) -> tensor<4x16xf32> {
  %r = fuse.group @gather (%t, %u, %n) : (tensor<100x16xf32>, tensor<100x100xf32>, tensor<4xi64>) -> tensor<4x16xf32> {
  ^bb0(%a: tensor<100x16xf32> loc("table"), %d: tensor<100x100xf32> loc("square"), %b: tensor<4xi64> loc("rows")):
    %h = fuse.pow %b, %b : tensor<4xi64>
    %i = fuse.pow %h, %b : tensor<4xi64> loc("index")
    %0 = fuse.gather %a, %i axis = 0 : tensor<100x16xf32>, tensor<4xi64> -> tensor<4x16xf32>
    %1 = fuse.gather %d, %i, %i maps = [affine_map<(d0, d1)[s0, s1] -> (s0, s1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>] : tensor<100x100xf32>, tensor<4xi64>, tensor<4xi64> -> tensor<4x16xf32>
    %2 = fuse.add %0, %1 : tensor<4x16xf32> loc("y")
    fuse.yield %2 : tensor<4x16xf32>
  }
  return %r : tensor<4x16xf32>
}
// CHECK-LABEL: sched.scop @gather
// CHECK:           arrays(%index: memref<4xi64>) {
// CHECK:        sched.stmt @index [i: 4]
// CHECK:        sched.stmt @y [i: 4, j: 16]
// CHECK-NEXT:       reads %index[i]
// CHECK-NEXT:       writes %y[i, j] {
// CHECK-NEXT:   ^bb0(%arg0: i64):
// CHECK-NEXT:     %0 = sched.gather %table at #{{.*}}[%arg0] : memref<100x16xf32>, i64 -> f32
// CHECK-NEXT:     %1 = sched.gather %square at #{{.*}}[%arg0] : memref<100x100xf32>, i64 -> f32
// CHECK-NEXT:     %2 = arith.addf %0, %1 : f32
// CHECK-NEXT:     sched.yield %2 : f32

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

// Which operands of a reduction are weights: the matrix is, the bias is no operand
// of the reduction, and the vector is an argument.
#mk = affine_map<(m, k) -> (m, k)>
#k = affine_map<(m, k) -> (k)>
#m = affine_map<(m, k) -> (m)>
fuse.weight @w = dense_resource<w> : tensor<2x2xf32>
fuse.weight @b = dense_resource<b> : tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = fuse.get_weight @w : tensor<2x2xf32>
  %b = fuse.get_weight @b : tensor<2xf32>
  %0 = fuse.group @product (%x, %w, %b) : (tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a0: tensor<2xf32>, %a1: tensor<2x2xf32>, %a2: tensor<2xf32>):
    %y = fuse.contract %a1, %a0 maps = [#mk, #k, #m] : tensor<2x2xf32>, tensor<2xf32> -> tensor<2xf32>
    %z = fuse.add %y, %a2 : tensor<2xf32>
    fuse.yield %z : tensor<2xf32>
  } loc("product")
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: sched.scop @product
// CHECK-NEXT:     ins(%x: memref<2xf32>, %w: memref<2x2xf32>, %b: memref<2xf32>)
// CHECK-NEXT:     outs(%add: memref<2xf32>)
// CHECK-NEXT:     arrays(%sum: memref<2xf32>) attributes {weights = array<i64: 1>} {

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F000000400000404000008040",
      b: "0x040000000000803F00000040"
    }
  }
#-}

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
