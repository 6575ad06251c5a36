// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s | fusec-opt | FileCheck %s

// CHECK-LABEL: func.func @conditions
func.func @conditions(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: fuse.if %{{.*}} : (tensor<i1>) -> tensor<4xf32> {
  // CHECK:   fuse.yield
  // CHECK: } else {
  %y = fuse.if %c : (tensor<i1>) -> tensor<4xf32> {
    %0 = fuse.exp %x : tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  } else {
    fuse.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @loops
func.func @loops(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<5x4xf32>, %h0: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<5x4xf32>) {
  // CHECK: fuse.loop trips = 5 carries(%{{.*}}) slices(%{{.*}}) : (tensor<4xf32>, tensor<5x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
  %h, %y = fuse.loop trips = 5 carries(%h0) slices(%x)
      : (tensor<4xf32>, tensor<5x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = fuse.add %a, %b : tensor<4xf32>
    fuse.yield %0, %0 : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: fuse.loop count(%{{.*}}) while(%{{.*}}) carries(%{{.*}}) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  %g = fuse.loop count(%n) while(%c) carries(%h) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    fuse.yield %c, %a : tensor<i1>, tensor<4xf32>
  }
  // CHECK: fuse.loop trips = 5 slices(%{{.*}}) attributes {reversed_slices = array<i64: 0>, reversed_stacks = array<i64: 0>}
  %z = fuse.loop trips = 5 slices(%x) attributes {reversed_slices = array<i64: 0>, reversed_stacks = array<i64: 0>}
      : (tensor<5x4xf32>) -> tensor<5x4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    fuse.yield %a : tensor<4xf32>
  }
  return %g, %z : tensor<4xf32>, tensor<5x4xf32>
}

// CHECK-LABEL: func.func @layers
func.func @layers(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %b: tensor<1x8xf32>,
                  %n: tensor<2xi32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  // CHECK: fuse.rnn reverse %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} lengths %{{.*}} {
  %y, %h = fuse.rnn reverse %x, %w, %r bias %b lengths %n {activations = ["Tanh"], alphas = array<f64: 0.0>,
      betas = array<f64: 0.0>}
    : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>, tensor<2xi32>)
      -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %y, %h : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}
