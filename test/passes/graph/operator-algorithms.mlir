// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of operators of users that have several algorithms become choices of calls.
// RUN: fusec-opt %s --fuse-expand-algorithms | FileCheck %s
// RUN: fusec-opt %s --fuse-expand-algorithms=operators-only | FileCheck %s
// RUN: fusec-opt %s --fuse-expand-algorithms=numerics=fast | FileCheck %s --check-prefix=FAST
// RUN: fusec-opt %s --fuse-expand-algorithms=remarks --verify-diagnostics -o /dev/null

fuse.op @custom.Sum version 1 inputs ["x"] outputs ["y"] parameters {tag = 0.0 : f64} of "sums" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}

// The first one stays the first; a name of a choice is its own.
// CHECK-LABEL: func @several
// CHECK: fuse.choice @sum_2 ["plain", "blocked"] : tensor<4xf32> {
// CHECK-NEXT: %[[A:.*]] = fuse.call @custom.Sum(%{{.*}}) {op.algorithm = "plain", tag = 1.000000e+00 : f64}
// CHECK-NEXT: fuse.yield %[[A]]
// CHECK: }, {
// CHECK-NEXT: fuse.call @custom.Sum(%{{.*}}) {op.algorithm = "blocked", op.workspace = 64 : i64, tag = 1.000000e+00 : f64}
// CHECK-NOT: atomic
// FAST-LABEL: func @several
// FAST: fuse.choice @sum_2 ["plain", "blocked", "atomic"]
// FAST: fuse.call @custom.Sum(%{{.*}}) {op.algorithm = "atomic", op.reproducible = false, tag = 1.000000e+00 : f64}
func.func @several(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %taken = fuse.choice @sum ["one"] : tensor<4xf32> {
    %0 = fuse.call @custom.Sum(%x) {tag = 0.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  // expected-remark@unknown {{is not computed by 'atomic': it is not reproducible, and is offered with --numerics=fast}}
  %0 = fuse.call @custom.Sum(%x) {tag = 1.0 : f64,
      op.algorithms = [{name = "plain"}, {name = "blocked", workspace = 64}, {name = "atomic", reproducible = false}]}
      : (tensor<4xf32>) -> tensor<4xf32> loc("net/sum")
  return %taken, %0 : tensor<4xf32>, tensor<4xf32>
}

// Where one is left there is no choice, also within a region.
// CHECK-LABEL: func @one
// CHECK: fuse.if
// CHECK-NOT: fuse.choice
// CHECK: fuse.call @custom.Sum(%{{.*}}) {op.algorithm = "blocked", op.workspace = 64 : i64, tag = 0.000000e+00 : f64}
// FAST-LABEL: func @one
// FAST: fuse.if
// FAST: fuse.choice @call ["atomic", "blocked"]
func.func @one(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.if %c : (tensor<i1>) -> tensor<4xf32> {
    // expected-remark @below {{is not computed by 'atomic'}}
    %1 = fuse.call @custom.Sum(%x) {tag = 0.0 : f64,
        op.algorithms = [{name = "atomic", reproducible = false}, {name = "blocked", workspace = 64}]}
        : (tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  } else {
    fuse.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
