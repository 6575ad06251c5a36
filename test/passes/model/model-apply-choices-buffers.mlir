// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-apply-choices | FileCheck %s

// Two kernels do less than one, but what the second reads of the first is loaded from a
// cache that cores share: 8 MB of numbers. A small buffer costs nothing.
// CHECK-LABEL: func.func @main
// CHECK-SAME: algorithm = "together"{{.*}}name = "large"
// CHECK-SAME: algorithm = "apart"{{.*}}name = "small"

sched.scop @large_first ins(%x: memref<2097152xf32>) outs(%y: memref<2097152xf32>) {
  sched.stmt @s [i: 2097152] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    sched.yield %1 : f32
  }
}
sched.scop @large_together ins(%x: memref<2097152xf32>) outs(%y: memref<2097152xf32>) {
  sched.stmt @s [i: 2097152] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    %2 = arith.mulf %1, %0 : f32
    %3 = arith.addf %2, %0 : f32
    sched.yield %3 : f32
  }
}
sched.scop @small_first ins(%x: memref<131072xf32>) outs(%y: memref<131072xf32>) {
  sched.stmt @s [i: 131072] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    sched.yield %1 : f32
  }
}
sched.scop @small_together ins(%x: memref<131072xf32>) outs(%y: memref<131072xf32>) {
  sched.stmt @s [i: 131072] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    %2 = arith.mulf %1, %0 : f32
    %3 = arith.addf %2, %0 : f32
    %4 = arith.mulf %3, %0 : f32
    %5 = arith.addf %4, %0 : f32
    sched.yield %5 : f32
  }
}
func.func @main(%x: memref<2097152xf32>, %y: memref<2097152xf32>, %p: memref<131072xf32>, %q: memref<131072xf32>) {
  kernel.choice @large ["apart", "together"] {
    %b = kernel.buffer : memref<2097152xf32>
    kernel.launch @large_first(%x, %b) : memref<2097152xf32>, memref<2097152xf32>
    kernel.launch @large_first(%b, %y) : memref<2097152xf32>, memref<2097152xf32>
  }, {
    kernel.launch @large_together(%x, %y) : memref<2097152xf32>, memref<2097152xf32>
  }
  kernel.choice @small ["apart", "together"] {
    %b = kernel.buffer : memref<131072xf32>
    kernel.launch @small_first(%p, %b) : memref<131072xf32>, memref<131072xf32>
    kernel.launch @small_first(%b, %q) : memref<131072xf32>, memref<131072xf32>
  }, {
    kernel.launch @small_together(%p, %q) : memref<131072xf32>, memref<131072xf32>
  }
  return
}
