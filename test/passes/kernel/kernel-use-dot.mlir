// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-use-dot --split-input-file | FileCheck %s
// RUN: fusec-opt %s --kernel-use-dot --split-input-file --verify-diagnostics -o /dev/null

// Two iterations in one, and the odd one after them. An 8-bit weight is a term too.
// CHECK-LABEL: kernel.func @odd
// CHECK:         kernel.for %[[K:.*]] = 0 to 6 step 2 carries(add %s : memref<2xvector<16xi32>>) {
// CHECK-NEXT:      kernel.for %[[I:.*]] = 0 to 2 map(unroll) {
// CHECK-NEXT:        %[[SUM:.*]] = kernel.load %{{.*}}[%[[I]]] : memref<2xvector<16xi32>>
// CHECK-NEXT:        %[[X0:.*]] = kernel.load %{{.*}}[%[[I]], %[[K]]] : memref<2x7xi16> -> i32
// CHECK-NEXT:        %[[S0:.*]] = kernel.broadcast %[[X0]]
// CHECK-NEXT:        %[[W0:.*]] = kernel.load %{{.*}}[%[[K]], 0] : memref<7x16xi8> -> vector<16xi32>
// CHECK-NEXT:        %[[X1:.*]] = kernel.load %{{.*}}[%[[I]], %[[K]] + 1] : memref<2x7xi16> -> i32
// CHECK-NEXT:        %[[S1:.*]] = kernel.broadcast %[[X1]]
// CHECK-NEXT:        %[[X:.*]] = kernel.pairs %[[X0]], %[[X1]] : i32
// CHECK-NEXT:        %[[ALL:.*]] = kernel.broadcast %[[X]]
// CHECK-NEXT:        %[[W1:.*]] = kernel.load %{{.*}}[%[[K]] + 1, 0] : memref<7x16xi8> -> vector<16xi32>
// CHECK-NEXT:        %[[W:.*]] = kernel.pairs %[[W0]], %[[W1]] : vector<16xi32>
// CHECK-NEXT:        %[[NEXT:.*]] = kernel.dot %[[ALL]], %[[W]], %[[SUM]] : vector<16xi32>
// CHECK-NEXT:        kernel.store %[[NEXT]], %{{.*}}[%[[I]]]
// CHECK:         kernel.for %{{.*}} = 6 to 7 carries(add
// CHECK:           arith.muli
kernel.func @odd(%x: memref<2x7xi16>, %w: memref<7x16xi8>, %y: memref<2x16xi32>) attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<2xvector<16xi32>>
  kernel.for %k = 0 to 7 carries(add %s : memref<2xvector<16xi32>>) {
    kernel.for %i = 0 to 2 map(unroll) {
      %0 = kernel.load %s[%i] : memref<2xvector<16xi32>> -> vector<16xi32>
      %1 = kernel.load %x[%i, %k] : memref<2x7xi16> -> i32
      %2 = kernel.broadcast %1 : i32 -> vector<16xi32>
      %3 = kernel.load %w[%k, 0] : memref<7x16xi8> -> vector<16xi32>
      %4 = arith.muli %2, %3 : vector<16xi32>
      %5 = arith.addi %0, %4 : vector<16xi32>
      kernel.store %5, %s[%i] : vector<16xi32>, memref<2xvector<16xi32>>
    }
  }
  kernel.return
}

// -----

// A difference of bytes fits; nothing is left over.
// CHECK-LABEL: kernel.func @difference
// CHECK:         kernel.for %{{.*}} = 0 to 8 step 2 carries(add
// CHECK:           kernel.dot
// CHECK-NOT:     kernel.for
kernel.func @difference(%x: memref<8xui8>, %w: memref<8x16xi16>, %y: memref<16xi32>) attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<1xvector<16xi32>>
  kernel.for %k = 0 to 8 carries(add %s : memref<1xvector<16xi32>>) {
    %zero = arith.constant dense<128> : vector<16xi32>
    %0 = kernel.load %s[0] : memref<1xvector<16xi32>> -> vector<16xi32>
    %1 = kernel.load %x[%k] : memref<8xui8> -> i32
    %2 = kernel.broadcast %1 : i32 -> vector<16xi32>
    %3 = kernel.load %w[%k, 0] : memref<8x16xi16> -> vector<16xi32>
    %4 = arith.muli %3, %2 : vector<16xi32>
    %5 = arith.addi %4, %0 : vector<16xi32>
    kernel.store %5, %s[0] : vector<16xi32>, memref<1xvector<16xi32>>
  }
  kernel.return
}

