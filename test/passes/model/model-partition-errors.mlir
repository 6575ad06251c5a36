// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-partition --split-input-file --verify-diagnostics

// Nobody knows yet what a schedule's kernel will write.
module attributes {fuse.target = "cuda-sm80"} {
  func.func @early(%x: memref<4xf32>, %y: memref<4xf32>) attributes {fuse.outputs = 1 : i64} {
    // expected-error@+1 {{runs @copy, which is no kernel.func; schedules must be converted before}}
    kernel.launch @copy(%x, %y) : memref<4xf32>, memref<4xf32>
    return
  }
  sched.scop @copy ins(%x: memref<4xf32>) outs(%y: memref<4xf32>) {
    sched.stmt @s [i: 4] reads %x[i] writes %y[i] {
    ^bb0(%v: f32):
      sched.yield %v : f32
    }
  }
}
