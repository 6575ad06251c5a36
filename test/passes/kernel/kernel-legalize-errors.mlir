// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-legalize -split-input-file -verify-diagnostics

kernel.func @lanes(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {group = "lanes", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{is still mapped to lanes; run --kernel-vectorize first}}
  kernel.for %j = 0 to 64 map(vector) {
    %a = kernel.load %x[%j] : memref<64xf32> -> f32
    kernel.store %a, %y[%j] : f32, memref<64xf32>
  }
  kernel.return
}

// -----

kernel.func @eight(%x: memref<64xf32>, %y: memref<64xi1>)
    attributes {group = "eight", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-error @+1 {{has a value of type 'vector<8xf32>'; kernels have vectors of 16 lanes only}}
  %0 = arith.constant dense<0.0> : vector<8xf32>
  kernel.return
}

// -----

kernel.func @words(%x: memref<64xi32>, %y: memref<64xi32>)
    attributes {group = "words", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %0 = kernel.load %x[0] : memref<64xi32> -> i32
  // expected-error @+1 {{has no word in the kernel vocabulary; rewrite it into operations that have one before --kernel-legalize}}
  %1 = math.ctpop %0 : i32
  kernel.store %1, %y[0] : i32, memref<64xi32>
  kernel.return
}
