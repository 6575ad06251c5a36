// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-legalize -split-input-file -verify-diagnostics | FileCheck %s

// 256 gathers are some for each lane: the outer loop becomes one. Without lanes, // CHECK-LABEL: kernel.func @gathers
// CHECK: kernel.for %i = 0 to 16 {
// CHECK-NEXT: kernel.for %j = 0 to 16 map(unroll) {
kernel.func @gathers(%t: memref<64xf32>, %x: memref<16x16x16xi64>, %y: memref<16x16x16xf32>)
    attributes {group = "gathers", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  // expected-remark @+1 {{not unrolled: the unrolled loops of its kernel would be 12800 operations, more than 4096}}
  kernel.for %i = 0 to 16 map(unroll) {
    kernel.for %j = 0 to 16 map(unroll) {
      %0 = kernel.load %x[%i, %j, 0] : memref<16x16x16xi64> -> vector<16xi64>
      %1 = kernel.gather %t, affine_map<()[s0] -> (s0)>()[%0] : memref<64xf32>, vector<16xi64> -> vector<16xf32>
      kernel.store %1, %y[%i, %j, 0] : vector<16xf32>, memref<16x16x16xf32>
    }
  }
  kernel.return
}

// -----

// Iterations that have registers stay unrolled as long as others do.
// CHECK-LABEL: kernel.func @registers
// CHECK: kernel.for %k = 0 to 8 carries(
// CHECK-NEXT: kernel.for %i = 0 to 7 map(unroll) {
// CHECK-NEXT: kernel.for %j = 0 to 4 map(unroll) {
kernel.func @registers(%t: memref<64xf32>, %x: memref<8x7x4x16xi64>, %y: memref<7x4x16xf32>)
    attributes {group = "registers", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  %sum = kernel.local : memref<7x4xvector<16xf32>>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  kernel.for %i = 0 to 7 map(unroll) {
    kernel.for %j = 0 to 4 map(unroll) {
      kernel.store %zero, %sum[%i, %j] : vector<16xf32>, memref<7x4xvector<16xf32>>
    }
  }
  // expected-remark @+1 {{not unrolled}}
  kernel.for %k = 0 to 8 map(unroll) carries(add %sum : memref<7x4xvector<16xf32>>) {
    kernel.for %i = 0 to 7 map(unroll) {
      kernel.for %j = 0 to 4 map(unroll) {
        %0 = kernel.load %x[%k, %i, %j, 0] : memref<8x7x4x16xi64> -> vector<16xi64>
        %1 = kernel.gather %t, affine_map<()[s0] -> (s0)>()[%0] : memref<64xf32>, vector<16xi64> -> vector<16xf32>
        %2 = kernel.load %sum[%i, %j] : memref<7x4xvector<16xf32>> -> vector<16xf32>
        %3 = arith.addf %2, %1 : vector<16xf32>
        kernel.store %3, %sum[%i, %j] : vector<16xf32>, memref<7x4xvector<16xf32>>
      }
    }
  }
  kernel.for %i = 0 to 7 map(unroll) {
    kernel.for %j = 0 to 4 map(unroll) {
      %0 = kernel.load %sum[%i, %j] : memref<7x4xvector<16xf32>> -> vector<16xf32>
      kernel.store %0, %y[%i, %j, 0] : vector<16xf32>, memref<7x4x16xf32>
    }
  }
  kernel.return
}
