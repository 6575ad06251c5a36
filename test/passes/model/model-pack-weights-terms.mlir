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
fuse.weight @w = dense_resource<w> : tensor<8x17xi8>
fuse.weight @v = dense_resource<v> : tensor<4x16xbf16>
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
// Terms of bf16 lie so, too.
// CHECK-LABEL: kernel.func @halves(
// CHECK-SAME: %v: memref<1x2x16x2xbf16>
// CHECK: kernel.load %v[0, 0, 0, 0] stride = 2 : memref<1x2x16x2xbf16> -> vector<16xf32>
// CHECK: kernel.load %v[0, 0, 0, 1] stride = 2
// CHECK: kernel.load %v[0, 1, 0, 0] stride = 2
// CHECK: w{{.*}}: "0x4000000000112233011223340213243503142536{{.*}}
// CHECK: v{{.*}}: "0x40000000000000010100010102000201{{.*}}0F000F0100020003{{.*}}0F020F03"
kernel.func @halves(%u: memref<4xbf16>, %v: memref<4x16xbf16>, %z: memref<16xf32>) attributes {group = "halves", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  %s = kernel.load %z[0] : memref<16xf32> -> vector<16xf32>
  %0 = kernel.load %v[0, 0] : memref<4x16xbf16> -> vector<16xf32>
  %1 = kernel.load %v[1, 0] : memref<4x16xbf16> -> vector<16xf32>
  %2 = kernel.terms %0, %1 : vector<16xf32>
  %3 = kernel.dot %2, %2, %s terms = 2 : vector<16xf32>
  %4 = kernel.load %v[2, 0] : memref<4x16xbf16> -> vector<16xf32>
  %5 = kernel.load %v[3, 0] : memref<4x16xbf16> -> vector<16xf32>
  %6 = kernel.terms %4, %5 : vector<16xf32>
  %7 = kernel.dot %6, %6, %3 terms = 2 : vector<16xf32>
  kernel.store %7, %z[0] : vector<16xf32>, memref<16xf32>
  kernel.return
}
func.func @main(%x: memref<8xui8>, %u: memref<4xbf16>, %y: memref<17xi32>, %z: memref<16xf32>) attributes {fuse.outputs = 2 : i64} {
  %w = kernel.weight @w : memref<8x17xi8>
  kernel.launch @product(%x, %w, %y) : memref<8xui8>, memref<8x17xi8>, memref<17xi32>
  %v = kernel.weight @v : memref<4x16xbf16>
  kernel.launch @halves(%u, %v, %z) : memref<4xbf16>, memref<4x16xbf16>, memref<16xf32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      v: "0x0200000000000100020003000400050006000700080009000A000B000C000D000E000F0000010101020103010401050106010701080109010A010B010C010D010E010F0100020102020203020402050206020702080209020A020B020C020D020E020F0200030103020303030403050306030703080309030A030B030C030D030E030F03",
      w: "0x01000000000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F8081828384858687"
    }
  }
#-}

// -----

// Of 4 bits, too: two to a byte, as the terms of 16 columns are four whole groups.
// CHECK: fuse.weight @w = dense_resource<{{.*}}> : tensor<64xui8>
// CHECK-LABEL: kernel.func @nibbles(
// CHECK-SAME: %w: memref<1x2x16x4xui4, "nibbles">
// CHECK-COUNT-4: kernel.load %w[0, %k floordiv 4, 0, {{[0-3]}}] stride = 4 : memref<1x2x16x4xui4, "nibbles"> -> vector<16xi32>
// CHECK: w{{.*}}: "0x{{[0-9A-F]+}}20202020313131316464646475757575
fuse.weight @w = dense_resource<w> : tensor<8x16xui4>
kernel.func @nibbles(%w: memref<8x16xui4>, %y: memref<16xi32>) attributes {group = "nibbles", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %k = 0 to 8 step 4 {
    %0 = kernel.load %w[%k, 0] : memref<8x16xui4> -> vector<16xi32>
    %1 = kernel.load %w[%k + 1, 0] : memref<8x16xui4> -> vector<16xi32>
    %2 = kernel.load %w[%k + 2, 0] : memref<8x16xui4> -> vector<16xi32>
    %3 = kernel.load %w[%k + 3, 0] : memref<8x16xui4> -> vector<16xi32>
    %4 = kernel.terms %0, %1, %2, %3 : vector<16xi32>
    kernel.store %4, %y[0] : vector<16xi32>, memref<16xi32>
  }
  kernel.return
}
func.func @main(%y: memref<16xi32>) attributes {fuse.outputs = 1 : i64} {
  %w = kernel.weight @w : memref<8x16xui4>
  kernel.launch @nibbles(%w, %y) : memref<8x16xui4>, memref<16xi32>
  return
}

{-# dialect_resources: { builtin: { w: "0x010000000000000000000000000000000000000001010101010101010101010101010101020202020202020202020202020202020303030303030303030303030303030304040404040404040404040404040404050505050505050505050505050505050606060606060606060606060606060607070707070707070707070707070707" } } #-}