// -----

// Refused: pairs that lie apart, a loop of unknown length, and lanes that are inside or
// not from one iteration to the next.
// CHECK-LABEL: kernel.func @apart
// CHECK-NOT:     kernel.dot
kernel.func @apart(%x: memref<8x4xi16>, %w: memref<8x16xi16>, %n: memref<16xi32>) attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<1xvector<16xi32>>
  // expected-remark@+1 {{not in pairs: the pairs of what all lanes share lie apart in memory}}
  kernel.for %k = 0 to 8 carries(add %s : memref<1xvector<16xi32>>) {
    %0 = kernel.load %s[0] : memref<1xvector<16xi32>> -> vector<16xi32>
    %1 = kernel.load %x[%k, 1] : memref<8x4xi16> -> i32
    %2 = kernel.broadcast %1 : i32 -> vector<16xi32>
    %3 = kernel.load %w[%k, 0] : memref<8x16xi16> -> vector<16xi32>
    %4 = arith.muli %2, %3 : vector<16xi32>
    %5 = arith.addi %0, %4 : vector<16xi32>
    kernel.store %5, %s[0] : vector<16xi32>, memref<1xvector<16xi32>>
  }
  kernel.for %t = 0 to 4 map(unroll) {
    // expected-remark@+1 {{not in pairs: how often its loop runs is not known}}
    kernel.for %k = 0 to affine_map<(d0) -> (d0 * 2)>(%t) carries(add %s : memref<1xvector<16xi32>>) {
      %0 = kernel.load %s[0] : memref<1xvector<16xi32>> -> vector<16xi32>
      %1 = kernel.load %x[%t, %k] : memref<8x4xi16> -> i32
      %2 = kernel.broadcast %1 : i32 -> vector<16xi32>
      %3 = kernel.load %w[%k, 0] : memref<8x16xi16> -> vector<16xi32>
      %4 = arith.muli %2, %3 : vector<16xi32>
      %5 = arith.addi %0, %4 : vector<16xi32>
      kernel.store %5, %s[0] : vector<16xi32>, memref<1xvector<16xi32>>
    }
  }
  %base = kernel.apply affine_map<() -> (3)>()
  // expected-remark@+1 {{not in pairs: an operand is the number of the iteration}}
  kernel.for %k = 0 to 4 carries(add %s : memref<1xvector<16xi32>>) {
    %0 = kernel.load %s[0] : memref<1xvector<16xi32>> -> vector<16xi32>
    %1 = kernel.load %x[0, %k] : memref<8x4xi16> -> i32
    %2 = kernel.broadcast %1 : i32 -> vector<16xi32>
    %in = kernel.in_bounds affine_set<(d0, d1) : (d1 + d0 - 4 >= 0)>(%k, %base) {lane_dim = 1 : i64} : vector<16xi1>
    %3 = kernel.load %w[%k, 0] mask %in : memref<8x16xi16>, vector<16xi1> -> vector<16xi32>
    %4 = arith.muli %2, %3 : vector<16xi32>
    %5 = arith.addi %0, %4 : vector<16xi32>
    kernel.store %5, %s[0] : vector<16xi32>, memref<1xvector<16xi32>>
  }
  kernel.return
}

// -----

