// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-aggregate --split-input-file | FileCheck %s
// RUN: fusec-opt %s --fuse-aggregate=remarks --split-input-file \
// RUN:   --verify-diagnostics -o /dev/null

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// A contraction takes its bias and activation; constants go inside, and the name
// comes from the nodes.
// CHECK-LABEL: func.func @epilogue
// CHECK: %[[G:.*]] = fuse.group @dense_1_bias_relu(%{{.*}}, %{{.*}}, %{{.*}})
// CHECK: fuse.contract
// CHECK: fuse.add
// CHECK: fuse.constant dense<0.000000e+00> : tensor<f32>
// CHECK: fuse.maximum
// CHECK: fuse.yield
// CHECK: return %[[G]]
func.func @epilogue(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %c = fuse.constant dense<0.0> : tensor<4x16xf32>
  %0 = fuse.contract %x, %w maps = [#lhs, #rhs, #out] : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32> loc("dense.1")
  %1 = fuse.broadcast %b dims = [1] : tensor<16xf32> -> tensor<4x16xf32>
  %2 = fuse.add %0, %1 : tensor<4x16xf32> loc("dense.1/bias")
  %3 = fuse.maximum %2, %c : tensor<4x16xf32> loc("dense.1/relu")
  return %3 : tensor<4x16xf32>
}

// A constant that several nodes share lies where the first of them is; no group is
// called after it.
// CHECK-LABEL: func.func @shared_constant
// CHECK: fuse.group @dense_scale(
// CHECK: fuse.contract
// CHECK: fuse.mul
func.func @shared_constant(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %c = fuse.constant dense<2.0> : tensor<f32> loc("elsewhere")
  %0 = fuse.contract %x, %w maps = [#lhs, #rhs, #out] : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32> loc("dense")
  %1 = fuse.broadcast %c dims = [] : tensor<f32> -> tensor<4x16xf32> loc("elsewhere")
  %2 = fuse.mul %0, %1 : tensor<4x16xf32> loc("scale")
  return %2 : tensor<4x16xf32>
}

// -----

// Reductions of one band with broadcasts back over it are one group.
// CHECK-LABEL: func.func @softmax
// CHECK: fuse.group @softmax(%{{.*}}) : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-COUNT-2: fuse.reduce
// CHECK: fuse.div
// CHECK-NOT: fuse.group
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = fuse.reduce (%x) inits = [0xFF800000 : f32] dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.maximumf %acc, %e : f32
    fuse.yield %r : f32
  } loc("softmax")
  %0 = fuse.broadcast %m dims = [0] : tensor<4xf32> -> tensor<4x8xf32> loc("softmax")
  %1 = fuse.sub %x, %0 : tensor<4x8xf32> loc("softmax")
  %2 = fuse.exp %1 : tensor<4x8xf32> loc("softmax")
  %s = fuse.reduce (%2) inits = [0.0 : f32] dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("softmax")
  %3 = fuse.broadcast %s dims = [0] : tensor<4xf32> -> tensor<4x8xf32> loc("softmax")
  %4 = fuse.div %2, %3 : tensor<4x8xf32> loc("softmax")
  return %4 : tensor<4x8xf32>
}

// -----

// A sum that a norm and a later group both need is a second result.
// CHECK-LABEL: func.func @residual
// CHECK: %[[G:.*]]:2 = fuse.group @{{.*}} -> (tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK: fuse.add
// CHECK: fuse.reduce
// CHECK: fuse.sub
// CHECK: return %[[G]]#{{[01]}}, %[[G]]#{{[01]}}
func.func @residual(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %h = fuse.add %x, %y : tensor<4x8xf32>
  %s = fuse.reduce (%h) inits = [0.0 : f32] dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  }
  %0 = fuse.broadcast %s dims = [0] : tensor<4xf32> -> tensor<4x8xf32>
  %1 = fuse.sub %h, %0 : tensor<4x8xf32>
  return %h, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// An outer product sums nothing: it is pointwise.
// CHECK-LABEL: func.func @outer
// CHECK: fuse.group
// CHECK: fuse.contract
// CHECK: fuse.exp
// CHECK-NOT: fuse.group
func.func @outer(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = fuse.contract %x, %y maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>] : tensor<4xf32>, tensor<8xf32> -> tensor<4x8xf32>
  %1 = fuse.exp %0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// Two small independent bodies of one space share a kernel.
