// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-pack-weights --verify-diagnostics

// expected-error @below {{has no data: the resource that it names is missing from the text; keep it}}
fuse.weight @w = dense_resource<w> : tensor<4x32xf32>
kernel.func @product(%w: memref<4x32xf32>, %y: memref<32xf32>) attributes {group = "product", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 32 step 16 {
    kernel.for %k = 0 to 4 {
      %0 = kernel.load %w[%k, %j] : memref<4x32xf32> -> vector<16xf32>
      kernel.store %0, %y[%j] : vector<16xf32>, memref<32xf32>
    }
  }
  kernel.return
}
func.func @main(%y: memref<32xf32>) attributes {fuse.outputs = 1 : i64} {
  %w = kernel.weight @w : memref<4x32xf32>
  kernel.launch @product(%w, %y) : memref<4x32xf32>, memref<32xf32>
  return
}
