// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-prefetch-rows -split-input-file -verify-diagnostics | FileCheck %s

// The pass that computes fetches the next row of its input, and the row of the
// output that the last pass stores to, where the config said so.
// CHECK-LABEL: kernel.func @softmax_like
// CHECK: kernel.for %i = 0 to 1024 map(parallel) {
// CHECK-NOT: kernel.prefetch
// CHECK: %[[NEXT:.*]] = kernel.min #{{.*}}(%i)
// CHECK-NEXT: kernel.for %j = 0 to 512 step 16 {
// CHECK-NEXT: kernel.prefetch %x[%[[NEXT]], %j] : memref<1024x512xf32>
// CHECK-NEXT: kernel.prefetch write %y[%i, %j] : memref<1024x512xf16>
// CHECK-NEXT: kernel.load %x[%i, %j]
// CHECK-NOT: kernel.prefetch
kernel.func @softmax_like(%x: memref<1024x512xf32> {kernel.prefetch}, %y: memref<1024x512xf16> {kernel.prefetch})
    attributes {group = "s", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 1024 map(parallel) {
    %max = kernel.local : memref<vector<16xf32>>
    %row = kernel.local : memref<32xvector<16xf32>>
    kernel.for %j = 0 to 512 step 16 {
      %0 = kernel.load %x[%i, %j] : memref<1024x512xf32> -> vector<16xf32>
      kernel.store %0, %max[] : vector<16xf32>, memref<vector<16xf32>>
    }
    kernel.for %j = 0 to 512 step 16 {
      %0 = kernel.load %x[%i, %j] : memref<1024x512xf32> -> vector<16xf32>
      %1 = math.exp %0 : vector<16xf32>
      kernel.store %1, %row[%j floordiv 16] : vector<16xf32>, memref<32xvector<16xf32>>
    }
    kernel.for %j = 0 to 512 step 16 {
      %0 = kernel.load %row[%j floordiv 16] : memref<32xvector<16xf32>> -> vector<16xf32>
      kernel.store %0, %y[%i, %j] : vector<16xf32>, memref<1024x512xf16>
    }
  }
  kernel.return
}

// -----

// Of arguments that the config does not name nothing is fetched.
// CHECK-LABEL: kernel.func @input_only
// CHECK: kernel.prefetch %x[
// CHECK-NOT: kernel.prefetch
kernel.func @input_only(%x: memref<1024x512xf32> {kernel.prefetch}, %y: memref<1024x512xf16>)
    attributes {group = "s", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 1024 map(parallel) {
    %max = kernel.local : memref<vector<16xf32>>
    %row = kernel.local : memref<32xvector<16xf32>>
    kernel.for %j = 0 to 512 step 16 {
      %0 = kernel.load %x[%i, %j] : memref<1024x512xf32> -> vector<16xf32>
      kernel.store %0, %max[] : vector<16xf32>, memref<vector<16xf32>>
    }
    kernel.for %j = 0 to 512 step 16 {
      %0 = kernel.load %x[%i, %j] : memref<1024x512xf32> -> vector<16xf32>
      %1 = math.exp %0 : vector<16xf32>
      kernel.store %1, %row[%j floordiv 16] : vector<16xf32>, memref<32xvector<16xf32>>
    }
    kernel.for %j = 0 to 512 step 16 {
      %0 = kernel.load %row[%j floordiv 16] : memref<32xvector<16xf32>> -> vector<16xf32>
      kernel.store %0, %y[%i, %j] : vector<16xf32>, memref<1024x512xf16>
    }
  }
  kernel.return
}

// -----

// Each step of the reduction is in another row: it fetches what the next tile
// reads of it.
// CHECK-LABEL: kernel.func @columns
// CHECK: kernel.for %k = 0 to 512 carries(add %acc
// CHECK-NEXT: kernel.prefetch %x[%k, %t * 14 + 27] : memref<512x784xf32>
// CHECK-NEXT: kernel.for %i
kernel.func @columns(%x: memref<512x784xf32> {kernel.prefetch}, %y: memref<784x16xf32>)
    attributes {group = "c", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %t = 0 to 56 map(parallel) {
    %acc = kernel.local : memref<14xvector<16xf32>>
    kernel.for %k = 0 to 512 carries(add %acc : memref<14xvector<16xf32>>) {
      kernel.for %i = 0 to 14 map(unroll) {
        %0 = kernel.load %acc[%i] : memref<14xvector<16xf32>> -> vector<16xf32>
        %1 = kernel.load %x[%k, %t * 14 + %i] : memref<512x784xf32> -> f32
        %2 = kernel.broadcast %1 : f32 -> vector<16xf32>
        %3 = arith.addf %0, %2 : vector<16xf32>
        kernel.store %3, %acc[%i] : vector<16xf32>, memref<14xvector<16xf32>>
      }
    }
  }
  kernel.return
}

// -----

