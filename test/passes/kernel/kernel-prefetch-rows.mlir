// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-prefetch-rows -split-input-file -verify-diagnostics | FileCheck %s

// The pass that computes fetches the next row of its input, and the row of the
// output that the last pass stores to.
// CHECK-LABEL: kernel.func @softmax_like
// CHECK: kernel.for %i = 0 to 1024 map(parallel) {
// CHECK-NOT: kernel.prefetch
// CHECK: %[[NEXT:.*]] = kernel.min #{{.*}}(%i)
// CHECK-NEXT: kernel.for %j = 0 to 512 step 16 {
// CHECK-NEXT: kernel.prefetch %x[%[[NEXT]], %j] : memref<1024x512xf32>
// CHECK-NEXT: kernel.prefetch write %y[%i, %j] : memref<1024x512xf16>
// CHECK-NEXT: kernel.load %x[%i, %j]
// CHECK-NOT: kernel.prefetch
kernel.func @softmax_like(%x: memref<1024x512xf32>, %y: memref<1024x512xf16>)
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

// An array that the target's second-level cache holds.
// CHECK-LABEL: module attributes {fuse.target = "sapphire-rapids"}
// CHECK-NOT: kernel.prefetch
module attributes {fuse.target = "sapphire-rapids"} {
  kernel.func @cached(%x: memref<1024x512xf32>, %y: memref<1024x512xf16>)
      attributes {group = "s", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
    kernel.for %i = 0 to 1024 map(parallel) {
      %row = kernel.local : memref<32xvector<16xf32>>
      kernel.for %j = 0 to 512 step 16 {
        %0 = kernel.load %x[%i, %j] : memref<1024x512xf32> -> vector<16xf32>
        kernel.store %0, %row[%j floordiv 16] : vector<16xf32>, memref<32xvector<16xf32>>
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
}

// -----

// One pass needs no help: the next loads are under way while it computes.
// CHECK-LABEL: kernel.func @one_pass
// CHECK-NOT: kernel.prefetch
kernel.func @one_pass(%x: memref<1024x512xf32>, %y: memref<1024x512xf32>)
    attributes {group = "s", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 1024 map(parallel) {
    kernel.for %j = 0 to 512 step 16 {
      %0 = kernel.load %x[%i, %j] : memref<1024x512xf32> -> vector<16xf32>
      %1 = math.exp %0 : vector<16xf32>
      kernel.store %1, %y[%i, %j] : vector<16xf32>, memref<1024x512xf32>
    }
  }
  kernel.return
}

// -----

// An array that fits into the cache is there already; an output that was touched
// before the pass is, too.
// CHECK-LABEL: kernel.func @cached
// CHECK-NOT: kernel.prefetch
kernel.func @cached(%x: memref<64x512xf32>, %y: memref<64x512xf32>)
    attributes {group = "s", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 64 map(parallel) {
    kernel.for %j = 0 to 512 step 16 {
      %0 = kernel.load %x[%i, %j] : memref<64x512xf32> -> vector<16xf32>
      %1 = math.exp %0 : vector<16xf32>
      kernel.store %1, %y[%i, %j] : vector<16xf32>, memref<64x512xf32>
    }
    kernel.for %j = 0 to 512 step 16 {
      %0 = kernel.load %y[%i, %j] : memref<64x512xf32> -> vector<16xf32>
      kernel.store %0, %y[%i, %j] : vector<16xf32>, memref<64x512xf32>
    }
  }
  kernel.return
}

// -----

// Longer rows would push each other out of the cache.
// CHECK-LABEL: kernel.func @long_rows
// CHECK-NOT: kernel.prefetch
kernel.func @long_rows(%x: memref<64x8192xf32>, %y: memref<64x8192xf32>)
    attributes {group = "s", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 64 map(parallel) {
    %row = kernel.local : memref<512xvector<16xf32>>
    kernel.for %j = 0 to 8192 step 16 {
      // expected-remark @+1 {{not prefetched: its rows have 32768 bytes, outside of 512 to 16384}}
      %0 = kernel.load %x[%i, %j] : memref<64x8192xf32> -> vector<16xf32>
      %1 = math.exp %0 : vector<16xf32>
      kernel.store %1, %row[%j floordiv 16] : vector<16xf32>, memref<512xvector<16xf32>>
    }
    kernel.for %j = 0 to 8192 step 16 {
      %0 = kernel.load %row[%j floordiv 16] : memref<512xvector<16xf32>> -> vector<16xf32>
      kernel.store %0, %y[%i, %j] : vector<16xf32>, memref<64x8192xf32>
    }
  }
  kernel.return
}