// Left alone, without a word: numbers that need more than 16 bits, and loops that do
// something else besides, add under a mask, or add to other sums in each iteration.
// CHECK-LABEL: kernel.func @wide
// CHECK-NOT:     kernel.dot
kernel.func @wide(%x: memref<8xui16>, %w: memref<8x16xi16>, %n: memref<8xi16>, %y: memref<8x16xi32>) attributes {group = "g", variant = "default", num_inputs = 3 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<1xvector<16xi32>>
  kernel.for %k = 0 to 8 carries(add %s : memref<1xvector<16xi32>>) {
    %0 = kernel.load %s[0] : memref<1xvector<16xi32>> -> vector<16xi32>
    %1 = kernel.load %x[%k] : memref<8xui16> -> i32
    %2 = kernel.broadcast %1 : i32 -> vector<16xi32>
    %3 = kernel.load %w[%k, 0] : memref<8x16xi16> -> vector<16xi32>
    %4 = arith.muli %2, %3 : vector<16xi32>
    %5 = arith.addi %0, %4 : vector<16xi32>
    kernel.store %5, %s[0] : vector<16xi32>, memref<1xvector<16xi32>>
  }
  kernel.for %k = 0 to 8 carries(add %s : memref<1xvector<16xi32>>) {
    %0 = kernel.load %s[0] : memref<1xvector<16xi32>> -> vector<16xi32>
    %3 = kernel.load %w[%k, 0] : memref<8x16xi16> -> vector<16xi32>
    %4 = arith.muli %3, %3 : vector<16xi32>
    %5 = arith.addi %0, %4 : vector<16xi32>
    kernel.store %5, %s[0] : vector<16xi32>, memref<1xvector<16xi32>>
    kernel.store %5, %y[%k, 0] : vector<16xi32>, memref<8x16xi32>
  }
  %u = kernel.local : memref<16xi32>
  kernel.for %k = 0 to 8 carries(add %u : memref<16xi32>) {
    %in = kernel.tail_mask %k, affine_map<() -> (8)>() : vector<16xi1>
    %0 = kernel.load %u[0] : memref<16xi32> -> vector<16xi32>
    %1 = kernel.load %n[%k] : memref<8xi16> -> i32
    %2 = kernel.broadcast %1 : i32 -> vector<16xi32>
    %3 = kernel.load %w[%k, 0] : memref<8x16xi16> -> vector<16xi32>
    %4 = arith.muli %2, %3 : vector<16xi32>
    %5 = arith.addi %0, %4 : vector<16xi32>
    kernel.store %5, %u[0] mask %in : vector<16xi32>, memref<16xi32>, vector<16xi1>
  }
  %t = kernel.local : memref<8xvector<16xi32>>
  kernel.for %k = 0 to 8 carries(add %t : memref<8xvector<16xi32>>) {
    kernel.for %i = 0 to affine_map<(d0) -> (d0)>(%k) map(unroll) {
      %0 = kernel.load %t[%i] : memref<8xvector<16xi32>> -> vector<16xi32>
      %1 = kernel.load %n[%k] : memref<8xi16> -> i32
      %2 = kernel.broadcast %1 : i32 -> vector<16xi32>
      %3 = kernel.load %w[%k, 0] : memref<8x16xi16> -> vector<16xi32>
      %4 = arith.muli %2, %3 : vector<16xi32>
      %5 = arith.addi %0, %4 : vector<16xi32>
      kernel.store %5, %t[%i] : vector<16xi32>, memref<8xvector<16xi32>>
    }
  }
  kernel.for %k = 0 to 8 {
    %0 = kernel.load %t[%k] : memref<8xvector<16xi32>> -> vector<16xi32>
    %1 = kernel.load %n[%k] : memref<8xi16> -> i32
    %2 = kernel.broadcast %1 : i32 -> vector<16xi32>
    %3 = kernel.load %w[0, 0] : memref<8x16xi16> -> vector<16xi32>
    %4 = arith.muli %2, %3 : vector<16xi32>
    %5 = arith.addi %0, %4 : vector<16xi32>
    kernel.store %5, %t[%k] : vector<16xi32>, memref<8xvector<16xi32>>
  }
  kernel.return
}