// Of a window the lines that a step reads: of strided points two.
// CHECK-LABEL: kernel.func @window
// CHECK: kernel.for %m = 0 to 3 carries(add %acc
// CHECK-NEXT: kernel.prefetch %x[%c, %t * 4 + %m + 4, %u * 28 + 12] : memref<256x58x58xf32>
// CHECK-NEXT: kernel.prefetch %x[%c, %t * 4 + %m + 4, %u * 28 + 28] : memref<256x58x58xf32>
// CHECK-NOT: kernel.prefetch %
kernel.func @window(%x: memref<256x58x58xf32> {kernel.prefetch}, %y: memref<28x28x16xf32>)
    attributes {group = "w", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %u = 0 to 2 map(parallel) {
    kernel.for %t = 0 to 14 map(parallel) {
      %acc = kernel.local : memref<14xvector<16xf32>>
      kernel.for %c = 0 to 256 carries(add %acc : memref<14xvector<16xf32>>) {
        kernel.for %m = 0 to 3 carries(add %acc : memref<14xvector<16xf32>>) {
          kernel.for %n = 0 to 3 carries(add %acc : memref<14xvector<16xf32>>) {
            kernel.for %i = 0 to 14 map(unroll) {
              %0 = kernel.load %acc[%i] : memref<14xvector<16xf32>> -> vector<16xf32>
              %1 = kernel.load %x[%c, %t * 4 + %m, %u * 28 + %i * 2 + %n] : memref<256x58x58xf32> -> f32
              %2 = kernel.broadcast %1 : f32 -> vector<16xf32>
              %3 = arith.addf %0, %2 : vector<16xf32>
              kernel.store %3, %acc[%i] : vector<16xf32>, memref<14xvector<16xf32>>
            }
          }
        }
      }
    }
  }
  kernel.return
}

// -----

// Of rows that lie in lines of their own, each.
// CHECK-LABEL: kernel.func @two_rows
// CHECK: kernel.for %c = 0 to 1024 carries(add %acc
// CHECK-NEXT: kernel.prefetch %x[%c, %t * 2 + 2, 6] : memref<1024x8x20xf32>
// CHECK-NEXT: kernel.prefetch %x[%c, %t * 2 + 2, 26] : memref<1024x8x20xf32>
// CHECK-NOT: kernel.prefetch %
kernel.func @two_rows(%x: memref<1024x8x20xf32> {kernel.prefetch}, %y: memref<8x7x16xf32>)
    attributes {group = "t", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %t = 0 to 4 map(parallel) {
    %acc = kernel.local : memref<2x7xvector<16xf32>>
    kernel.for %c = 0 to 1024 carries(add %acc : memref<2x7xvector<16xf32>>) {
      kernel.for %j = 0 to 2 map(unroll) {
        kernel.for %i = 0 to 7 map(unroll) {
          %0 = kernel.load %acc[%j, %i] : memref<2x7xvector<16xf32>> -> vector<16xf32>
          %1 = kernel.load %x[%c, %t * 2 + %j, %i] : memref<1024x8x20xf32> -> f32
          %2 = kernel.broadcast %1 : f32 -> vector<16xf32>
          %3 = arith.addf %0, %2 : vector<16xf32>
          kernel.store %3, %acc[%j, %i] : vector<16xf32>, memref<2x7xvector<16xf32>>
        }
      }
    }
  }
  kernel.return
}

// -----

// Neighbours in memory follow from step to step: that needs no help. Nobody asked
// for the other.
// CHECK-LABEL: kernel.func @contiguous
// CHECK-NOT: kernel.prefetch %
// expected-remark @below {{argument 0 is not prefetched: no tile reads it in another line with each step of a reduction, and no loop on threads has a loop that computes functions}}
kernel.func @contiguous(%x: memref<784x512xf32> {kernel.prefetch}, %z: memref<16x784xf32>, %y: memref<784x16xf32>)
    attributes {group = "c", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  kernel.for %t = 0 to 56 map(parallel) {
    %acc = kernel.local : memref<14xvector<16xf32>>
    kernel.for %k = 0 to 512 carries(add %acc : memref<14xvector<16xf32>>) {
      kernel.for %i = 0 to 14 map(unroll) {
        %0 = kernel.load %acc[%i] : memref<14xvector<16xf32>> -> vector<16xf32>
        %1 = kernel.load %x[%t * 14 + %i, %k] : memref<784x512xf32> -> f32
        %2 = kernel.broadcast %1 : f32 -> vector<16xf32>
        %3 = arith.addf %0, %2 : vector<16xf32>
        kernel.store %3, %acc[%i] : vector<16xf32>, memref<14xvector<16xf32>>
      }
    }
    kernel.for %k = 0 to 16 carries(add %acc : memref<14xvector<16xf32>>) {
      kernel.for %i = 0 to 14 map(unroll) {
        %0 = kernel.load %acc[%i] : memref<14xvector<16xf32>> -> vector<16xf32>
        %1 = kernel.load %z[%k, %t * 14 + %i] : memref<16x784xf32> -> f32
        %2 = kernel.broadcast %1 : f32 -> vector<16xf32>
        %3 = arith.addf %0, %2 : vector<16xf32>
        kernel.store %3, %acc[%i] : vector<16xf32>, memref<14xvector<16xf32>>
      }
    }
  }
  kernel.return
}
