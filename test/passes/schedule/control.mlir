// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and conditions of the host program.
// RUN: fusec-opt %s --convert-fuse-to-sched --split-input-file | FileCheck %s
// RUN: fusec-opt %s --convert-fuse-to-sched=remarks --split-input-file --verify-diagnostics -o /dev/null

// The group reads the one buffer of the carried value and writes the other, and
// a row of the output; what is carried is copied into its output at the end.
// CHECK-LABEL: func.func @loop(%arg0: memref<4xf32>, %arg1: memref<5x4xf32>, %arg2: memref<4xf32>, %arg3: memref<5x4xf32>)
// CHECK-NEXT: %[[A:.*]] = kernel.buffer : memref<4xf32>
// CHECK-NEXT: kernel.copy %arg0, %[[A]]
// CHECK-NEXT: %[[B:.*]] = kernel.buffer : memref<4xf32>
// CHECK-NEXT: %[[L:.*]] = kernel.repeat trips = 5 swaps(%[[A]], %[[B]])
// CHECK-NEXT: ^bb0(%[[I:.*]]: index, %[[NOW:.*]]: memref<4xf32>, %[[NEXT:.*]]: memref<4xf32>):
// CHECK-NEXT: %[[X:.*]] = kernel.view %arg1 at 16 + %[[I]] * -4
// CHECK-NEXT: %[[Y:.*]] = kernel.view %arg3 at %[[I]] * 4
// CHECK-NEXT: kernel.launch @step(%[[NOW]], %[[X]], %[[NEXT]])
// CHECK-NEXT: kernel.copy %[[NEXT]], %[[Y]]
// CHECK: kernel.copy %[[L]], %arg2
func.func @loop(%h0: tensor<4xf32>, %x: tensor<5x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
  %h, %y = fuse.loop trips = 5 carries(%h0) slices(%x) attributes {reversed_slices = array<i64: 0>}
      : (tensor<4xf32>, tensor<5x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>, %r: tensor<4xf32>):
    %s = fuse.group @step (%a, %r) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
      %0 = fuse.add %p, %q : tensor<4xf32>
      fuse.yield %0 : tensor<4xf32>
    }
    fuse.yield %s, %s : tensor<4xf32>, tensor<4xf32>
  }
  // expected-remark @below {{result 0 is copied: it is carried by a loop}}
  return %h, %y : tensor<4xf32>, tensor<5x4xf32>
}

// -----

// A start that nothing else reads is computed into the loop's buffer. Data may
// end the loop: the condition is a buffer of its own.
// CHECK-LABEL: func.func @early
// CHECK: %[[A:.*]] = kernel.buffer : memref<4xf32>
// CHECK-NEXT: kernel.launch @start(%arg0, %[[A]])
// CHECK-NEXT: %[[C:.*]] = kernel.buffer : memref<i1>
// CHECK-NEXT: kernel.copy %arg1, %[[C]]
// CHECK: kernel.repeat trips = 5 count(%arg2) while(%[[C]]) swaps(%[[A]], %
// CHECK: %[[N:.*]] = kernel.buffer : memref<i64>
// CHECK-NEXT: kernel.set_index %{{.*}}, %[[N]]
// CHECK: kernel.launch @test(%{{.*}}, %[[N]], %[[C]])
func.func @early(%x: tensor<4xf32>, %c: tensor<i1>, %n: tensor<i64>) -> tensor<5x4xf32> {
  %h0 = fuse.group @start (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %0 = fuse.exp %p : tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  %h, %y = fuse.loop trips = 5 count(%n) while(%c) carries(%h0)
      : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    %s = fuse.group @step (%a) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%p: tensor<4xf32>):
      %0 = fuse.exp %p : tensor<4xf32>
      fuse.yield %0 : tensor<4xf32>
    }
    %t = fuse.group @test (%n, %i) : (tensor<i64>, tensor<i64>) -> tensor<i1> {
    ^bb0(%p: tensor<i64>, %q: tensor<i64>):
      %0 = fuse.cmp lt %p, %q : tensor<i64>, tensor<i64> -> tensor<i1>
      fuse.yield %0 : tensor<i1>
    }
    fuse.yield %t, %s, %a : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  }
  return %y : tensor<5x4xf32>
}

// -----

// Both branches write into the output.
// CHECK-LABEL: func.func @branch
// CHECK: kernel.branch %arg1 : memref<i1> {
// CHECK-NEXT: kernel.launch @exp(%arg0, %arg2)
// CHECK: } else {
// CHECK-NEXT: kernel.copy %arg0, %arg2
func.func @branch(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %y = fuse.if %c : (tensor<i1>) -> tensor<4xf32> {
    %0 = fuse.group @exp (%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%p: tensor<4xf32>):
      %1 = fuse.exp %p : tensor<4xf32>
      fuse.yield %1 : tensor<4xf32>
    }
    fuse.yield %0 : tensor<4xf32>
  } else {
    fuse.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
