// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-simplify --split-input-file | FileCheck %s
// RUN: fusec-opt %s --fuse-simplify=remarks --split-input-file \
// RUN:   --verify-diagnostics -o /dev/null

// What moves no element is not there, and rises above no broadcast.
// CHECK-LABEL: func.func @moves_nothing
// CHECK-SAME: (%[[X:.*]]: tensor<3x4xf32>
// CHECK-NEXT: %[[Y:.*]] = fuse.broadcast %[[X]] dims = [0, 2]
// CHECK-NEXT: return %[[Y]]
func.func @moves_nothing(%x: tensor<3x4xf32>, %e: tensor<3x2x0xf32>) -> tensor<3x2x4xf32> {
  %0 = fuse.broadcast %x dims = [0, 2] : tensor<3x4xf32> -> tensor<3x2x4xf32>
  %1 = fuse.concat %0 axis = 2 : tensor<3x2x4xf32> -> tensor<3x2x4xf32>
  %2 = fuse.concat %e, %1 axis = 2 : tensor<3x2x0xf32>, tensor<3x2x4xf32> -> tensor<3x2x4xf32>
  %3 = fuse.pad %2 low = [0, 0, 0] high = [0, 0, 0] fill = 1.0 : f32 : tensor<3x2x4xf32> -> tensor<3x2x4xf32>
  %4 = fuse.window %3 sizes = [] strides = [] dilations = [] pad_low = [] fill = 0.0 : f32 : tensor<3x2x4xf32> -> tensor<3x2x4xf32>
  %5 = fuse.slice %4 offsets = [0, 0, 0] strides = [1, 1, 1] : tensor<3x2x4xf32> -> tensor<3x2x4xf32>
  %6 = fuse.transpose %5 perm = [0, 1, 2] : tensor<3x2x4xf32> -> tensor<3x2x4xf32>
  return %6 : tensor<3x2x4xf32>
}

