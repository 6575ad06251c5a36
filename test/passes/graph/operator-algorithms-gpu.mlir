// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of an operator that launches its own kernels on a GPU there is nothing to choose: its
// algorithms are for CPUs, and the first is what runs where there is no GPU.
// RUN: fusec-opt %s --fuse-expand-algorithms | FileCheck %s
// RUN: sed 's/"cuda-sm80"/"generic"/' %s | fusec-opt --fuse-expand-algorithms | FileCheck %s --check-prefix=CPU

module attributes {fuse.target = "cuda-sm80"} {
fuse.op @custom.Sum version 1 inputs ["x"] outputs ["y"] parameters {} of "sums" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"], cuda = {alone = false, unit = 0 : i64}}

// CHECK-LABEL: func @launched
// CHECK-NOT: fuse.choice
// CHECK: fuse.call @custom.Sum(%{{.*}}) {op.algorithm = "blocked", op.cuda_workspace = 0 : i64, op.workspace = 64 : i64}
// CHECK: return
// CPU-LABEL: func @launched
// CPU: fuse.choice @call ["blocked", "plain"]
func.func @launched(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.call @custom.Sum(%x) {op.cuda_workspace = 0 : i64,
      op.algorithms = [{name = "atomic", reproducible = false}, {name = "blocked", workspace = 64}, {name = "plain"}]}
      : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// One that the operator does not support there runs on the host, by either.
// CHECK-LABEL: func @on_host
// CHECK: fuse.choice @call ["blocked", "plain"]
func.func @on_host(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.call @custom.Sum(%x) {op.algorithms = [{name = "blocked", workspace = 64}, {name = "plain"}]}
      : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A text and kernels stay a choice, of these two.
// CHECK-LABEL: func @text
// CHECK: fuse.choice @sum ["body", "kernel"]
// CHECK: fuse.call @custom.Sum(%{{.*}}) {op.algorithm = "blocked", op.cuda_workspace = 8 : i64, op.workspace = 64 : i64}
// CPU-LABEL: func @text
// CPU: fuse.choice @sum ["body", "blocked", "plain"]
func.func @text(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.choice @sum ["body", "kernel"] : tensor<4xf32> {
    %1 = fuse.add %x, %x : tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }, {
    %1 = fuse.call @custom.Sum(%x) {op.cuda_workspace = 8 : i64,
        op.algorithms = [{name = "blocked", workspace = 64}, {name = "plain"}]}
        : (tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// Nor of one with a function of blocks.
fuse.op @custom.Blocks version 1 inputs ["x"] outputs ["y"] parameters {} of "sums" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.cuh = ""}, unit = 0, units = ["a.cpp"],
    block = {alone = false, file = "a.cuh", function = "f", parameters = []}}
// CHECK-LABEL: func @blocks
// CHECK-NOT: fuse.choice
// CHECK: fuse.call @custom.Blocks(%{{.*}}) {op.algorithm = "blocked", op.block = {blocks = 1 : i64, shared = 0 : i64, threads = 32 : i64, workspace = 0 : i64}, op.workspace = 64 : i64}
// CHECK: return
// CPU-LABEL: func @blocks
// CPU: fuse.choice @call ["blocked", "plain"]
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.call @custom.Blocks(%x) {op.block = {blocks = 1, shared = 0, threads = 32, workspace = 0},
      op.algorithms = [{name = "blocked", workspace = 64}, {name = "plain"}]}
      : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
}
