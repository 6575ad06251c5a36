// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s | fusec-opt | FileCheck %s

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @rows(%x: memref<8x32xf16>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.for %j = 0 to 8 map(thread) {
      // CHECK: %row = kernel.local
      %row = kernel.local : memref<4xf32, #kernel.space<thread>>
      // CHECK: kernel.load_row %{{.*}}[7, %[[J:.*]] * 4] to %row : memref<8x32xf16>, memref<4xf32, #kernel.space<thread>>
      kernel.load_row %x[7, %j * 4] to %row : memref<8x32xf16>, memref<4xf32, #kernel.space<thread>>
      // CHECK: kernel.store_row %{{.*}}[%[[J]], %[[J]] * 4] from %row : memref<8x32xf32>, memref<4xf32, #kernel.space<thread>>
      kernel.store_row %y[%j, %j * 4] from %row : memref<8x32xf32>, memref<4xf32, #kernel.space<thread>>
    }
    kernel.return
  }
}