// -----
// Nor is what says where to read moved itself.
// CHECK-LABEL: func.func @picks
// CHECK: fuse.gather
func.func @picks(%x: tensor<5xi32>, %n: tensor<4xi32>) -> tensor<4xi32> {
  %0 = fuse.gather %x, %n axis = 0 : tensor<5xi32>, tensor<4xi32> -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----
// CHECK-LABEL: func.func @neutral
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: return %[[X]]
func.func @neutral(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = fuse.constant dense<0.0> : tensor<4x8xf32>
  %one = fuse.constant dense<1.0> : tensor<8xf32>
  %ones = fuse.broadcast %one dims = [1] : tensor<8xf32> -> tensor<4x8xf32>
  %0 = fuse.add %zero, %x : tensor<4x8xf32>
  %1 = fuse.mul %0, %ones : tensor<4x8xf32>
  %2 = fuse.pow %1, %ones : tensor<4x8xf32>
  %3 = fuse.neg %2 : tensor<4x8xf32>
  %4 = fuse.neg %3 : tensor<4x8xf32>
  %5 = fuse.transpose %4 perm = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %6 = fuse.transpose %5 perm = [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %7 = fuse.reshape %6 : tensor<4x8xf32> -> tensor<32xf32>
  %8 = fuse.reshape %7 : tensor<32xf32> -> tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}

// -----

// x * 0 is not 0 for NaN and infinity; f32 -> f16 -> f32 rounds.
// CHECK-LABEL: func.func @not_neutral
// CHECK: fuse.mul
// CHECK: fuse.cast
// CHECK: fuse.cast
func.func @not_neutral(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = fuse.constant dense<0.0> : tensor<4xf32>
  %0 = fuse.mul %x, %zero : tensor<4xf32>
  %1 = fuse.cast %x : tensor<4xf32> -> tensor<4xf16>
  %2 = fuse.cast %1 : tensor<4xf16> -> tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @exact_casts
// CHECK-SAME: (%[[X:.*]]: tensor<4xf16>)
// CHECK-NEXT: return %[[X]]
func.func @exact_casts(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = fuse.cast %x : tensor<4xf16> -> tensor<4xf32>
  %1 = fuse.cast %0 : tensor<4xf32> -> tensor<4xf16>
  return %1 : tensor<4xf16>
}

// -----

// What is summed is read in its compute type anyway: exact casts within that go away.
// CHECK-LABEL: func.func @casts_of_terms
// CHECK-SAME: (%[[X:.*]]: tensor<5xui8>, %[[Y:.*]]: tensor<5xui16>)
// CHECK: %[[W:.*]] = fuse.cast %[[Y]] : tensor<5xui16> -> tensor<5xi16>
// CHECK: fuse.contract %[[X]], %[[W]]
func.func @casts_of_terms(%x: tensor<5xui8>, %y: tensor<5xui16>) -> tensor<i32> {
  %0 = fuse.cast %x : tensor<5xui8> -> tensor<5xi16>
  %1 = fuse.cast %y : tensor<5xui16> -> tensor<5xi16>
  %2 = fuse.contract %0, %1 maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>, affine_map<(n) -> ()>] : tensor<5xi16>, tensor<5xi16> -> tensor<i32>
  return %2 : tensor<i32>
}

// -----

// CHECK-LABEL: func.func @powers
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: %[[SQUARE:.*]] = fuse.mul %[[X]], %[[X]]
// Minus infinity has no root, and infinity for its power.
// CHECK: %[[ROOT:.*]] = fuse.sqrt %[[X]]
// CHECK: %[[LOW:.*]] = fuse.cmp eq %[[X]], %{{.*}}
// CHECK: %[[POWER:.*]] = fuse.select %[[LOW]], %{{.*}}, %[[ROOT]]
// CHECK: return %[[SQUARE]], %[[POWER]]
func.func @powers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %two = fuse.constant dense<2.0> : tensor<4xf32>
  %half = fuse.constant dense<0.5> : tensor<4xf32>
  %0 = fuse.pow %x, %two : tensor<4xf32>
  %1 = fuse.pow %x, %half : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Constants are computed; what is computed per row stays per row.
// CHECK-LABEL: func.func @fold
// CHECK-DAG: %[[C:.*]] = fuse.constant dense<[3.000000e+00, 5.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[CB:.*]] = fuse.broadcast %[[C]] dims = [1]
// CHECK-DAG: %[[R:.*]] = fuse.exp %{{.*}} : tensor<4xf32>
// CHECK-DAG: %[[B:.*]] = fuse.broadcast %[[R]] dims = [0]
// CHECK: fuse.add %[[B]], %[[CB]]
func.func @fold(%row: tensor<4xf32>) -> tensor<4x2xf32> {
  %a = fuse.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = fuse.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %0 = fuse.add %a, %b : tensor<2xf32>
  %1 = fuse.broadcast %0 dims = [1] : tensor<2xf32> -> tensor<4x2xf32>
  %2 = fuse.broadcast %row dims = [0] : tensor<4xf32> -> tensor<4x2xf32>
  %3 = fuse.exp %2 : tensor<4x2xf32>
  %4 = fuse.add %3, %1 : tensor<4x2xf32>
  return %4 : tensor<4x2xf32>
}

// -----

// The factor goes into the weights: a new weight, and the old one is gone.
// CHECK-LABEL: module
// CHECK-NOT: fuse.weight @w =
// CHECK: fuse.weight @w_mul = dense_resource<w_mul> : tensor<4x32xf32>
// CHECK-LABEL: func.func @batch_norm
// CHECK: %[[W:.*]] = fuse.get_weight @w_mul
// CHECK: %[[C:.*]] = fuse.contract %{{.*}}, %[[W]]
// CHECK: fuse.add %[[C]]
// CHECK-NOT: fuse.mul
// CHECK: return
#in = affine_map<(n, o, k) -> (n, k)>
#weight = affine_map<(n, o, k) -> (o, k)>
#out = affine_map<(n, o, k) -> (n, o)>
module {
  fuse.weight @w = dense_resource<w> : tensor<4x32xf32>
  func.func @batch_norm(%x: tensor<2x32xf32>) -> tensor<2x4xf32> {
    %w = fuse.get_weight @w : tensor<4x32xf32>
    %a = fuse.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %b = fuse.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32>
    %0 = fuse.contract %x, %w maps = [#in, #weight, #out] : tensor<2x32xf32>, tensor<4x32xf32> -> tensor<2x4xf32>
    %1 = fuse.broadcast %b dims = [1] : tensor<4xf32> -> tensor<2x4xf32>
    %2 = fuse.add %0, %1 : tensor<2x4xf32>
    %3 = fuse.broadcast %a dims = [1] : tensor<4xf32> -> tensor<2x4xf32>
    %4 = fuse.mul %2, %3 : tensor<2x4xf32>
    return %4 : tensor<2x4xf32>
  }
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F"
    }
  }
#-}

// -----

// The refusal: weights that are not constant cannot take the factors.
#in = affine_map<(n, o, k) -> (n, k)>
#weight = affine_map<(n, o, k) -> (o, k)>
#out = affine_map<(n, o, k) -> (n, o)>
// CHECK-LABEL: func.func @factors_stay
// CHECK: fuse.contract
// CHECK: fuse.mul
func.func @factors_stay(%x: tensor<2x32xf32>, %w: tensor<4x32xf32>) -> tensor<2x4xf32> {
  %a = fuse.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = fuse.contract %x, %w maps = [#in, #weight, #out] : tensor<2x32xf32>, tensor<4x32xf32> -> tensor<2x4xf32>
  %1 = fuse.broadcast %a dims = [1] : tensor<4xf32> -> tensor<2x4xf32>
  // expected-remark @below {{factors not folded into the contraction: none of its operands is a constant}}
  %2 = fuse.mul %0, %1 : tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// -----

// Transposes of operands and result, and a repeated operand, go into the maps.
#lhs = affine_map<(b, m, n, k) -> (b, m, k)>
#rhs = affine_map<(b, m, n, k) -> (b, k, n)>
#out = affine_map<(b, m, n, k) -> (b, m, n)>
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>
// CHECK-LABEL: func.func @maps
// CHECK-NEXT: %[[C:.*]] = fuse.contract %{{.*}}, %{{.*}} maps = [#[[LHS]], #[[RHS]], #[[OUT]]]
// CHECK-NEXT: return %[[C]]
func.func @maps(%x: tensor<2x5x3xf32>, %w: tensor<5x4xf32>) -> tensor<3x2x4xf32> {
  %0 = fuse.transpose %x perm = [0, 2, 1] : tensor<2x5x3xf32> -> tensor<2x3x5xf32>
  %1 = fuse.broadcast %w dims = [1, 2] : tensor<5x4xf32> -> tensor<2x5x4xf32>
  %2 = fuse.contract %0, %1 maps = [#lhs, #rhs, #out] : tensor<2x3x5xf32>, tensor<2x5x4xf32> -> tensor<2x3x4xf32>
  %3 = fuse.transpose %2 perm = [1, 0, 2] : tensor<2x3x4xf32> -> tensor<3x2x4xf32>
  return %3 : tensor<3x2x4xf32>
}

// -----

// An outer product, which sums nothing, is a pointwise product; its operands come in
// the order of the result's dimensions. Narrow elements are multiplied as they would be.
#lhs = affine_map<(m, n, k) -> (n, m)>
#rhs = affine_map<(m, n, k) -> (k)>
#out = affine_map<(m, n, k) -> (m, k, n)>
// CHECK-LABEL: func.func @outer
// CHECK: %[[T:.*]] = fuse.transpose %{{.*}} perm = [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
// CHECK: %[[X:.*]] = fuse.broadcast %[[T]] dims = [0, 2] : tensor<2x3xf32> -> tensor<2x4x3xf32>
// CHECK: %[[Y:.*]] = fuse.broadcast %{{.*}} dims = [1] : tensor<4xf32> -> tensor<2x4x3xf32>
// CHECK: %[[M:.*]] = fuse.mul %[[X]], %[[Y]] : tensor<2x4x3xf32>
// CHECK: %[[A:.*]] = fuse.cast %{{.*}} : tensor<5xi8> -> tensor<5xi32>
// CHECK: %[[B:.*]] = fuse.cast %{{.*}} : tensor<5xi8> -> tensor<5xi32>
// CHECK: %[[N:.*]] = fuse.mul %[[A]], %[[B]] : tensor<5xi32>
// CHECK: return %[[M]], %[[N]]
func.func @outer(%x: tensor<3x2xf32>, %y: tensor<4xf32>, %i: tensor<5xi8>, %j: tensor<5xi8>) -> (tensor<2x4x3xf32>, tensor<5xi32>) {
  %0 = fuse.contract %x, %y maps = [#lhs, #rhs, #out] : tensor<3x2xf32>, tensor<4xf32> -> tensor<2x4x3xf32>
  %1 = fuse.contract %i, %j maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>, affine_map<(n) -> (n)>] : tensor<5xi8>, tensor<5xi8> -> tensor<5xi32>
  return %0, %1 : tensor<2x4x3xf32>, tensor<5xi32>
}

// -----

// A grouped convolution's reshape sinks below bias and activation.
#in = affine_map<(n, g, o, p, c) -> (n, g, c, p)>
#weight = affine_map<(n, g, o, p, c) -> (g, o, c)>
#out = affine_map<(n, g, o, p, c) -> (n, g, o, p)>
// CHECK-LABEL: func.func @sink
// CHECK: %[[C:.*]] = fuse.contract
// CHECK: %[[B:.*]] = fuse.broadcast %{{.*}} dims = [1, 2] : tensor<2x4xf32> -> tensor<1x2x4x9xf32>
// CHECK: %[[A:.*]] = fuse.add %[[C]], %[[B]] : tensor<1x2x4x9xf32>
// CHECK: %[[M:.*]] = fuse.maximum %[[A]], {{.*}} : tensor<1x2x4x9xf32>
// CHECK: %[[R:.*]] = fuse.reshape %[[M]] : tensor<1x2x4x9xf32> -> tensor<1x8x9xf32>
// CHECK: return %[[R]]
func.func @sink(%x: tensor<1x2x3x9xf32>, %w: tensor<2x4x3xf32>, %b: tensor<8xf32>) -> tensor<1x8x9xf32> {
  %0 = fuse.contract %x, %w maps = [#in, #weight, #out] : tensor<1x2x3x9xf32>, tensor<2x4x3xf32> -> tensor<1x2x4x9xf32>
  %1 = fuse.reshape %0 : tensor<1x2x4x9xf32> -> tensor<1x8x9xf32>
  %2 = fuse.broadcast %b dims = [1] : tensor<8xf32> -> tensor<1x8x9xf32>
  %3 = fuse.add %1, %2 : tensor<1x8x9xf32>
  %c = fuse.constant dense<0.0> : tensor<f32>
  %zero = fuse.broadcast %c dims = [] : tensor<f32> -> tensor<1x8x9xf32>
  %4 = fuse.maximum %3, %zero : tensor<1x8x9xf32>
  return %4 : tensor<1x8x9xf32>
}

// -----

// Accesses: a pad goes into the window, a gather at 0 and 2 is a slice.
// CHECK-LABEL: func.func @accesses
// CHECK: %[[W:.*]] = fuse.window %{{.*}} pad_low = [1]
// CHECK: %[[S:.*]] = fuse.slice %{{.*}} offsets = [0, 0] strides = [1, 2] : tensor<4x8xf32> -> tensor<4x2xf32>
// CHECK: return %[[W]], %[[S]]
func.func @accesses(%x: tensor<4x8xf32>) -> (tensor<4x8x3xf32>, tensor<4x2xf32>) {
  %0 = fuse.pad %x low = [0, 1] high = [0, 1] fill = 0.0 : f32 : tensor<4x8xf32> -> tensor<4x10xf32>
  %1 = fuse.window %0 sizes = [3] strides = [1] dilations = [1] pad_low = [0] fill = 0.0 : f32 : tensor<4x10xf32> -> tensor<4x8x3xf32>
  %i = fuse.constant dense<[0, 2]> : tensor<2xi64>
  %2 = fuse.gather %x, %i axis = 1 : tensor<4x8xf32>, tensor<2xi64> -> tensor<4x2xf32>
  return %1, %2 : tensor<4x8x3xf32>, tensor<4x2xf32>
}

// -----

// A slice from the origin has identity maps, but fewer points than its operand:
// no reshape sinks below it.
// CHECK-LABEL: func.func @slice_from_origin
// CHECK: %[[E:.*]] = fuse.exp
// CHECK: %[[R:.*]] = fuse.reshape %[[E]] : tensor<1x576xf32> -> tensor<576xf32>
// CHECK: %[[S:.*]] = fuse.slice %[[R]] {{.*}} : tensor<576xf32> -> tensor<192xf32>
// CHECK: return %[[S]]
func.func @slice_from_origin(%x: tensor<1x576xf32>) -> tensor<192xf32> {
  %0 = fuse.exp %x : tensor<1x576xf32>
  %1 = fuse.reshape %0 : tensor<1x576xf32> -> tensor<576xf32>
  %2 = fuse.slice %1 offsets = [0] strides = [1] : tensor<576xf32> -> tensor<192xf32>
  return %2 : tensor<192xf32>
}

// -----

// Operands of commutative operations stand in one order: what is computed, what
// is repeated, constants, splats. Equals stay as they are, and a difference has
// no order.
// CHECK-LABEL: func.func @operand_order
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<4x8xf32>, %[[ROW:.*]]: tensor<8xf32>)
// CHECK-DAG: %[[C:.*]] = fuse.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]>
// CHECK-DAG: %[[ROWS:.*]] = fuse.broadcast %[[ROW]]
// CHECK-DAG: %[[CS:.*]] = fuse.broadcast %[[C]]
// CHECK-DAG: fuse.mul %[[X]], %[[ROWS]]
// CHECK-DAG: fuse.add %[[ROWS]], %[[CS]]
// CHECK-DAG: fuse.maximum %[[Y]], %[[X]]
// CHECK-DAG: fuse.sub %[[ROWS]], %[[X]]
func.func @operand_order(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %row: tensor<8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %rows = fuse.broadcast %row dims = [1] : tensor<8xf32> -> tensor<4x8xf32>
  %c = fuse.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %cs = fuse.broadcast %c dims = [0] : tensor<4xf32> -> tensor<4x8xf32>
  %0 = fuse.mul %rows, %x : tensor<4x8xf32>
  %1 = fuse.add %cs, %rows : tensor<4x8xf32>
  %2 = fuse.maximum %y, %x : tensor<4x8xf32>
  %3 = fuse.sub %rows, %x : tensor<4x8xf32>
  return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Folding puts a constant on the right, wherever its elements lie, and there it stays.
// CHECK-LABEL: func.func @constant_elsewhere
// CHECK: %[[C:.*]] = fuse.constant dense_resource<elsewhere>
// CHECK: %[[ROWS:.*]] = fuse.broadcast
// CHECK: fuse.add %[[ROWS]], %[[C]]
func.func @constant_elsewhere(%row: tensor<8xf32>) -> tensor<4x8xf32> {
  %c = fuse.constant dense_resource<elsewhere> : tensor<4x8xf32>
  %rows = fuse.broadcast %row dims = [1] : tensor<8xf32> -> tensor<4x8xf32>
  %0 = fuse.add %c, %rows : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Integers are equal to themselves, floats unless they are NaN; a choice between
// equals is none.
// CHECK-LABEL: func.func @equal
// CHECK-SAME: (%[[I:.*]]: tensor<4xi64>, %[[X:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<4xi1>)
// CHECK-NOT: fuse.select
// CHECK: %[[NUMBER:.*]] = fuse.cmp eq %[[X]], %[[X]]
// CHECK-NOT: fuse.cmp
// CHECK: return %{{.*}}, %{{.*}}, %[[NUMBER]], %[[I]]
func.func @equal(%i: tensor<4xi64>, %x: tensor<4xf32>, %c: tensor<4xi1>)
    -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi64>) {
  %0 = fuse.cmp le %i, %i : tensor<4xi64>, tensor<4xi64> -> tensor<4xi1>
  %1 = fuse.cmp lt %i, %i : tensor<4xi64>, tensor<4xi64> -> tensor<4xi1>
  %2 = fuse.cmp eq %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  %3 = fuse.select %c, %i, %i : tensor<4xi1>, tensor<4xi64>, tensor<4xi64> -> tensor<4xi64>
  return %0, %1, %2, %3 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi64>
}
