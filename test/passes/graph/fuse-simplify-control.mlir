// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-simplify --split-input-file | FileCheck %s

// A known condition leaves one branch.
// CHECK-LABEL: func.func @known_condition
// CHECK-NEXT: %[[E:.*]] = fuse.exp
// CHECK-NEXT: return %[[E]]
func.func @known_condition(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = fuse.constant dense<true> : tensor<i1>
  %y = fuse.if %c : (tensor<i1>) -> tensor<4xf32> {
    %0 = fuse.exp %x : tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  } else {
    fuse.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// Results that nobody uses are not computed.
// CHECK-LABEL: func.func @unused_result
// CHECK: fuse.if %{{.*}} : (tensor<i1>) -> tensor<4xf32> {
// CHECK-NOT: fuse.exp
func.func @unused_result(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y:2 = fuse.if %c : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = fuse.exp %x : tensor<4xf32>
    %1 = fuse.tanh %x : tensor<4xf32>
    fuse.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
  } else {
    fuse.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %y#1 : tensor<4xf32>
}

// -----

// A count that is known is the number of trips; a condition that stays true
// none.
// CHECK-LABEL: func.func @known_count
// CHECK: fuse.loop trips = 3 carries(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
func.func @known_count(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = fuse.constant dense<3> : tensor<i64>
  %c = fuse.constant dense<true> : tensor<i1>
  %y = fuse.loop count(%n) while(%c) carries(%x) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    %0 = fuse.exp %a : tensor<4xf32>
    fuse.yield %c, %0 : tensor<i1>, tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// The extent of a slice is fixed: a smaller count stays one.
// CHECK-LABEL: func.func @count_of_slices
// CHECK: fuse.loop trips = 5 count(%{{.*}})
func.func @count_of_slices(%x: tensor<5x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %n = fuse.constant dense<3> : tensor<i64>
  %y = fuse.loop trips = 5 count(%n) carries(%h) slices(%x)
      : (tensor<i64>, tensor<4xf32>, tensor<5x4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = fuse.add %a, %b : tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @never
// CHECK-NEXT: return %arg0
func.func @never(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = fuse.loop trips = 0 carries(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    %0 = fuse.exp %a : tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @once
// CHECK-NOT: fuse.loop
// CHECK: fuse.reshape %arg1 : tensor<1x4xf32> -> tensor<4xf32>
// CHECK: fuse.add
func.func @once(%h: tensor<4xf32>, %x: tensor<1x4xf32>) -> (tensor<4xf32>, tensor<1x4xf32>) {
  %y, %z = fuse.loop trips = 1 carries(%h) slices(%x)
      : (tensor<4xf32>, tensor<1x4xf32>) -> (tensor<4xf32>, tensor<1x4xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = fuse.add %a, %b : tensor<4xf32>
    fuse.yield %0, %0 : tensor<4xf32>, tensor<4xf32>
  }
  return %y, %z : tensor<4xf32>, tensor<1x4xf32>
}

// -----

// What is the same each time is done before; what is carried unchanged is used
// from outside; slices and stacks in vain are dropped.
// CHECK-LABEL: func.func @invariants
// CHECK: %[[E:.*]] = fuse.exp %arg1
// CHECK: %[[L:.*]] = fuse.loop trips = 5 carries(%arg0) slices(%arg3) attributes {reversed_slices = array<i64: 0>}
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>):
// CHECK-NEXT: %[[S:.*]] = fuse.add %[[A]], %[[E]]
// CHECK-NEXT: %[[T:.*]] = fuse.add %[[S]], %[[B]]
// CHECK-NEXT: fuse.yield %[[T]] : tensor<4xf32>
// CHECK: return %[[L]], %arg1
func.func @invariants(%h: tensor<4xf32>, %k: tensor<4xf32>, %x: tensor<5x4xf32>, %y: tensor<5x4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %r:3 = fuse.loop trips = 5 carries(%h, %k) slices(%x, %y) attributes {reversed_slices = array<i64: 1>}
      : (tensor<4xf32>, tensor<4xf32>, tensor<5x4xf32>, tensor<5x4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<5x4xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>):
    %0 = fuse.exp %b : tensor<4xf32>
    %1 = fuse.add %a, %0 : tensor<4xf32>
    %2 = fuse.add %1, %d : tensor<4xf32>
    fuse.yield %2, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A slice from the beginning has the identity as its map, yet another shape.
// CHECK-LABEL: func.func @slice_of_reshape
// CHECK: fuse.reshape %{{.*}} : tensor<1x12xf32> -> tensor<12xf32>
// CHECK: fuse.slice %{{.*}} : tensor<12xf32> -> tensor<6xf32>
func.func @slice_of_reshape(%x: tensor<1x12xf32>) -> tensor<6xf32> {
  %0 = fuse.exp %x : tensor<1x12xf32>
  %1 = fuse.reshape %0 : tensor<1x12xf32> -> tensor<12xf32>
  %2 = fuse.slice %1 offsets = [0] strides = [1] : tensor<12xf32> -> tensor<6xf32>
  return %2 : tensor<6xf32>
}
