// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s | fusec-opt | FileCheck %s

// An operator of a user's is declared with what it is made of, and called as a
// routine of the library is.
// CHECK: fuse.op @custom.Twice version 1 inputs ["x"] outputs ["y"] parameters {axes = array<i64: 1, 2>, scale = 2.000000e+00 : f64} of "twice" hash "0123456789abcdef" attributes {
// CHECK-SAME: sources = {twice.cpp = "text"}
fuse.op @custom.Twice version 1 inputs ["x"] outputs ["y"]
    parameters {axes = array<i64: 1, 2>, scale = 2.0 : f64} of "twice" hash "0123456789abcdef"
    attributes {flags = ["-O3"], sources = {twice.cpp = "text"}, unit = 0, units = ["twice.cpp"]}

// CHECK-LABEL: func @calls
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: fuse.call @custom.Twice(%{{.*}}) {axes = array<i64: 3>, op.workspace = 64 : i64, scale = 5.000000e-01 : f64}
  %0 = fuse.call @custom.Twice(%x) {axes = array<i64: 3>, scale = 0.5 : f64, op.workspace = 64}
      : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @memory
func.func @memory(%x: memref<4xf32>, %y: memref<4xf32>, %space: memref<64xi8>) {
  // CHECK: kernel.call @custom.Twice(%{{.*}}) outs(%{{.*}}) workspace(%{{.*}} : memref<64xi8>)
  kernel.call @custom.Twice(%x) outs(%y) workspace(%space : memref<64xi8>)
      {axes = array<i64>, scale = 0.5 : f64, op.workspace = 64} : (memref<4xf32>) -> memref<4xf32>
  return
}

// CHECK-LABEL: func @quantized
func.func @quantized(%x: tensor<4x2xi8>) -> tensor<4x2xi8> {
  // CHECK: op.quantized = [{axis = 1 : i64, scales = array<f32: 5.000000e-01, 2.500000e-01>, zero_points = array<i64: 1, -2>}]
  %0 = fuse.call @custom.Twice(%x) {axes = array<i64: 3>, scale = 0.5 : f64,
      op.quantized = [{axis = 1 : i64, scales = array<f32: 0.5, 0.25>, zero_points = array<i64: 1, -2>}]}
      : (tensor<4x2xi8>) -> tensor<4x2xi8>
  return %0 : tensor<4x2xi8>
}

// CHECK-LABEL: func @in_place
func.func @in_place(%x: memref<8xf32>) {
  // CHECK: kernel.call @custom.Twice(%[[X:.*]]) outs(%[[X]]) {axes = array<i64>, op.must_alias = array<i64: 0>
  kernel.call @custom.Twice(%x) outs(%x) {axes = array<i64>, scale = 0.5 : f64, op.must_alias = array<i64: 0>}
      : (memref<8xf32>) -> memref<8xf32>
  return
}

// CHECK-LABEL: func @algorithms
func.func @algorithms(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: fuse.call @custom.Twice(%{{.*}}) {axes = array<i64>, op.algorithms = [{name = "plain"}, {name = "blocked", workspace = 64 : i64}, {name = "atomic", reproducible = false}], scale = 5.000000e-01 : f64}
  %0 = fuse.call @custom.Twice(%x) {axes = array<i64>, scale = 0.5 : f64,
      op.algorithms = [{name = "plain"}, {name = "blocked", workspace = 64}, {name = "atomic", reproducible = false}]}
      : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: fuse.call @custom.Twice(%{{.*}}) {axes = array<i64>, op.algorithm = "atomic", op.reproducible = false, op.workspace = 8 : i64, scale = 5.000000e-01 : f64}
  %1 = fuse.call @custom.Twice(%x) {axes = array<i64>, scale = 0.5 : f64,
      op.algorithm = "atomic", op.reproducible = false, op.workspace = 8}
      : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A function of blocks, and how a call is shared among them.
// CHECK: fuse.op @acme.Sums
// CHECK-SAME: block = {alone = false, file = "sums.cuh", function = "acme::sums", parameters = ["scale"]}
fuse.op @acme.Sums version 1 inputs ["x"] outputs ["y"] parameters {scale = 1.0 : f64} of "sums" hash "0123456789abcdef"
    attributes {flags = [], sources = {sums.cpp = "", sums.cuh = ""}, unit = 0, units = ["sums.cpp"],
    block = {alone = false, file = "sums.cuh", function = "acme::sums", parameters = ["scale"]}}

// CHECK-LABEL: func @blocks
func.func @blocks(%x: tensor<4x9xf32>) -> tensor<4xf32> {
  // CHECK: fuse.call @acme.Sums(%{{.*}}) {op.block = {blocks = 4 : i64, shared = 0 : i64, threads = 128 : i64, workspace = 16 : i64}, scale = 5.000000e-01 : f64}
  %0 = fuse.call @acme.Sums(%x) {op.block = {blocks = 4, shared = 0, threads = 128, workspace = 16}, scale = 0.5 : f64}
      : (tensor<4x9xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
