// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-legalize | FileCheck %s

// Rows of terms side by side, and panels of them: one operation in place of three loops. The
// sums lie in memory then, and loops over their rows are not unrolled.
// CHECK-LABEL: kernel.func @matrices
// CHECK:         kernel.for %[[T:.*]] = 0 to 2 map(parallel) {
// CHECK-NEXT:      kernel.add_products %x[%[[T]] * 20, 0] row = 72, %w[0, 0, 0, 0] column = 1152 step = 64 to %{{.*}}[0, 0] width = 2 rows = 20 columns = 2 steps = 18 terms = 4 :
// CHECK-NEXT:      kernel.for %{{.*}} = 0 to 20 {
// CHECK-NEXT:        kernel.for %{{.*}} = 0 to 32 step 16 map(unroll) {
// CHECK-NOT:     kernel.dot
kernel.func @matrices(%x: memref<40x72xui8>, %w: memref<2x18x16x4xi8>, %y: memref<40x32xi32>)
    attributes {group = "matrices", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<20x2xvector<16xi32>>
  kernel.for %t = 0 to 2 map(parallel) {
    kernel.for %k = 0 to 72 step 4 carries(add %s : memref<20x2xvector<16xi32>>) {
      kernel.for %i = 0 to 20 map(unroll) {
        %0 = kernel.load %x[%t * 20 + %i, %k] : memref<40x72xui8> -> i32
        %1 = kernel.load %x[%t * 20 + %i, %k + 1] : memref<40x72xui8> -> i32
        %2 = kernel.load %x[%t * 20 + %i, %k + 2] : memref<40x72xui8> -> i32
        %3 = kernel.load %x[%t * 20 + %i, %k + 3] : memref<40x72xui8> -> i32
        %4 = kernel.terms %0, %1, %2, %3 : i32
        %5 = kernel.broadcast %4 : i32 -> vector<16xi32>
        kernel.for %j = 0 to 32 step 16 map(unroll) {
          %6 = kernel.load %s[%i, %j floordiv 16] : memref<20x2xvector<16xi32>> -> vector<16xi32>
          %7 = kernel.load %w[%j floordiv 16, %k floordiv 4, 0, 0] stride = 4 : memref<2x18x16x4xi8> -> vector<16xi32>
          %8 = kernel.load %w[%j floordiv 16, %k floordiv 4, 0, 1] stride = 4 : memref<2x18x16x4xi8> -> vector<16xi32>
          %9 = kernel.load %w[%j floordiv 16, %k floordiv 4, 0, 2] stride = 4 : memref<2x18x16x4xi8> -> vector<16xi32>
          %10 = kernel.load %w[%j floordiv 16, %k floordiv 4, 0, 3] stride = 4 : memref<2x18x16x4xi8> -> vector<16xi32>
          %11 = kernel.terms %7, %8, %9, %10 : vector<16xi32>
          %12 = kernel.dot %5, %11, %6 terms = 4 tiled : vector<16xi32>
          kernel.store %12, %s[%i, %j floordiv 16] : vector<16xi32>, memref<20x2xvector<16xi32>>
        }
      }
    }
    kernel.for %i = 0 to 20 map(unroll) {
      kernel.for %j = 0 to 32 step 16 map(unroll) {
        %0 = kernel.load %s[%i, %j floordiv 16] : memref<20x2xvector<16xi32>> -> vector<16xi32>
        kernel.store %0, %y[%t * 20 + %i, %j] : vector<16xi32>, memref<40x32xi32>
      }
    }
  }
  kernel.return
}

