// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is folded into an expression goes by how many operations it has, not by how
// long names are: this kernel under short names is the same text.
// RUN: rm -rf %t && mkdir %t
// RUN: fusec compile %s -o %t/long
// RUN: sed 's/the_queries_of_an_encoder/x/; s/the_keys_of_every_encoder/y/' %s > %t/folding.mlir
// RUN: fusec compile %t/folding.mlir -o %t/short
// RUN: tr -s "[:space:]" " " < %t/long/folding_kernels.cpp | FileCheck %s
// RUN: tr -s "[:space:]" " " < %t/short/folding_kernels.cpp | FileCheck %s

// CHECK: z(i) = exp({{[a-z_]+}}(i) * {{[a-z_]+}}(i));
module attributes {fuse.stage = "model-plan-memory"} {
  func.func @main(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>)
      attributes {fuse.outputs = 1 : i64} {
    kernel.launch @k(%x, %y, %z) : memref<4xf32>, memref<4xf32>, memref<4xf32>
    return
  }
  kernel.func @k(%x: memref<4xf32> loc("the_queries_of_an_encoder"),
                 %y: memref<4xf32> loc("the_keys_of_every_encoder"), %z: memref<4xf32> loc("z"))
      attributes {group = "k", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
    kernel.for %i = 0 to 4 {
      %0 = kernel.load %x[%i] : memref<4xf32> -> f32
      %1 = kernel.load %y[%i] : memref<4xf32> -> f32
      %2 = arith.mulf %0, %1 : f32
      %3 = math.exp %2 : f32
      kernel.store %3, %z[%i] : f32, memref<4xf32>
    }
    kernel.return
  }
}