// CHECK-LABEL: func.func @side_by_side
// CHECK: fuse.group @exp_tanh
// CHECK-NOT: fuse.group
func.func @side_by_side(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = fuse.exp %x : tensor<4x8xf32> loc("exp")
  %1 = fuse.tanh %y : tensor<4x8xf32> loc("tanh")
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A window is an access of what reads it; what it pads is stored.
// CHECK-LABEL: func.func @window
// CHECK: fuse.group @exp
// CHECK-NEXT: ^bb0
// CHECK-NEXT: fuse.exp
// CHECK: fuse.group @pool
// CHECK-NEXT: ^bb0
// CHECK-NEXT: fuse.window
// CHECK-NEXT: fuse.reduce
func.func @window(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-remark @below {{not fused into @pool: a computed value would be padded}}
  %0 = fuse.exp %x : tensor<4x8xf32>
  %1 = fuse.window %0 sizes = [3] strides = [1] dilations = [1] pad_low = [1] fill = 0.0 : f32 : tensor<4x8xf32> -> tensor<4x8x3xf32>
  %2 = fuse.reduce (%1) inits = [0.0 : f32] dims = [2] : (tensor<4x8x3xf32>) -> tensor<4x8xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("pool")
  return %2 : tensor<4x8xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @contraction_refusals
// CHECK-COUNT-4: fuse.group
func.func @contraction_refusals(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4xf32> {
  // expected-remark @below {{not fused into @mm: a contraction would compute its operand again and again}}
  %0 = fuse.exp %x : tensor<4x8xf32>
  // expected-remark @unknown {{not fused into @mm2: two contractions do not share a loop nest}}
  %1 = fuse.contract %0, %w maps = [#lhs, #rhs, #out] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32> loc("mm")
  // expected-remark @unknown {{not fused into @sum: a contraction is computed in register tiles, which another reduction in the same loops would take apart}}
  %2 = fuse.contract %1, %w maps = [#lhs, #rhs, #out] : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32> loc("mm2")
  %3 = fuse.reduce (%2) inits = [0.0 : f32] dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("sum")
  return %3 : tensor<4xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// A product with a matrix and the sums of its rows are one group, but for a single row:
// the loop around both would be the one over columns, which lanes of the product need. Sums
// of columns would have each row load the matrix by itself.
// CHECK-LABEL: func.func @rows_and_one_row
// CHECK: fuse.group @mm_sum
// CHECK: fuse.group @mm2(
// CHECK: fuse.group @sum_of_one(
// CHECK: fuse.group @mm3(
// CHECK: fuse.group @by_column(
// CHECK-NOT: fuse.group
func.func @rows_and_one_row(%x: tensor<2x64xf32>, %y: tensor<1x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> (tensor<2xf32>, tensor<1xf32>, tensor<64xf32>) {
  %0 = fuse.contract %x, %w maps = [#lhs, #rhs, #out] : tensor<2x64xf32>, tensor<64x64xf32> -> tensor<2x64xf32> loc("mm")
  %1 = fuse.reduce (%0) inits = [0.0 : f32] dims = [1] : (tensor<2x64xf32>) -> tensor<2xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("sum")
  // expected-remark @unknown {{not fused into @sum_of_one: a product that has one row alone shares no loop with what reduces rows}}
  %2 = fuse.contract %y, %w maps = [#lhs, #rhs, #out] : tensor<1x64xf32>, tensor<64x64xf32> -> tensor<1x64xf32> loc("mm2")
  %3 = fuse.reduce (%2) inits = [0.0 : f32] dims = [1] : (tensor<1x64xf32>) -> tensor<1xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("sum_of_one")
  // expected-remark @unknown {{not fused into @by_column: a contraction is computed in register tiles, which another reduction in the same loops would take apart}}
  %4 = fuse.contract %x, %v maps = [#lhs, #rhs, #out] : tensor<2x64xf32>, tensor<64x64xf32> -> tensor<2x64xf32> loc("mm3")
  %5 = fuse.reduce (%4) inits = [0.0 : f32] dims = [0] : (tensor<2x64xf32>) -> tensor<64xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("by_column")
  return %1, %3, %5 : tensor<2xf32>, tensor<1xf32>, tensor<64xf32>
}

// -----

#queries = affine_map<(h, i, j, k) -> (h, i, k)>
#keys = affine_map<(h, i, j, k) -> (h, j, k)>
#scores = affine_map<(h, i, j, k) -> (h, i, j)>

// Products of rows, and the softmax of the row that they make: one group.
// CHECK-LABEL: func.func @reduced_rows
// CHECK: fuse.group @scores_greatest_y
// CHECK: fuse.contract
// CHECK: fuse.reduce
// CHECK: fuse.exp
// CHECK-NEXT: fuse.yield
// CHECK-NOT: fuse.group
// CHECK-LABEL: func.func @reduced_rows_refusals
func.func @reduced_rows(%q: tensor<3x5x17xf32>, %k: tensor<3x7x17xf32>, %mask: tensor<7xf32>) -> tensor<3x5x7xf32> {
  %0 = fuse.contract %q, %k maps = [#queries, #keys, #scores] : tensor<3x5x17xf32>, tensor<3x7x17xf32> -> tensor<3x5x7xf32> loc("scores")
  %1 = fuse.broadcast %mask dims = [2] : tensor<7xf32> -> tensor<3x5x7xf32>
  %2 = fuse.add %0, %1 : tensor<3x5x7xf32>
  %3 = fuse.reduce (%2) inits = [0xFF800000 : f32] dims = [2] : (tensor<3x5x7xf32>) -> tensor<3x5xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.maximumf %acc, %e : f32
    fuse.yield %r : f32
  } loc("greatest")
  %4 = fuse.broadcast %3 dims = [0, 1] : tensor<3x5xf32> -> tensor<3x5x7xf32>
  %5 = fuse.sub %2, %4 : tensor<3x5x7xf32>
  %6 = fuse.exp %5 : tensor<3x5x7xf32> loc("y")
  return %6 : tensor<3x5x7xf32>
}

// Reductions that do not run along the rows, of rows that are long, and of
// products too short for lanes.
func.func @reduced_rows_refusals(%q: tensor<3x5x17xf32>, %k: tensor<3x7x17xf32>, %long: tensor<3x5000x17xf32>, %a: tensor<3x5x8xf32>, %b: tensor<3x7x8xf32>) -> (tensor<3x7xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  // expected-remark @unknown {{not fused into @columns: a contraction is computed in register tiles, which another reduction in the same loops would take apart}}
  %0 = fuse.contract %q, %k maps = [#queries, #keys, #scores] : tensor<3x5x17xf32>, tensor<3x7x17xf32> -> tensor<3x5x7xf32> loc("mm")
  %1 = fuse.reduce (%0) inits = [0.0 : f32] dims = [1] : (tensor<3x5x7xf32>) -> tensor<3x7xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("columns")
  // expected-remark @unknown {{not fused into @sum: rows of 5000 elements between a contraction and a reduction do not stay in the cache}}
  %2 = fuse.contract %q, %long maps = [#queries, #keys, #scores] : tensor<3x5x17xf32>, tensor<3x5000x17xf32> -> tensor<3x5x5000xf32> loc("mm2")
  %3 = fuse.reduce (%2) inits = [0.0 : f32] dims = [2] : (tensor<3x5x5000xf32>) -> tensor<3x5xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("sum")
  // expected-remark @unknown {{not fused into @short: a contraction is computed in register tiles, which another reduction in the same loops would take apart}}
  %4 = fuse.contract %a, %b maps = [#queries, #keys, #scores] : tensor<3x5x8xf32>, tensor<3x7x8xf32> -> tensor<3x5x7xf32> loc("mm3")
  %5 = fuse.reduce (%4) inits = [0.0 : f32] dims = [2] : (tensor<3x5x7xf32>) -> tensor<3x5xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("short")
  return %1, %3, %5 : tensor<3x7xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

#queries = affine_map<(h, i, j, k) -> (h, i, k)>
#keys = affine_map<(h, i, j, k) -> (h, j, k)>
#scores = affine_map<(h, i, j, k) -> (h, i, j)>
#weights = affine_map<(h, i, d, j) -> (h, i, j)>
#values = affine_map<(h, i, d, j) -> (h, j, d)>
#heads = affine_map<(h, i, d, j) -> (i, h, d)>

// A row and its product with a matrix that stays in the second-level cache: one
// group. With a larger one, or one that lanes cannot run along, they are two; and what
// sums the product stands apart.
// CHECK-LABEL: func.func @row_products
// CHECK: fuse.group @scores_sum_small
// CHECK: fuse.contract
// CHECK: fuse.reduce
// CHECK: fuse.contract
// CHECK: fuse.group @scores2_sum2
// CHECK: fuse.group @large
// CHECK: fuse.group @narrow
// CHECK-NOT: fuse.group
func.func @row_products(%q: tensor<3x5x17xf32>, %k: tensor<3x7x17xf32>, %small: tensor<3x7x19xf32>, %large: tensor<3x7x9400xf32>, %narrow: tensor<3x7x3xf32>) -> (tensor<5x3x19xf32>, tensor<5x3x9400xf32>, tensor<5x3x3xf32>) {
  %0 = fuse.contract %q, %k maps = [#queries, #keys, #scores] : tensor<3x5x17xf32>, tensor<3x7x17xf32> -> tensor<3x5x7xf32> loc("scores")
  %1 = fuse.reduce (%0) inits = [0.0 : f32] dims = [2] : (tensor<3x5x7xf32>) -> tensor<3x5xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("sum")
  %2 = fuse.broadcast %1 dims = [0, 1] : tensor<3x5xf32> -> tensor<3x5x7xf32>
  %3 = fuse.sub %0, %2 : tensor<3x5x7xf32>
  %4 = fuse.contract %3, %small maps = [#weights, #values, #heads] : tensor<3x5x7xf32>, tensor<3x7x19xf32> -> tensor<5x3x19xf32> loc("small")
  %5 = fuse.contract %k, %q maps = [#keys, #queries, #scores] : tensor<3x7x17xf32>, tensor<3x5x17xf32> -> tensor<3x5x7xf32> loc("scores2")
  %6 = fuse.reduce (%5) inits = [0.0 : f32] dims = [2] : (tensor<3x5x7xf32>) -> tensor<3x5xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("sum2")
  %7 = fuse.broadcast %6 dims = [0, 1] : tensor<3x5xf32> -> tensor<3x5x7xf32>
  // expected-remark @unknown {{not fused into @large: each block of rows would be multiplied with 263200 bytes, more than stay in the cache}}
  // expected-remark @unknown {{not fused into @narrow: lanes cannot run along the result of a product with a row}}
  %8 = fuse.sub %5, %7 : tensor<3x5x7xf32> loc("rest")
  %9 = fuse.contract %8, %large maps = [#weights, #values, #heads] : tensor<3x5x7xf32>, tensor<3x7x9400xf32> -> tensor<5x3x9400xf32> loc("large")
  %10 = fuse.contract %8, %narrow maps = [#weights, #values, #heads] : tensor<3x5x7xf32>, tensor<3x7x3xf32> -> tensor<5x3x3xf32> loc("narrow")
  return %4, %9, %10 : tensor<5x3x19xf32>, tensor<5x3x9400xf32>, tensor<5x3x3xf32>
}

// CHECK-LABEL: func.func @summed_product
// CHECK: fuse.group @scores_sum
// CHECK-COUNT-2: fuse.contract
// CHECK: fuse.group @norm
// CHECK-NOT: fuse.group
func.func @summed_product(%q: tensor<3x5x17xf32>, %k: tensor<3x7x17xf32>, %v: tensor<3x7x19xf32>) -> tensor<5x3xf32> {
  %0 = fuse.contract %q, %k maps = [#queries, #keys, #scores] : tensor<3x5x17xf32>, tensor<3x7x17xf32> -> tensor<3x5x7xf32> loc("scores")
  %1 = fuse.reduce (%0) inits = [0.0 : f32] dims = [2] : (tensor<3x5x7xf32>) -> tensor<3x5xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("sum")
  %2 = fuse.broadcast %1 dims = [0, 1] : tensor<3x5xf32> -> tensor<3x5x7xf32>
  %3 = fuse.sub %0, %2 : tensor<3x5x7xf32>
  // expected-remark @unknown {{not fused into @norm: a reduction of a product with rows would take its tiles apart}}
  %4 = fuse.contract %3, %v maps = [#weights, #values, #heads] : tensor<3x5x7xf32>, tensor<3x7x19xf32> -> tensor<5x3x19xf32> loc("product")
  %5 = fuse.reduce (%4) inits = [0.0 : f32] dims = [2] : (tensor<5x3x19xf32>) -> tensor<5x3xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("norm")
  return %5 : tensor<5x3xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#transposed = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

// Products of one operand over the same points are one group with what reads both;
// products of other operands, or by other maps, are two.
// CHECK-LABEL: func.func @twins
// CHECK: fuse.group @gate_up_gated
// CHECK-COUNT-2: fuse.contract
// CHECK: fuse.mul
// CHECK-NOT: fuse.group
// CHECK-LABEL: func.func @long_twins
// CHECK-COUNT-2: fuse.group
// CHECK-LABEL: func.func @twins_of_weights
// CHECK-COUNT-1: fuse.group
// CHECK-NOT: fuse.group
// CHECK-LABEL: func.func @longer_twins_of_weights
// CHECK-COUNT-2: fuse.group
// CHECK-LABEL: func.func @no_twins
// CHECK-COUNT-4: fuse.group
func.func @twins(%x: tensor<4x8xf32>, %v: tensor<8x16xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = fuse.contract %x, %v maps = [#lhs, #rhs, #out] : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32> loc("gate")
  %1 = fuse.tanh %0 : tensor<4x16xf32>
  %2 = fuse.contract %x, %w maps = [#lhs, #rhs, #out] : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32> loc("up")
  %3 = fuse.mul %1, %2 : tensor<4x16xf32> loc("gated")
  return %3 : tensor<4x16xf32>
}
func.func @long_twins(%x: tensor<4x300xf32>, %v: tensor<300x16xf32>, %w: tensor<300x16xf32>) -> tensor<4x16xf32> {
  %0 = fuse.contract %x, %v maps = [#lhs, #rhs, #out] : tensor<4x300xf32>, tensor<300x16xf32> -> tensor<4x16xf32> loc("gate")
  // expected-remark @below {{not fused into @gate_gated: two products of 300 terms would drive each other's operands out of the cache}}
  %1 = fuse.contract %x, %w maps = [#lhs, #rhs, #out] : tensor<4x300xf32>, tensor<300x16xf32> -> tensor<4x16xf32>
  %2 = fuse.mul %0, %1 : tensor<4x16xf32> loc("gated")
  return %2 : tensor<4x16xf32>
}
// Weights are packed in panels.
func.func @twins_of_weights(%x: tensor<4x300xf32>) -> tensor<4x16xf32> {
  %v = fuse.get_weight @v : tensor<300x16xf32>
  %w = fuse.get_weight @w : tensor<300x4x4xf32>
  %r = fuse.reshape %w : tensor<300x4x4xf32> -> tensor<300x16xf32>
  %0 = fuse.contract %x, %v maps = [#lhs, #rhs, #out] : tensor<4x300xf32>, tensor<300x16xf32> -> tensor<4x16xf32>
  %1 = fuse.contract %x, %r maps = [#lhs, #rhs, #out] : tensor<4x300xf32>, tensor<300x16xf32> -> tensor<4x16xf32>
  %2 = fuse.mul %0, %1 : tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}
func.func @longer_twins_of_weights(%x: tensor<4x3000xf32>) -> tensor<4x16xf32> {
  %v = fuse.get_weight @longer : tensor<3000x16xf32>
  %w = fuse.get_weight @longer_too : tensor<3000x16xf32>
  %0 = fuse.contract %x, %v maps = [#lhs, #rhs, #out] : tensor<4x3000xf32>, tensor<3000x16xf32> -> tensor<4x16xf32> loc("gate")
  // expected-remark @below {{not fused into @gate_gated: two products of 3000 terms would drive each other's operands out of the cache}}
  %1 = fuse.contract %x, %w maps = [#lhs, #rhs, #out] : tensor<4x3000xf32>, tensor<3000x16xf32> -> tensor<4x16xf32>
  %2 = fuse.mul %0, %1 : tensor<4x16xf32> loc("gated")
  return %2 : tensor<4x16xf32>
}
fuse.weight @v = dense_resource<v> : tensor<300x16xf32>
fuse.weight @w = dense_resource<w> : tensor<300x4x4xf32>
fuse.weight @longer = dense_resource<longer> : tensor<3000x16xf32>
fuse.weight @longer_too = dense_resource<longer_too> : tensor<3000x16xf32>
func.func @no_twins(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %v: tensor<8x16xf32>, %w: tensor<8x16xf32>, %t: tensor<16x8xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = fuse.contract %x, %v maps = [#lhs, #rhs, #out] : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32> loc("gate")
  // expected-remark @below {{not fused into @gate_gated: two contractions do not share a loop nest}}
  %1 = fuse.contract %y, %w maps = [#lhs, #rhs, #out] : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  %2 = fuse.mul %0, %1 : tensor<4x16xf32> loc("gated")
  %3 = fuse.contract %x, %w maps = [#lhs, #rhs, #out] : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32> loc("open")
  // expected-remark @below {{not fused into @open_opened: two contractions do not share a loop nest}}
  %4 = fuse.contract %x, %t maps = [#lhs, #transposed, #out] : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
  %5 = fuse.mul %3, %4 : tensor<4x16xf32> loc("opened")
  return %2, %5 : tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

// Large parts of one value are moved together; of two values they are not.
// CHECK-LABEL: func.func @large_moves
// CHECK-COUNT-2: fuse.group
// CHECK-NOT: fuse.group
func.func @large_moves(%x: tensor<300x256xf32>, %y: tensor<300x128xf32>) -> (tensor<128x300xf32>, tensor<128x300xf32>, tensor<128x300xf32>) {
  %0 = fuse.slice %x offsets = [0, 0] strides = [1, 1] : tensor<300x256xf32> -> tensor<300x128xf32>
  %1 = fuse.transpose %0 perm = [1, 0] : tensor<300x128xf32> -> tensor<128x300xf32>
  %2 = fuse.transpose %y perm = [1, 0] : tensor<300x128xf32> -> tensor<128x300xf32>
  %3 = fuse.slice %x offsets = [0, 128] strides = [1, 1] : tensor<300x256xf32> -> tensor<300x128xf32>
  %4 = fuse.transpose %3 perm = [1, 0] : tensor<300x128xf32> -> tensor<128x300xf32>
  return %1, %2, %4 : tensor<128x300xf32>, tensor<128x300xf32>, tensor<128x300xf32>
}

// -----

// CHECK-LABEL: func.func @reduction_refusals
// CHECK-COUNT-3: fuse.group
func.func @reduction_refusals(%x: tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>) {
  // expected-remark @unknown {{not fused into @columns: a reduction would run over what the group is parallel over}}
  %0 = fuse.reduce (%x) inits = [0.0 : f32] dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("rows")
  %1 = fuse.reduce (%0) inits = [0.0 : f32] dims = [0] : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("columns")
  %2 = fuse.slice %x offsets = [0, 0] strides = [1, 1] : tensor<4x8xf32> -> tensor<1x8xf32>
  // expected-remark @below {{not fused into @scale: an expensive value would be computed 4 times}}
  %3 = fuse.exp %2 : tensor<1x8xf32>
  %4 = fuse.broadcast %3 dims = [0, 1] : tensor<1x8xf32> -> tensor<4x8xf32>
  %5 = fuse.mul %x, %4 : tensor<4x8xf32> loc("scale")
  return %1, %5 : tensor<f32>, tensor<4x8xf32>
}

// -----

// The middle group would have to run both before and after the joined one.
// CHECK-LABEL: func.func @convex
// CHECK-COUNT-3: fuse.group
func.func @convex(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-remark @unknown {{not fused into @last: another group between the two reads one and feeds the other}}
  // expected-remark @unknown {{not fused into @middle: a reshape between them stays a view of memory}}
  // expected-remark @unknown {{not fused into @last: a reshape between them stays a view of memory}}
  %0 = fuse.exp %x : tensor<4x4xf32> loc("first")
  %1 = fuse.reshape %0 : tensor<4x4xf32> -> tensor<16xf32>
  %2 = fuse.tanh %1 : tensor<16xf32> loc("middle")
  %3 = fuse.reshape %2 : tensor<16xf32> -> tensor<4x4xf32>
  %4 = fuse.add %0, %3 : tensor<4x4xf32> loc("last")
  return %4 : tensor<4x4xf32>
}

// -----

// An index is computed where it picks; what is picked from is an argument.
// CHECK-LABEL: func.func @rows
// CHECK: fuse.group @rows(%{{.*}}, %{{.*}})
// CHECK: fuse.abs
// CHECK: fuse.gather
// CHECK: fuse.exp
// CHECK-NOT: fuse.group
func.func @rows(%t: tensor<30x64xf32>, %i: tensor<4xi64>) -> tensor<4x64xf32> {
  %0 = fuse.abs %i : tensor<4xi64> loc("rows")
  %1 = fuse.gather %t, %0 axis = 0 : tensor<30x64xf32>, tensor<4xi64> -> tensor<4x64xf32> loc("rows")
  %2 = fuse.exp %1 : tensor<4x64xf32> loc("rows")
  return %2 : tensor<4x64xf32>
}

// -----

// What is refused: a table that is computed, and an index that would cost too
// much for each element that it picks.
// CHECK-LABEL: func.func @computed_table
// CHECK-COUNT-3: fuse.group
func.func @computed_table(%t: tensor<30x64xf32>, %i: tensor<4xi64>) -> tensor<4x64xf32> {
  // expected-remark @below {{not fused into @rows: a data-dependent access would read computed values}}
  %0 = fuse.exp %t : tensor<30x64xf32>
  // expected-remark @below {{not fused into @rows: an expensive value would be computed 64 times}}
  %1 = fuse.pow %i, %i : tensor<4xi64>
  %2 = fuse.gather %0, %1 axis = 0 : tensor<30x64xf32>, tensor<4xi64> -> tensor<4x64xf32> loc("rows")
  return %2 : tensor<4x64xf32>
}

// -----

// Concatenated operands are computed once each, where they stand.
// CHECK-LABEL: func.func @placed
// CHECK: fuse.group
// CHECK-NOT: fuse.group
func.func @placed(%x: tensor<4x8xf32>, %y: tensor<4x2xf32>) -> tensor<4x10xf32> {
  %0 = fuse.tanh %x : tensor<4x8xf32>
  %1 = fuse.tanh %y : tensor<4x2xf32>
  %2 = fuse.concat %0, %1 axis = 1 : tensor<4x8xf32>, tensor<4x2xf32> -> tensor<4x10xf32>
  return %2 : tensor<4x10xf32>
}

// -----

// A reduction would compute all of them at each of its points: it reads them joined.
// CHECK-LABEL: func.func @placed_in_reduction
// CHECK-COUNT-2: fuse.group
// CHECK-NOT: fuse.group
func.func @placed_in_reduction(%x: tensor<4x8xf32>, %y: tensor<4x2xf32>) -> tensor<4xf32> {
  %0 = fuse.tanh %x : tensor<4x8xf32>
  %1 = fuse.tanh %y : tensor<4x2xf32>
  // expected-remark @below {{not fused into @sum: an expensive value would be computed 1 times}}
  %2 = fuse.concat %0, %1 axis = 1 : tensor<4x8xf32>, tensor<4x2xf32> -> tensor<4x10xf32>
  %3 = fuse.reduce (%2) inits = [0.0 : f32] dims = [1] : (tensor<4x10xf32>) -> tensor<4xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  } loc("sum")
  return %3 : tensor<4xf32>
}

// Equal accesses are shared, but not one that is stored at the group's points with one
// that is read at others.
// CHECK-LABEL: func.func @stored_and_read_elsewhere
// CHECK: fuse.group
// CHECK: %[[STORED:.*]] = fuse.slice
// CHECK: %[[READ:.*]] = fuse.slice
// CHECK: fuse.broadcast %[[READ]] dims = [1]
// CHECK: fuse.reduce
// CHECK: fuse.yield %[[STORED]], %{{.*}}
func.func @stored_and_read_elsewhere(%x: tensor<7xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %part = fuse.slice %x offsets = [0] strides = [1] : tensor<7xf32> -> tensor<4xf32>
  %again = fuse.slice %x offsets = [0] strides = [1] : tensor<7xf32> -> tensor<4xf32>
  %rows = fuse.broadcast %again dims = [1] : tensor<4xf32> -> tensor<4x4xf32>
  %columns = fuse.broadcast %c dims = [0] : tensor<4xf32> -> tensor<4x4xf32>
  %products = fuse.mul %rows, %columns : tensor<4x4xf32>
  %sums = fuse.reduce(%products) inits = [0.0 : f32] dims = [1] : (tensor<4x4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    fuse.yield %s : f32
  }
  %both = fuse.add %sums, %part : tensor<4xf32>
  return %part, %both : tensor<4xf32>, tensor<4xf32>
}

// Windows of what is reduced, along rows: the band are the columns, which lanes run
// along.
// CHECK-LABEL: func.func @windows
// CHECK: fuse.group
// CHECK-COUNT-2: fuse.reduce
// CHECK: return
func.func @windows(%x: tensor<40x512xf32>) -> tensor<36x512xf32> {
  %xs = fuse.transpose %x perm = [1, 0] : tensor<40x512xf32> -> tensor<512x40xf32>
  %wa = fuse.window %xs sizes = [3] strides = [1] dilations = [1] pad_low = [0] fill = 0xFF800000 : f32 : tensor<512x40xf32> -> tensor<512x38x3xf32>
  %at = fuse.transpose %wa perm = [1, 0, 2] : tensor<512x38x3xf32> -> tensor<38x512x3xf32>
  %a = fuse.reduce(%at) inits = [0xFF800000 : f32] dims = [2] : (tensor<38x512x3xf32>) -> tensor<38x512xf32> {
  ^bb0(%acc: f32, %e: f32):
    %m = arith.maximumf %acc, %e : f32
    fuse.yield %m : f32
  } loc("a")
  %as = fuse.transpose %a perm = [1, 0] : tensor<38x512xf32> -> tensor<512x38xf32>
  %wb = fuse.window %as sizes = [3] strides = [1] dilations = [1] pad_low = [0] fill = 0xFF800000 : f32 : tensor<512x38xf32> -> tensor<512x36x3xf32>
  %bt = fuse.transpose %wb perm = [1, 0, 2] : tensor<512x36x3xf32> -> tensor<36x512x3xf32>
  %b = fuse.reduce(%bt) inits = [0xFF800000 : f32] dims = [2] : (tensor<36x512x3xf32>) -> tensor<36x512xf32> {
  ^bb0(%acc: f32, %e: f32):
    %m = arith.maximumf %acc, %e : f32
    fuse.yield %m : f32
  } loc("b")
  return %b : tensor<36x512xf32>
}

// Lanes would run along these windows.
// CHECK-LABEL: func.func @windows_on_lanes
// CHECK-COUNT-2: fuse.group
func.func @windows_on_lanes(%x: tensor<512x40xf32>) -> tensor<512x36xf32> {
  %wa = fuse.window %x sizes = [3] strides = [1] dilations = [1] pad_low = [0] fill = 0xFF800000 : f32 : tensor<512x40xf32> -> tensor<512x38x3xf32>
  // expected-remark @unknown {{not fused into @b: a reduced value would be read at another point than where it is computed}}
  %a = fuse.reduce(%wa) inits = [0xFF800000 : f32] dims = [2] : (tensor<512x38x3xf32>) -> tensor<512x38xf32> {
  ^bb0(%acc: f32, %e: f32):
    %m = arith.maximumf %acc, %e : f32
    fuse.yield %m : f32
  } loc("a")
  %wb = fuse.window %a sizes = [3] strides = [1] dilations = [1] pad_low = [0] fill = 0xFF800000 : f32 : tensor<512x38xf32> -> tensor<512x36x3xf32>
  %b = fuse.reduce(%wb) inits = [0xFF800000 : f32] dims = [2] : (tensor<512x36x3xf32>) -> tensor<512x36xf32> {
  ^bb0(%acc: f32, %e: f32):
    %m = arith.maximumf %acc, %e : f32
    fuse.yield %m : f32
  } loc("b")
  return %b : tensor<512x36xf32>
}
