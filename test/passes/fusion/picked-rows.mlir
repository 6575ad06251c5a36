// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-aggregate --split-input-file | FileCheck %s
// RUN: fusec-opt %s --fuse-aggregate=remarks --split-input-file \
// RUN:   --verify-diagnostics -o /dev/null
// A contraction reads rows where an index picks them.

#picked = affine_map<(e, k, n)[s] -> (s, n)>
#index = affine_map<(e, k, n) -> (e, k)>
#values = affine_map<(e, n, k) -> (e, k)>
#rows = affine_map<(e, n, k) -> (e, k, n)>
#out = affine_map<(e, n, k) -> (e, n)>

// Terms of a sparse matrix: nothing of [4, 3, 64] is stored.
// CHECK-LABEL: func.func @terms
// CHECK: fuse.group
// CHECK: fuse.gather
// CHECK: fuse.contract
// CHECK-NOT: fuse.group
func.func @terms(%v: tensor<4x3xf32>, %i: tensor<4x3xi32>, %x: tensor<30x64xf32>) -> tensor<4x64xf32> {
  %0 = fuse.gather %x, %i maps = [#picked, #index] : tensor<30x64xf32>, tensor<4x3xi32> -> tensor<4x3x64xf32>
  %1 = fuse.contract %v, %0 maps = [#values, #rows, #out] : tensor<4x3xf32>, tensor<4x3x64xf32> -> tensor<4x64xf32>
  return %1 : tensor<4x64xf32>
}

// -----

#picked = affine_map<(e, k, n)[s] -> (s, n)>
#index = affine_map<(e, k, n) -> (e, k)>
#values = affine_map<(e, n, k) -> (e, k)>
#rows = affine_map<(e, n, k) -> (e, k, n)>
#out = affine_map<(e, n, k) -> (e, n)>

// Lanes run along the columns: the other order is made of all of it.
// CHECK-LABEL: func.func @turned
// CHECK: fuse.group
// CHECK: fuse.gather
// CHECK: fuse.contract
// CHECK: fuse.group
// CHECK: fuse.transpose
func.func @turned(%v: tensor<4x3xf32>, %i: tensor<4x3xi32>, %x: tensor<30x64xf32>) -> tensor<64x4xf32> {
  %0 = fuse.gather %x, %i maps = [#picked, #index] : tensor<30x64xf32>, tensor<4x3xi32> -> tensor<4x3x64xf32>
  // expected-remark @below {{a contraction that picks rows would store them apart}}
  %1 = fuse.contract %v, %0 maps = [#values, #rows, #out] : tensor<4x3xf32>, tensor<4x3x64xf32> -> tensor<4x64xf32>
  %2 = fuse.transpose %1 perm = [1, 0] {turned} : tensor<4x64xf32> -> tensor<64x4xf32>
  return %2 : tensor<64x4xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Tokens that a router sends to one of its experts.
// CHECK-LABEL: func.func @expert
// CHECK: fuse.group
// CHECK-NOT: fuse.group
func.func @expert(%x: tensor<30x8xf32>, %i: tensor<4xi64>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = fuse.gather %x, %i axis = 0 : tensor<30x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %1 = fuse.contract %0, %w maps = [#lhs, #rhs, #out] : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Elements that are picked one by one are stored first, and so is on a GPU what is
// picked: its blocks copy tiles.
// CHECK-LABEL: func.func @elements
// CHECK-COUNT-2: fuse.group
func.func @elements(%x: tensor<4x30xf32>, %i: tensor<8xi64>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  // expected-remark @below {{not fused into @contract: a contraction would compute its operand again and again}}
  %0 = fuse.gather %x, %i axis = 1 : tensor<4x30xf32>, tensor<8xi64> -> tensor<4x8xf32>
  %1 = fuse.contract %0, %w maps = [#lhs, #rhs, #out] : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

module attributes {fuse.target = "cuda-sm80"} {
// CHECK-LABEL: func.func @gpu
// CHECK-COUNT-2: fuse.group
func.func @gpu(%x: tensor<30x8xf32>, %i: tensor<4xi64>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  // expected-remark @below {{not fused into @contract: a contraction would compute its operand again and again}}
  %0 = fuse.gather %x, %i axis = 0 : tensor<30x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %1 = fuse.contract %0, %w maps = [#lhs, #rhs, #out] : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}
}

// -----

#input = affine_map<(t, m, n, k) -> (t, m, k)>
#weights = affine_map<(t, m, n, k) -> (t, k, n)>
#out = affine_map<(t, m, n, k) -> (t, m, n)>

// Weights of the expert that each of four groups of tokens takes, counted from the end:
// that is computed before the rows, once for all tokens of a group.
// CHECK-LABEL: func.func @weights
// CHECK: fuse.group
// CHECK: fuse.gather
// CHECK: fuse.contract
// CHECK-NOT: fuse.group
func.func @weights(%x: tensor<4x5x8xf32>, %i: tensor<4xi64>, %w: tensor<6x8x16xf32>) -> tensor<4x5x16xf32> {
  %last = fuse.constant dense<5> : tensor<i64>
  %lasts = fuse.broadcast %last dims = [] : tensor<i64> -> tensor<4xi64>
  %0 = fuse.sub %lasts, %i : tensor<4xi64>
  %1 = fuse.maximum %0, %i : tensor<4xi64>
  %2 = fuse.minimum %1, %lasts : tensor<4xi64>
  %3 = fuse.gather %w, %2 axis = 0 : tensor<6x8x16xf32>, tensor<4xi64> -> tensor<4x8x16xf32>
  %4 = fuse.contract %x, %3 maps = [#input, #weights, #out] : tensor<4x5x8xf32>, tensor<4x8x16xf32> -> tensor<4x5x16xf32>
  return %4 : tensor<4x5x16xf32>
}

// -----

#input = affine_map<(t, n, k) -> (t, k)>
#weights = affine_map<(t, n, k) -> (t, n, k)>
#out = affine_map<(t, n, k) -> (t, n)>

// What takes long to compute is computed once, and stored.
// CHECK-LABEL: func.func @expensive
// CHECK-COUNT-2: fuse.group
func.func @expensive(%x: tensor<4x8xf32>, %p: tensor<4xf32>, %w: tensor<6x16x8xf32>) -> tensor<4x16xf32> {
  %0 = fuse.erf %p : tensor<4xf32>
  %1 = fuse.exp %0 : tensor<4xf32>
  // expected-remark @below {{an expensive value would be computed 128 times}}
  %2 = fuse.cast %1 : tensor<4xf32> -> tensor<4xi64>
  %3 = fuse.gather %w, %2 axis = 0 : tensor<6x16x8xf32>, tensor<4xi64> -> tensor<4x16x8xf32>
  %4 = fuse.contract %x, %3 maps = [#input, #weights, #out] : tensor<4x8xf32>, tensor<4x16x8xf32> -> tensor<4x16xf32>
  return %4 : tensor<4x16xf32>
}

// -----

#input = affine_map<(t, m, n, k) -> (t, m, k)>
#weights = affine_map<(t, m, n, k) -> (t, k, n)>
#out = affine_map<(t, m, n, k) -> (t, m, n)>

// Experts of integers: what the codes of a row stand for is computed where it is
// multiplied, with the scales of its expert.
// CHECK-LABEL: func.func @codes
// CHECK: fuse.group
// CHECK: fuse.contract
// CHECK-NOT: fuse.group
func.func @codes(%x: tensor<4x5x8xf32>, %i: tensor<4xi64>, %w: tensor<6x8x16xi8>, %s: tensor<6x16xf32>, %e: tensor<6xf32>) -> tensor<4x5x16xf32> {
  %0 = fuse.gather %w, %i axis = 0 : tensor<6x8x16xi8>, tensor<4xi64> -> tensor<4x8x16xi8>
  %1 = fuse.cast %0 : tensor<4x8x16xi8> -> tensor<4x8x16xf32>
  %2 = fuse.gather %s, %i axis = 0 : tensor<6x16xf32>, tensor<4xi64> -> tensor<4x16xf32>
  %3 = fuse.broadcast %2 dims = [0, 2] : tensor<4x16xf32> -> tensor<4x8x16xf32>
  %4 = fuse.mul %1, %3 : tensor<4x8x16xf32>
  %5 = fuse.gather %e, %i axis = 0 : tensor<6xf32>, tensor<4xi64> -> tensor<4xf32>
  %6 = fuse.broadcast %5 dims = [0] : tensor<4xf32> -> tensor<4x8x16xf32>
  %7 = fuse.add %4, %6 : tensor<4x8x16xf32>
  %8 = fuse.contract %x, %7 maps = [#input, #weights, #out] : tensor<4x5x8xf32>, tensor<4x8x16xf32> -> tensor<4x5x16xf32>
  return %8 : tensor<4x5x16xf32>
}

// -----

#input = affine_map<(t, m, n, k) -> (t, m, k)>
#weights = affine_map<(t, m, n, k) -> (t, k, n)>
#out = affine_map<(t, m, n, k) -> (t, m, n)>

// For many tokens, they would be expanded again and again.
// CHECK-LABEL: func.func @many
// CHECK-COUNT-2: fuse.group
func.func @many(%x: tensor<4x500x8xf32>, %i: tensor<4xi64>, %w: tensor<6x8x16xi8>) -> tensor<4x500x16xf32> {
  %0 = fuse.gather %w, %i axis = 0 : tensor<6x8x16xi8>, tensor<4xi64> -> tensor<4x8x16xi8>
  %1 = fuse.cast %0 : tensor<4x8x16xi8> -> tensor<4x8x16xf32>
  // expected-remark @below {{a contraction would compute its operand again and again}}
  %2 = fuse.mul %1, %1 : tensor<4x8x16xf32>
  %3 = fuse.contract %x, %2 maps = [#input, #weights, #out] : tensor<4x500x8xf32>, tensor<4x8x16xf32> -> tensor<4x500x16xf32>
  return %3 : tensor<4x500x16xf32>
}

// -----

#input = affine_map<(t, n, k) -> (t, k)>
#weights = affine_map<(t, n, k) -> (t, k, n)>
#out = affine_map<(t, n, k) -> (t, n)>

// Floats are read as they are, or stored once they are computed with.
// CHECK-LABEL: func.func @floats
// CHECK-COUNT-2: fuse.group
func.func @floats(%x: tensor<4x8xf32>, %i: tensor<4xi64>, %w: tensor<6x8x16xf32>) -> tensor<4x16xf32> {
  %0 = fuse.gather %w, %i axis = 0 : tensor<6x8x16xf32>, tensor<4xi64> -> tensor<4x8x16xf32>
  // expected-remark @below {{a contraction would compute its operand again and again}}
  %1 = fuse.mul %0, %0 : tensor<4x8x16xf32>
  %2 = fuse.contract %x, %1 maps = [#input, #weights, #out] : tensor<4x8xf32>, tensor<4x8x16xf32> -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}
