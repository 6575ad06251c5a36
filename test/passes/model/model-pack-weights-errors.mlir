// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-pack-weights --split-input-file --verify-diagnostics

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

// -----

// expected-note @below {{which is here}}
kernel.func @sum(%x: memref<4xf32>, %y: memref<4xf32>) attributes {group = "sum", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}
// expected-error @below {{takes other operands than another variant of its group}}
kernel.func @sum_naive(%x: memref<5xf32>, %y: memref<4xf32>) attributes {group = "sum", variant = "naive", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}
