// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --sched-coalesce-dims --verify-diagnostics

sched.scop @exp ins(%x: memref<8x128xf32>) outs(%y: memref<8x128xf32>) {
  sched.stmt @exp [i: 8, j: 128] reads %x[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
}
func.func @main(%x: memref<8x128xf32>, %y: memref<8x128xf32>) attributes {fuse.outputs = 1 : i64} {
  // expected-error@+1 {{passes 3 operands to a scop of 2 arguments}}
  kernel.launch @exp(%x, %y, %y) : memref<8x128xf32>, memref<8x128xf32>, memref<8x128xf32>
  return
}
