// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-merge-kernels --split-input-file | FileCheck %s
// RUN: fusec-opt %s --model-merge-kernels=remarks --split-input-file --verify-diagnostics -o /dev/null

// Names of arrays, statements and iterators do not matter; extents do. What is
// not launched is left alone.
// CHECK-LABEL: sched.scop @encoder_exp
// CHECK-NEXT:      ins(%x: memref<8xf32>)
// CHECK:         sched.stmt @exp [i: 8]
// CHECK-NOT:   sched.scop @encoder_1_exp
// CHECK:       sched.scop @encoder_2_exp
// CHECK:       sched.scop @idle_exp
sched.scop @encoder_0_exp ins(%x: memref<8xf32>) outs(%y: memref<8xf32>) {
  sched.stmt @exp [i: 8] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
}
sched.scop @encoder_1_exp ins(%a: memref<8xf32>) outs(%b: memref<8xf32>) {
  sched.stmt @other [row: 8] reads %a[row] writes %b[row] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
}
// expected-remark@+1 {{@encoder_2_exp is not merged with @encoder_exp: argument 0 is memref<8xf32> in one and memref<9xf32> in the other}}
sched.scop @encoder_2_exp ins(%x: memref<9xf32>) outs(%y: memref<9xf32>) {
  sched.stmt @exp [i: 9] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
}
// expected-remark@+1 {{@encoder_3_exp is not merged with @encoder_exp: their bodies differ}}
sched.scop @encoder_3_exp ins(%x: memref<8xf32>) outs(%y: memref<8xf32>) {
  sched.stmt @exp [i: 8] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    %1 = math.tanh %0 : f32
    sched.yield %1 : f32
  }
}
sched.scop @idle_exp ins(%x: memref<8xf32>) outs(%y: memref<8xf32>) {
  sched.stmt @exp [i: 8] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
}
// CHECK-LABEL: func.func @main
// CHECK:         kernel.launch @encoder_exp(%arg0, %arg1)
// CHECK:         kernel.launch @encoder_exp(%arg1, %arg0)
// CHECK:         kernel.launch @encoder_2_exp
// CHECK:         kernel.launch @encoder_3_exp
func.func @main(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<9xf32>) attributes {fuse.outputs = 1 : i64} {
  kernel.launch @encoder_0_exp(%x, %y) : memref<8xf32>, memref<8xf32>
  kernel.launch @encoder_1_exp(%y, %x) : memref<8xf32>, memref<8xf32>
  kernel.launch @encoder_2_exp(%z, %z) : memref<9xf32>, memref<9xf32>
  kernel.launch @encoder_3_exp(%x, %y) : memref<8xf32>, memref<8xf32>
  return
}

// -----

// Kernels, and the words that their names share; a group with two variants
// stays.
// CHECK-LABEL: kernel.func @self_proj
// CHECK-SAME:    group = "self_proj"
// CHECK-NOT:   kernel.func @self_k_proj_4
// CHECK:       kernel.func @two
// CHECK:         kernel.launch @self_proj
// CHECK-NEXT:    kernel.launch @self_proj
// CHECK-NEXT:    kernel.launch @two
kernel.func @self_q_proj_3(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "self_q_proj_3", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}
kernel.func @self_k_proj_4(%a: memref<8xf32>, %b: memref<8xf32>)
    attributes {group = "self_k_proj_4", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}
kernel.func @two(%a: memref<8xf32>, %b: memref<8xf32>)
    attributes {group = "two", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}
kernel.func @two_naive(%a: memref<8xf32>, %b: memref<8xf32>)
    attributes {group = "two", variant = "naive", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}
func.func @main(%x: memref<8xf32>, %y: memref<8xf32>) attributes {fuse.outputs = 1 : i64} {
  kernel.launch @self_q_proj_3(%x, %y) : memref<8xf32>, memref<8xf32>
  kernel.launch @self_k_proj_4(%x, %y) : memref<8xf32>, memref<8xf32>
  kernel.launch @two(%x, %y) : memref<8xf32>, memref<8xf32>
  return
}
