// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-insert-fills --split-input-file | FileCheck %s
// RUN: fusec-opt %s --model-insert-fills=remarks --split-input-file --verify-diagnostics -o /dev/null

// A kernel that writes zeros is a fill, and a copy of zeros too: neither the kernel
// nor the buffer is left. A fill is a number of the element's type.
// CHECK-NOT: sched.scop
// CHECK-LABEL: func.func @start
// CHECK-NOT:     kernel.buffer
// CHECK:         kernel.fill %arg0 with 0.000000e+00 : f32 : memref<2x3xf32>
// CHECK-NEXT:    kernel.fill %arg1 with 2 : ui8 : memref<4xui8>
// CHECK-NEXT:    return
sched.scop @zeros outs(%y: memref<6xf32>) {
  sched.stmt @zero [i: 6] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}
sched.scop @twos outs(%y: memref<4xui8>) {
  sched.stmt @two [i: 4] writes %y[i] {
    %0 = arith.constant 2 : i32
    sched.yield %0 : i32
  }
}
func.func @start(%x: memref<2x3xf32>, %y: memref<4xui8>) attributes {fuse.outputs = 2 : i64} {
  %0 = kernel.buffer : memref<2x3xf32>
  %1 = kernel.view %0 : memref<2x3xf32> -> memref<6xf32>
  kernel.launch @zeros(%1) : memref<6xf32>
  kernel.copy %0, %x : memref<2x3xf32>
  kernel.launch @twos(%y) : memref<4xui8>
  return
}

// -----

// What a loop of a known number of iterations stacks is written whole; data may end
// the others early. A row that is only read is no stack.
// CHECK-LABEL: func.func @stacks
// CHECK-NEXT:    kernel.repeat trips = 5 :
// CHECK:         kernel.fill %arg2 with 0.000000e+00 : f32 : memref<5x4xf32>
// CHECK-NEXT:    kernel.repeat trips = 5 count(%arg1)
// CHECK-NOT:     kernel.fill
func.func @stacks(%x: memref<5x4xf32>, %n: memref<i64>, %y: memref<5x4xf32>) attributes {fuse.outputs = 1 : i64} {
  kernel.repeat trips = 5 : () -> () {
  ^bb0(%i: index):
    %from = kernel.view %x at %i * 4 : memref<5x4xf32> -> memref<4xf32>
    %to = kernel.view %y at %i * 4 : memref<5x4xf32> -> memref<4xf32>
    kernel.copy %from, %to : memref<4xf32>
    kernel.end
  }
  kernel.repeat trips = 5 count(%n) : (memref<i64>) -> () {
  ^bb0(%i: index):
    %from = kernel.view %x at %i * 4 : memref<5x4xf32> -> memref<4xf32>
    %to = kernel.view %y at %i * 4 : memref<5x4xf32> -> memref<4xf32>
    kernel.copy %from, %to : memref<4xf32>
    kernel.end
  }
  return
}

// -----

// A weight of equal elements is not stored only to be copied; other weights are
// copied, and so are buffers that change after they were filled.
// CHECK:       fuse.weight @other
// CHECK-NOT:   fuse.weight @ones
// CHECK-LABEL: func.func @copies
// CHECK:         kernel.fill %arg0 with 1.000000e+00 : f32
// CHECK:         kernel.copy %{{.*}}, %arg1
// CHECK:         kernel.copy %[[CHANGED:.*]], %arg2
fuse.weight @ones = dense_resource<ones> : tensor<2xf32>
fuse.weight @other = dense_resource<other> : tensor<2xf32>
func.func @copies(%x: memref<2xf32>, %y: memref<2xf32>, %z: memref<2xf32>) attributes {fuse.outputs = 3 : i64} {
  %ones = kernel.weight @ones : memref<2xf32>
  kernel.copy %ones, %x : memref<2xf32>
  %other = kernel.weight @other : memref<2xf32>
  kernel.copy %other, %y : memref<2xf32>
  %changed = kernel.buffer : memref<2xf32>
  kernel.fill %changed with 0.0 : f32 : memref<2xf32>
  kernel.copy %y, %changed : memref<2xf32>
  kernel.copy %changed, %z : memref<2xf32>
  return
}
{-#
  dialect_resources: {
    builtin: {
      ones: "0x400000000000803F0000803F",
      other: "0x400000000000803F00000040"
    }
  }
#-}

// -----

// A weight that was copied through a view goes with the view.
// CHECK-NOT:     fuse.weight
// CHECK-LABEL: func.func @viewed
// CHECK-NEXT:    kernel.fill %{{.*}} with 1.000000e+00 : f32 : memref<2x1xf32>
// CHECK-NEXT:    return
fuse.weight @viewed_ones = dense_resource<viewed_ones> : tensor<2xf32>
func.func @viewed(%x: memref<2x1xf32>) attributes {fuse.outputs = 1 : i64} {
  %ones = kernel.weight @viewed_ones : memref<2xf32>
  %column = kernel.view %ones : memref<2xf32> -> memref<2x1xf32>
  kernel.copy %column, %x : memref<2x1xf32>
  return
}
{-#
  dialect_resources: {
    builtin: {
      viewed_ones: "0x400000000000803F0000803F"
    }
  }
#-}

// -----

// Kernels without inputs that write anything else stay.
sched.scop @iota outs(%y: memref<6xi64>) {
  sched.stmt @number [i: 6] writes %y[i] {
    %0 = sched.index 0 : index
    %1 = arith.index_cast %0 : index to i64
    sched.yield %1 : i64
  }
}
sched.scop @halves outs(%y: memref<6xf32>) {
  sched.stmt @left [i: 3] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @right [i: 3] writes %y[i + 3] {
    %0 = arith.constant 1.0 : f32
    sched.yield %0 : f32
  }
}
sched.scop @third outs(%y: memref<6xf16>) {
  sched.stmt @third [i: 6] writes %y[i] {
    %0 = arith.constant 0.333333 : f32
    sched.yield %0 : f32
  }
}
// CHECK-LABEL: func.func @computed
// CHECK-NEXT:    kernel.launch @iota
// CHECK-NEXT:    kernel.launch @halves
// CHECK-NEXT:    kernel.launch @third
func.func @computed(%x: memref<6xi64>, %y: memref<6xf32>, %z: memref<6xf16>) attributes {fuse.outputs = 3 : i64} {
  // expected-remark@+1 {{@iota is not a fill: what it writes is computed}}
  kernel.launch @iota(%x) : memref<6xi64>
  // expected-remark@+1 {{@halves is not a fill: it writes more than one number}}
  kernel.launch @halves(%y) : memref<6xf32>
  // expected-remark@+1 {{@third is not a fill: its elements do not hold the number}}
  kernel.launch @third(%z) : memref<6xf16>
  return
}