// What is stored besides is not.
// CHECK-LABEL: kernel.func @stored
// CHECK-NOT:     kernel.add_products
// CHECK:         kernel.dot %{{.*}}, %{{.*}}, %{{.*}} terms = 4 : vector<16xi32>
// CHECK-NOT:     kernel.add_products
kernel.func @stored(%x: memref<40x72xui8>, %w: memref<2x18x16x4xi8>, %y: memref<40x32xi32>)
    attributes {group = "stored", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<20x2xvector<16xi32>>
  kernel.for %t = 0 to 2 map(parallel) {
    kernel.for %k = 0 to 72 step 4 carries(add %s : memref<20x2xvector<16xi32>>) {
      kernel.for %i = 0 to 20 map(unroll) {
        %0 = kernel.load %x[%t * 20 + %i, %k] : memref<40x72xui8> -> i32
        %1 = kernel.load %x[%t * 20 + %i, %k + 1] : memref<40x72xui8> -> i32
        %2 = kernel.load %x[%t * 20 + %i, %k + 2] : memref<40x72xui8> -> i32
        %3 = kernel.load %x[%t * 20 + %i, %k + 3] : memref<40x72xui8> -> i32
        %4 = kernel.terms %0, %1, %2, %3 : i32
        %5 = kernel.broadcast %4 : i32 -> vector<16xi32>
        kernel.for %j = 0 to 32 step 16 map(unroll) {
          %6 = kernel.load %s[%i, %j floordiv 16] : memref<20x2xvector<16xi32>> -> vector<16xi32>
          %7 = kernel.load %w[%j floordiv 16, %k floordiv 4, 0, 0] stride = 4 : memref<2x18x16x4xi8> -> vector<16xi32>
          %8 = kernel.load %w[%j floordiv 16, %k floordiv 4, 0, 1] stride = 4 : memref<2x18x16x4xi8> -> vector<16xi32>
          %9 = kernel.load %w[%j floordiv 16, %k floordiv 4, 0, 2] stride = 4 : memref<2x18x16x4xi8> -> vector<16xi32>
          %10 = kernel.load %w[%j floordiv 16, %k floordiv 4, 0, 3] stride = 4 : memref<2x18x16x4xi8> -> vector<16xi32>
          %11 = kernel.terms %7, %8, %9, %10 : vector<16xi32>
          %12 = kernel.dot %5, %11, %6 terms = 4 tiled : vector<16xi32>
          kernel.store %12, %s[%i, %j floordiv 16] : vector<16xi32>, memref<20x2xvector<16xi32>>
          kernel.store %12, %y[%i, %j] : vector<16xi32>, memref<40x32xi32>
        }
      }
    }
    kernel.for %i = 0 to 20 map(unroll) {
      kernel.for %j = 0 to 32 step 16 map(unroll) {
        %0 = kernel.load %s[%i, %j floordiv 16] : memref<20x2xvector<16xi32>> -> vector<16xi32>
        kernel.store %0, %y[%t * 20 + %i, %j] : vector<16xi32>, memref<40x32xi32>
      }
    }
  }
  kernel.return
}

// Rows that do not lie evenly are not, either.
// CHECK-LABEL: kernel.func @uneven
// CHECK-NOT:     kernel.add_products
// CHECK:         kernel.dot %{{.*}}, %{{.*}}, %{{.*}} terms = 4 : vector<16xi32>
// CHECK-NOT:     kernel.add_products
kernel.func @uneven(%x: memref<40x72xui8>, %w: memref<2x18x16x4xi8>, %y: memref<40x32xi32>)
    attributes {group = "uneven", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<20x2xvector<16xi32>>
  kernel.for %t = 0 to 2 map(parallel) {
    kernel.for %k = 0 to 72 step 4 carries(add %s : memref<20x2xvector<16xi32>>) {
      kernel.for %i = 0 to 20 map(unroll) {
        %0 = kernel.load %x[%t * 20 + %i floordiv 3, %k] : memref<40x72xui8> -> i32
        %1 = kernel.load %x[%t * 20 + %i floordiv 3, %k + 1] : memref<40x72xui8> -> i32
        %2 = kernel.load %x[%t * 20 + %i floordiv 3, %k + 2] : memref<40x72xui8> -> i32
        %3 = kernel.load %x[%t * 20 + %i floordiv 3, %k + 3] : memref<40x72xui8> -> i32
        %4 = kernel.terms %0, %1, %2, %3 : i32
        %5 = kernel.broadcast %4 : i32 -> vector<16xi32>
        kernel.for %j = 0 to 32 step 16 map(unroll) {
          %6 = kernel.load %s[%i, %j floordiv 16] : memref<20x2xvector<16xi32>> -> vector<16xi32>
          %7 = kernel.load %w[%j floordiv 16, %k floordiv 4, 0, 0] stride = 4 : memref<2x18x16x4xi8> -> vector<16xi32>
          %8 = kernel.load %w[%j floordiv 16, %k floordiv 4, 0, 1] stride = 4 : memref<2x18x16x4xi8> -> vector<16xi32>
          %9 = kernel.load %w[%j floordiv 16, %k floordiv 4, 0, 2] stride = 4 : memref<2x18x16x4xi8> -> vector<16xi32>
          %10 = kernel.load %w[%j floordiv 16, %k floordiv 4, 0, 3] stride = 4 : memref<2x18x16x4xi8> -> vector<16xi32>
          %11 = kernel.terms %7, %8, %9, %10 : vector<16xi32>
          %12 = kernel.dot %5, %11, %6 terms = 4 tiled : vector<16xi32>
          kernel.store %12, %s[%i, %j floordiv 16] : vector<16xi32>, memref<20x2xvector<16xi32>>
        }
      }
    }
    kernel.for %i = 0 to 20 map(unroll) {
      kernel.for %j = 0 to 32 step 16 map(unroll) {
        %0 = kernel.load %s[%i, %j floordiv 16] : memref<20x2xvector<16xi32>> -> vector<16xi32>
        kernel.store %0, %y[%t * 20 + %i, %j] : vector<16xi32>, memref<40x32xi32>
      }
    }
  }
  kernel.return
}
