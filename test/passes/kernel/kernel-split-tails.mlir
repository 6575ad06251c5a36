// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-split-tails -split-input-file -verify-diagnostics | FileCheck %s

// Rows and lanes have tails: a full copy, one with masked lanes, and one with
// the last tile's rows.
// CHECK-DAG: #[[FULL:.*]] = affine_set<(d0, d1) : (d0 * -8 + 92 >= 0, d1 * -16 + 184 >= 0)>
// CHECK-DAG: #[[ROWS:.*]] = affine_set<(d0) : (d0 * -8 + 92 >= 0)>
// CHECK-LABEL: kernel.func @both
// CHECK: kernel.for %jt = 0 to 13 map(parallel) {
// CHECK-NEXT: kernel.if #[[FULL]](%it, %jt) {
// CHECK-NEXT: %acc = kernel.local : memref<8x16xf32>
// CHECK-NEXT: kernel.for %k = 0 to 64 carries(add %acc : memref<8x16xf32>) {
// CHECK-NEXT: kernel.for %i = 0 to 8 map(unroll) {
// CHECK-NEXT: kernel.for %j = 0 to 16 map(vector) {
// CHECK: } else {
// CHECK-NEXT: kernel.if #[[ROWS]](%it) {
// CHECK: kernel.for %i = 0 to 8 map(unroll) {
// CHECK-NEXT: kernel.for %j = 0 to min #{{.*}}(%jt) map(vector) {
// CHECK: } else {
// CHECK: kernel.for %i = 0 to 4 map(unroll) {
// CHECK-NEXT: kernel.for %j = 0 to min #{{.*}}(%jt) map(vector) {
kernel.func @both(%x: memref<100x64xf32>, %w: memref<64x200xf32>, %y: memref<100x200xf32>)
    attributes {group = "both", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  kernel.for %it = 0 to 13 map(parallel) {
    kernel.for %jt = 0 to 13 map(parallel) {
      %acc = kernel.local : memref<8x16xf32>
      kernel.for %k = 0 to 64 carries(add %acc : memref<8x16xf32>) {
        kernel.for %i = 0 to min affine_map<(d0) -> (8, d0 * -8 + 100)>(%it) map(unroll) {
          kernel.for %j = 0 to min affine_map<(d0) -> (16, d0 * -16 + 200)>(%jt) map(vector) {
            %a = kernel.load %x[%it * 8 + %i, %k] : memref<100x64xf32> -> f32
            %b = kernel.load %w[%k, %jt * 16 + %j] : memref<64x200xf32> -> f32
            %c = kernel.load %acc[%i, %j] : memref<8x16xf32> -> f32
            %d = math.fma %a, %b, %c : f32
            kernel.store %d, %acc[%i, %j] : f32, memref<8x16xf32>
          }
        }
      }
    }
  }
  kernel.return
}

// -----

// Only rows have a tail: two copies.
// CHECK-LABEL: kernel.func @rows
// CHECK: kernel.if
// CHECK: kernel.for %i = 0 to 8 map(unroll) {
// CHECK: } else {
// CHECK-NOT: kernel.if
// CHECK: kernel.for %i = 0 to 4 map(unroll) {
kernel.func @rows(%x: memref<100x64xf32>, %y: memref<100xf32>)
    attributes {group = "rows", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %it = 0 to 13 map(parallel) {
    %acc = kernel.local : memref<8xf32>
    kernel.for %k = 0 to 64 carries(add %acc : memref<8xf32>) {
      kernel.for %i = 0 to min affine_map<(d0) -> (8, d0 * -8 + 100)>(%it) map(unroll) {
        %a = kernel.load %x[%it * 8 + %i, %k] : memref<100x64xf32> -> f32
        %c = kernel.load %acc[%i] : memref<8xf32> -> f32
        %d = arith.addf %a, %c : f32
        kernel.store %d, %acc[%i] : f32, memref<8xf32>
      }
    }
  }
  kernel.return
}

// -----

// No accumulator: not worth a copy. Its vectors are masked later.
// CHECK-LABEL: kernel.func @elementwise
// CHECK-NOT: kernel.if
kernel.func @elementwise(%x: memref<100x64xf32>, %y: memref<100x64xf32>)
    attributes {group = "elementwise", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %it = 0 to 13 map(parallel) {
    // expected-remark @+1 {{tail not split: no loop around accumulates into a local array that the tile could keep in registers}}
    kernel.for %i = 0 to min affine_map<(d0) -> (8, d0 * -8 + 100)>(%it) map(unroll) {
      kernel.for %j = 0 to 64 map(vector) {
        %a = kernel.load %x[%it * 8 + %i, %j] : memref<100x64xf32> -> f32
        kernel.store %a, %y[%it * 8 + %i, %j] : f32, memref<100x64xf32>
      }
    }
  }
  kernel.return
}

// -----

// The rows that are left follow from two loops: 13 tiles of 8, in blocks of 5.
// CHECK-DAG: #[[BLOCKS:.*]] = affine_set<(d0, d1) : (d0 * -40 - d1 * 8 + 92 >= 0)>
// CHECK-LABEL: kernel.func @blocks
// CHECK: kernel.if #[[BLOCKS]](%ib, %it)
// CHECK: kernel.for %i = 0 to 8 map(unroll) {
// CHECK: } else {
// CHECK: kernel.for %i = 0 to 4 map(unroll) {
kernel.func @blocks(%x: memref<100x64xf32>, %y: memref<100xf32>)
    attributes {group = "blocks", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %ib = 0 to 3 map(parallel) {
    kernel.for %it = 0 to min affine_map<(d0) -> (5, d0 * -5 + 13)>(%ib) {
      %acc = kernel.local : memref<8xf32>
      kernel.for %k = 0 to 64 carries(add %acc : memref<8xf32>) {
        kernel.for %i = 0 to min affine_map<(d0, d1) -> (8, d0 * -40 - d1 * 8 + 100)>(%ib, %it) map(unroll) {
          %a = kernel.load %x[%ib * 40 + %it * 8 + %i, %k] : memref<100x64xf32> -> f32
          %c = kernel.load %acc[%i] : memref<8xf32> -> f32
          %d = arith.addf %a, %c : f32
          kernel.store %d, %acc[%i] : f32, memref<8xf32>
        }
      }
    }
  }
  kernel.return
}

// -----

// Where tiles without a row may be, nothing is known of the last one.
// CHECK-LABEL: kernel.func @empty_tiles
// CHECK: } else {
// CHECK: kernel.for %i = 0 to min #{{.*}}(%ib, %it) map(unroll) {
kernel.func @empty_tiles(%x: memref<200x64xf32>, %y: memref<200xf32>)
    attributes {group = "empty_tiles", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %ib = 0 to 3 map(parallel) {
    kernel.for %it = 0 to 5 {
      %acc = kernel.local : memref<8xf32>
      kernel.for %k = 0 to 64 carries(add %acc : memref<8xf32>) {
        kernel.for %i = 0 to min affine_map<(d0, d1) -> (8, d0 * -40 - d1 * 8 + 100)>(%ib, %it) map(unroll) {
          %a = kernel.load %x[%ib * 40 + %it * 8 + %i, %k] : memref<200x64xf32> -> f32
          %c = kernel.load %acc[%i] : memref<8xf32> -> f32
          %d = arith.addf %a, %c : f32
          kernel.store %d, %acc[%i] : f32, memref<8xf32>
        }
      }
    }
  }
  kernel.return
}
