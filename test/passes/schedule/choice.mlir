// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --convert-fuse-to-sched --split-input-file | FileCheck %s

// Both alternatives write into the output; the second one has a buffer of its own.
// CHECK: sched.scop @direct
// CHECK: sched.scop @first
// CHECK: sched.scop @second
// CHECK-LABEL: func.func @main
// CHECK-NEXT: kernel.choice @sum ["direct", "two"] {
// CHECK-NEXT: kernel.launch @direct(%arg0, %arg1)
// CHECK: }, {
// CHECK-NEXT: %[[B:.*]] = kernel.buffer : memref<4xf32>
// CHECK-NEXT: kernel.launch @first(%arg0, %[[B]])
// CHECK-NEXT: kernel.launch @second(%[[B]], %arg1)
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = fuse.choice @sum ["direct", "two"] : tensor<4xf32> {
    %0 = fuse.group @direct (%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%p: tensor<4xf32>):
      %1 = fuse.exp %p : tensor<4xf32>
      fuse.yield %1 : tensor<4xf32>
    }
    fuse.yield %0 : tensor<4xf32>
  }, {
    %0 = fuse.group @first (%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%p: tensor<4xf32>):
      %1 = fuse.neg %p : tensor<4xf32>
      fuse.yield %1 : tensor<4xf32>
    }
    %2 = fuse.group @second (%0) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%p: tensor<4xf32>):
      %1 = fuse.tanh %p : tensor<4xf32>
      fuse.yield %1 : tensor<4xf32>
    }
    fuse.yield %2 : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

fuse.op @custom.Add version 1 inputs ["x"] outputs ["y"] parameters {} of "adds" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}

// What all alternatives make in place of one value, which nothing reads later, has its memory.
// CHECK-LABEL: func.func @main
// CHECK: %[[B:.*]] = kernel.buffer
// CHECK-NEXT: kernel.launch @first(%arg0, %[[B]])
// CHECK-NOT: kernel.buffer
// CHECK-NOT: kernel.copy
// CHECK: kernel.choice @add ["one", "two"] {
// CHECK-NEXT: kernel.call @custom.Add(%[[B]]) outs(%[[B]]) {op.algorithm = "one"
// CHECK-NOT: kernel.copy
// CHECK: kernel.call @custom.Add(%[[B]]) outs(%[[B]]) {op.algorithm = "two"
// CHECK-NOT: kernel.copy
// CHECK: kernel.launch @second(%[[B]], %arg1)
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.group @first (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %1 = fuse.neg %p : tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  %2 = fuse.choice @add ["one", "two"] : tensor<4xf32> {
    %1 = fuse.call @custom.Add(%0) {op.algorithm = "one", op.must_alias = array<i64: 0>}
        : (tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }, {
    %1 = fuse.call @custom.Add(%0) {op.algorithm = "two", op.must_alias = array<i64: 0>}
        : (tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  %3 = fuse.group @second (%2) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %1 = fuse.exp %p : tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  return %3 : tensor<4xf32>
}

// -----

fuse.op @custom.Add version 1 inputs ["x"] outputs ["y"] parameters {} of "adds" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}

// Where something reads it later, each has a copy; where it is the output, it is made there.
// CHECK-LABEL: func.func @read
// CHECK: kernel.launch @first(%arg0, %[[B:.*]])
// CHECK: kernel.choice @add
// CHECK: kernel.copy %[[B]], %arg1
// CHECK-NEXT: kernel.call @custom.Add(%arg1) outs(%arg1)
// CHECK-LABEL: func.func @direct
// CHECK-NOT: kernel.buffer
// CHECK-NOT: kernel.copy
// CHECK: kernel.launch @{{.*}}(%arg0, %arg1)
// CHECK-NEXT: kernel.choice @add
// CHECK-NEXT: kernel.call @custom.Add(%arg1) outs(%arg1)
// CHECK-NOT: kernel.copy
// CHECK: return
func.func @read(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fuse.group @first (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %1 = fuse.neg %p : tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  %2 = fuse.choice @add ["one"] : tensor<4xf32> {
    %1 = fuse.call @custom.Add(%0) {op.algorithm = "one", op.must_alias = array<i64: 0>}
        : (tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  return %2, %0 : tensor<4xf32>, tensor<4xf32>
}
func.func @direct(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.group @first (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %1 = fuse.neg %p : tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  %2 = fuse.choice @add ["one"] : tensor<4xf32> {
    %1 = fuse.call @custom.Add(%0) {op.algorithm = "one", op.must_alias = array<i64: 0>}
        : (tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}
