// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s | fusec-opt | FileCheck %s

// CHECK-LABEL: kernel.func @matrices
// CHECK: kernel.dot %{{.*}}, %{{.*}}, %{{.*}} terms = 4 tiled : vector<16xi32>
// CHECK: kernel.add_products %x[%i * 32, 0] row = 72, %w[%i, 0, 0, 0] column = 64 step = 128 to %{{.*}}[0, 0] width = 2 rows = 32 columns = 2 steps = 18 terms = 4 : memref<64x72xui8>, memref<2x18x32x4xi8>, memref<32x2xvector<16xi32>>
kernel.func @matrices(%x: memref<64x72xui8>, %w: memref<2x18x32x4xi8>, %y: memref<16xi32>)
    attributes {group = "matrices", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 2 map(parallel) {
    %s = kernel.local : memref<32x2xvector<16xi32>>
    %0 = kernel.load %s[0, 0] : memref<32x2xvector<16xi32>> -> vector<16xi32>
    %1 = kernel.dot %0, %0, %0 terms = 4 tiled : vector<16xi32>
    kernel.store %1, %s[0, 0] : vector<16xi32>, memref<32x2xvector<16xi32>>
    kernel.add_products %x[%i * 32, 0] row = 72, %w[%i, 0, 0, 0] column = 64 step = 128 to %s[0, 0] width = 2 rows = 32 columns = 2 steps = 18 terms = 4 : memref<64x72xui8>, memref<2x18x32x4xi8>, memref<32x2xvector<16xi32>>
  }
  kernel.return
}

#own = #kernel.space<thread>
#shared = #kernel.space<shared>

// CHECK-LABEL: kernel.func @warp
// CHECK: kernel.add_matrices %{{.*}}[0, %k] row = 40, %{{.*}}[%k, 8] column = 1 term = 24 to %{{.*}} : memref<16x40xf16, #kernel.space<shared>>, memref<32x24xf16, #kernel.space<shared>>, memref<4x2xf32, #kernel.space<thread>>
// CHECK: kernel.add_matrices %{{.*}}[0, %k] row = 40, %{{.*}}[0, %k] column = 40 term = 1 to %{{.*}} columns_first : memref<16x40xf16, #kernel.space<shared>>, memref<16x40xf16, #kernel.space<shared>>, memref<2x4xf32, #kernel.space<thread>>
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @warp(%x: memref<8xf16>, %y: memref<8xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %a = kernel.local : memref<4x2xf32, #own>
    %b = kernel.local : memref<2x4xf32, #own>
    %rows = kernel.local : memref<16x40xf16, #shared>
    %columns = kernel.local : memref<32x24xf16, #shared>
    kernel.for %k = 0 to 32 step 16 {
      kernel.add_matrices %rows[0, %k] row = 40, %columns[%k, 8] column = 1 term = 24 to %a : memref<16x40xf16, #shared>, memref<32x24xf16, #shared>, memref<4x2xf32, #own>
      kernel.add_matrices %rows[0, %k] row = 40, %rows[0, %k] column = 40 term = 1 to %b columns_first : memref<16x40xf16, #shared>, memref<16x40xf16, #shared>, memref<2x4xf32, #own>
    }
    kernel.return
  }
}
