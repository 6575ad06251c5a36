// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that are multiplied in one step lie side by side in each column; the lanes past the
// last column are zeros, which need no mask. The naive variant reads single elements.
// RUN: fusec-opt %s --model-pack-weights --split-input-file | FileCheck %s

// CHECK: fuse.weight @w = dense_resource<{{.*}}> : tensor<2x2x16x4xi8>
// CHECK-LABEL: kernel.func @product(
// CHECK-SAME: %w: memref<2x2x16x4xi8>
// CHECK-COUNT-4: kernel.load %w[%j floordiv 16, %k floordiv 4, 0, {{[0-3]}}] stride = 4 : memref<2x2x16x4xi8> -> vector<16xi32>
// CHECK-LABEL: kernel.func @product_naive(
// CHECK: kernel.load %w[%j floordiv 16, %k floordiv 4, %j mod 16, %k mod 4] : memref<2x2x16x4xi8>
// CHECK: w{{.*}}: "0x4000000000112233011223340213243503142536{{.*}}
fuse.weight @w = dense_resource<w> : tensor<8x17xi8>
kernel.func @product(%x: memref<8xui8>, %w: memref<8x17xi8>, %y: memref<17xi32>) attributes {group = "product", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 17 step 16 {
    %m = kernel.tail_mask %j, affine_map<() -> (17)>() : vector<16xi1>
    kernel.for %k = 0 to 8 step 4 {
      %x0 = kernel.load %x[%k] : memref<8xui8> -> i32
      %0 = kernel.load %w[%k, %j] mask %m : memref<8x17xi8>, vector<16xi1> -> vector<16xi32>
      %1 = kernel.load %w[%k + 1, %j] mask %m : memref<8x17xi8>, vector<16xi1> -> vector<16xi32>
      %2 = kernel.load %w[%k + 2, %j] mask %m : memref<8x17xi8>, vector<16xi1> -> vector<16xi32>
      %3 = kernel.load %w[%k + 3, %j] mask %m : memref<8x17xi8>, vector<16xi1> -> vector<16xi32>
      %4 = kernel.terms %0, %1, %2, %3 : vector<16xi32>
      kernel.store %4, %y[%j] mask %m : vector<16xi32>, memref<17xi32>, vector<16xi1>
    }
  }
  kernel.return
}
kernel.func @product_naive(%x: memref<8xui8>, %w: memref<8x17xi8>, %y: memref<17xi32>) attributes {group = "product", variant = "naive", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 17 {
    kernel.for %k = 0 to 8 {
      %0 = kernel.load %w[%k, %j] : memref<8x17xi8> -> i32
      kernel.store %0, %y[%j] : i32, memref<17xi32>
    }
  }
  kernel.return
}
func.func @main(%x: memref<8xui8>, %y: memref<17xi32>) attributes {fuse.outputs = 1 : i64} {
  %w = kernel.weight @w : memref<8x17xi8>
  kernel.launch @product(%x, %w, %y) : memref<8xui8>, memref<8x17xi8>, memref<17xi32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x01000000000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F8081828384858687"
    }
  }
#-}
