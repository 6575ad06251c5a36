// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s | fusec-opt | FileCheck %s

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @copies(%x: memref<8x32xf32>, %n: memref<8xi64>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %tile = kernel.local : memref<2x32xf32, #kernel.space<shared>>
    %numbers = kernel.local : memref<8xi64, #kernel.space<shared>>
    kernel.for %j = 0 to 8 map(thread) {
      // CHECK: kernel.copy_async %{{.*}}[7, %[[J:.*]] * 4] to %tile[1, %[[J]] * 4] elements = 4 : memref<8x32xf32>, memref<2x32xf32, #kernel.space<shared>>
      kernel.copy_async %x[7, %j * 4] to %tile[1, %j * 4] elements = 4 : memref<8x32xf32>, memref<2x32xf32, #kernel.space<shared>>
      %inside = kernel.in_bounds affine_set<(d0) : (-d0 + 6 >= 0)>(%j) : i1
      // CHECK: kernel.copy_async %{{.*}}[%[[J]]] to %numbers[%[[J]]] mask %{{.*}} : memref<8xi64>, memref<8xi64, #kernel.space<shared>>
      kernel.copy_async %n[%j] to %numbers[%j] mask %inside : memref<8xi64>, memref<8xi64, #kernel.space<shared>>
    }
    // CHECK: kernel.commit_copies
    kernel.commit_copies
    // CHECK: kernel.wait_copies most = 0
    kernel.wait_copies most = 0
    kernel.return
  }
}
