// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-lower-reductions -split-input-file -verify-diagnostics | FileCheck %s
// RUN: fusec-opt %s --kernel-lower-reductions --kernel-vectorize -split-input-file 2>/dev/null | FileCheck %s --check-prefix=LANES

// Four vectors of partial results, then pairs, then lanes, then the old value;
// what the loop stores besides stays.
// CHECK-LABEL: kernel.func @sum
// CHECK: %s_partial = kernel.local : memref<4x16xf32>
// CHECK: kernel.for %u = 0 to 4 map(unroll) {
// CHECK: kernel.store %{{.*}}, %s_partial[%u, 0] : vector<16xf32>
// CHECK: kernel.for %j = 0 to 448 step 64 carries(add %s_partial : memref<4x16xf32>) {
// CHECK-NEXT: kernel.for %u = 0 to 4 map(unroll) {
// CHECK-NEXT: kernel.for %lane = 0 to 16 map(vector) {
// CHECK: kernel.load %s_partial[%u, %lane] : memref<4x16xf32> -> f32
// CHECK: arith.addf
// CHECK: kernel.store %{{.*}}, %s_partial[%u, %lane]
// CHECK: kernel.store %{{.*}}, %y
// CHECK: kernel.for %u = 0 to 3 map(unroll) {
// CHECK: kernel.for %lane = 0 to 4 map(vector) {
// CHECK: kernel.load %s_partial[3, %lane]
// CHECK: %[[P0:.*]] = kernel.load %s_partial[0, 0] : memref<4x16xf32> -> vector<16xf32>
// CHECK: %[[P1:.*]] = kernel.load %s_partial[1, 0]
// CHECK: %[[P2:.*]] = kernel.load %s_partial[2, 0]
// CHECK: %[[P3:.*]] = kernel.load %s_partial[3, 0]
// CHECK: %[[P01:.*]] = arith.addf %[[P0]], %[[P1]] : vector<16xf32>
// CHECK: %[[P23:.*]] = arith.addf %[[P2]], %[[P3]] : vector<16xf32>
// CHECK: %[[P:.*]] = arith.addf %[[P01]], %[[P23]] : vector<16xf32>
// CHECK: %[[R:.*]] = kernel.reduce add %[[P]] : vector<16xf32> -> f32
// CHECK: %[[OLD:.*]] = kernel.load %s[] : memref<f32> -> f32
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]], %[[R]] : f32
// CHECK: kernel.store %[[NEW]], %s[] : f32, memref<f32>

// In lanes, the partial results are vectors; the masked tail keeps the others.
// LANES-LABEL: kernel.func @sum
// LANES: %s_partial = kernel.local : memref<4xvector<16xf32>>
// LANES: %[[MASK:.*]] = kernel.tail_mask
// LANES: arith.select %[[MASK]]
kernel.func @sum(%x: memref<64x500xf32>, %y: memref<64x500xf32>)
    attributes {group = "sum", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  kernel.for %i = 0 to 64 map(parallel) {
    %s = kernel.local : memref<f32>
    kernel.store %zero, %s[] : f32, memref<f32>
    kernel.for %j = 0 to 500 map(vector) carries(add %s : memref<f32>) {
      %a = kernel.load %x[%i, %j] : memref<64x500xf32> -> f32
      %o = kernel.load %s[] : memref<f32> -> f32
      %n = arith.addf %o, %a : f32
      kernel.store %n, %s[] : f32, memref<f32>
      kernel.store %a, %y[%i, %j] : f32, memref<64x500xf32>
    }
  }
  kernel.return
}

// -----

// Several accumulators at once; partial results span the loop around, which carries
// them instead.
// CHECK-LABEL: kernel.func @several
// CHECK: %lo_partial = kernel.local : memref<2x16xi32>
// CHECK: %any_partial = kernel.local : memref<2x16xi1>
// CHECK: %[[MAX:.*]] = arith.constant dense<2147483647> : vector<16xi32>
// CHECK: kernel.store %[[MAX]], %lo_partial
// CHECK: %[[NONE:.*]] = arith.constant dense<false> : vector<16xi1>
// CHECK: kernel.store %[[NONE]], %any_partial
// CHECK: kernel.for %i = 0 to 9 carries(min %lo_partial : memref<2x16xi32>, or %any_partial : memref<2x16xi1>) {
// CHECK-NEXT: kernel.for %j = 0 to 32 step 32 carries(min %lo_partial : memref<2x16xi32>, or %any_partial : memref<2x16xi1>) {
// CHECK: arith.minsi
// CHECK: arith.ori
// CHECK: }
// CHECK: kernel.reduce min
// CHECK: kernel.reduce or
kernel.func @several(%x: memref<9x32xi32>, %lo: memref<1xi32>, %any: memref<1xi1>)
    attributes {group = "several", variant = "default", num_inputs = 1 : i64, num_outputs = 2 : i64} {
  %zero = arith.constant 0 : i32
  kernel.for %i = 0 to 9 carries(min %lo : memref<1xi32>, or %any : memref<1xi1>) {
    kernel.for %j = 0 to 32 map(vector) carries(min %lo : memref<1xi32>, or %any : memref<1xi1>) {
      %a = kernel.load %x[%i, %j] : memref<9x32xi32> -> i32
      %o = kernel.load %lo[0] : memref<1xi32> -> i32
      %n = arith.minsi %o, %a : i32
      kernel.store %n, %lo[0] : i32, memref<1xi32>
      %p = arith.cmpi eq, %a, %zero : i32
      %q = kernel.load %any[0] : memref<1xi1> -> i1
      %r = arith.ori %p, %q : i1
      kernel.store %r, %any[0] : i1, memref<1xi1>
    }
  }
  kernel.return
}

// -----

// A bound that is a minimum: blocks of 64 and a rest in masked vectors. The
// neutral value of a product is 1, of a maximum -inf.
// CHECK-LABEL: kernel.func @bounded
// CHECK: arith.constant dense<0xFF800000> : vector<16xf32>
// CHECK: %[[N:.*]] = kernel.min #{{.*}}(%t)
// CHECK: kernel.for %j = 0 to #[[WHOLE:.*]](%[[N]]) step 64 carries(max %m_partial : memref<4x16xf32>) {
// CHECK: kernel.for %j = #[[WHOLE]](%[[N]]) to #{{.*}}(%[[N]]) step 16 carries(max %m_partial : memref<4x16xf32>) {
// CHECK: kernel.for %lane = 0 to min #{{.*}}(%[[N]], %j) map(vector) {
// CHECK: kernel.load %m_partial[0, %lane]
kernel.func @bounded(%x: memref<1000xf32>, %y: memref<4xf32>)
    attributes {group = "bounded", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %t = 0 to 4 map(parallel) {
    %m = kernel.local : memref<f32>
    kernel.for %j = 0 to min affine_map<(d0) -> (256, d0 * -256 + 1000)>(%t) map(vector) carries(max %m : memref<f32>) {
      %a = kernel.load %x[%t * 256 + %j] : memref<1000xf32> -> f32
      %o = kernel.load %m[] : memref<f32> -> f32
      %n = arith.maximumf %o, %a : f32
      kernel.store %n, %m[] : f32, memref<f32>
    }
  }
  kernel.return
}

// -----

// A bound that is a multiple of 16: the rest has whole vectors.
// CHECK-LABEL: kernel.func @whole
// CHECK: kernel.for %j = 0 to #{{.*}}(%t) step 64 carries(max %m_partial : memref<4x16xf32>) {
// CHECK: kernel.for %j = #{{.*}}(%t) to #{{.*}}(%t) step 16 carries(max %m_partial : memref<4x16xf32>) {
// CHECK-NEXT: kernel.for %lane = 0 to 16 map(vector) {
kernel.func @whole(%x: memref<4x64xf32>, %y: memref<4xf32>)
    attributes {group = "whole", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %t = 0 to 4 map(parallel) {
    %m = kernel.local : memref<f32>
    kernel.for %j = 0 to affine_map<(d0) -> (d0 * 16 + 16)>(%t) map(vector) carries(max %m : memref<f32>) {
      %0 = kernel.load %m[] : memref<f32> -> f32
      %1 = kernel.load %x[%t, %j] : memref<4x64xf32> -> f32
      %2 = arith.maximumf %0, %1 : f32
      kernel.store %2, %m[] : f32, memref<f32>
    }
    %3 = kernel.load %m[] : memref<f32> -> f32
    kernel.store %3, %y[%t] : f32, memref<4xf32>
  }
  kernel.return
}

// -----

// Independent iterations are left alone, also with a fma into a tile.
// CHECK-LABEL: kernel.func @independent
// CHECK: kernel.for %j = 0 to 32 map(vector) {
// CHECK-NOT: partial
kernel.func @independent(%x: memref<32xf32>, %y: memref<32xf32>)
    attributes {group = "independent", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 32 map(vector) {
    %a = kernel.load %x[%j] : memref<32xf32> -> f32
    %b = kernel.load %y[%j] : memref<32xf32> -> f32
    %c = math.fma %a, %a, %b : f32
    kernel.store %c, %y[%j] : f32, memref<32xf32>
  }
  kernel.return
}

// -----

// What another iteration's value goes into keeps its order.
// CHECK-LABEL: kernel.func @scan
// CHECK: kernel.for %j = 0 to 77 carries(update %s : memref<f32>) {
kernel.func @scan(%x: memref<77xf32>, %y: memref<77xf32>)
    attributes {group = "scan", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<f32>
  // expected-remark @+1 {{reduction stays scalar: its iterations are not known to be associative}}
  kernel.for %j = 0 to 77 map(vector) carries(update %s : memref<f32>) {
    %a = kernel.load %x[%j] : memref<77xf32> -> f32
    %o = kernel.load %s[] : memref<f32> -> f32
    %n = arith.addf %a, %o : f32
    // expected-note @+1 {{because of this}}
    kernel.store %n, %s[] : f32, memref<f32>
    kernel.store %n, %y[%j] : f32, memref<77xf32>
  }
  kernel.return
}

// -----

// What is combined and what is selected have partial results of different kinds.
// CHECK-LABEL: kernel.func @mixed
// CHECK: kernel.for %j = 0 to 77 carries(
kernel.func @mixed(%x: memref<77xf32>, %y: memref<1xf32>, %s: memref<1xf32>)
    attributes {group = "mixed", variant = "default", num_inputs = 1 : i64, num_outputs = 2 : i64} {
  // expected-remark @+1 {{reduction stays scalar: it carries both what is combined and what is selected}}
  kernel.for %j = 0 to 77 map(vector) carries(add %s : memref<1xf32>, select %y : memref<1xf32>) {
    %a = kernel.load %x[%j] : memref<77xf32> -> f32
    %o = kernel.load %s[0] : memref<1xf32> -> f32
    %n = arith.addf %o, %a : f32
    kernel.store %n, %s[0] : f32, memref<1xf32>
    %held = kernel.load %y[0] : memref<1xf32> -> f32
    %takes = arith.cmpf ogt, %a, %held : f32
    %value = arith.select %takes, %a, %held : f32
    // expected-note @+1 {{because of this}}
    kernel.store %value, %y[0] : f32, memref<1xf32>
  }
  kernel.return
}

// -----

// CHECK-LABEL: kernel.func @short
// CHECK: kernel.for %j = 0 to 3 map(unroll) carries(
kernel.func @short(%x: memref<3xf32>, %y: memref<1xf32>)
    attributes {group = "short", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-remark @+1 {{reduction stays scalar: its 3 iterations fill less than half of 16 lanes}}
  kernel.for %j = 0 to 3 map(vector) carries(add %y : memref<1xf32>) {
    %a = kernel.load %x[%j] : memref<3xf32> -> f32
    %o = kernel.load %y[0] : memref<1xf32> -> f32
    %n = arith.addf %o, %a : f32
    kernel.store %n, %y[0] : f32, memref<1xf32>
  }
  kernel.return
}

// -----

// Where the first maximum lies: one decision replaces both values. Each lane
// keeps a pair, and begins with the one that is held.
// CHECK-LABEL: kernel.func @choice
// CHECK: %y_partial = kernel.local : memref<1x16xf32>
// CHECK: %n_partial = kernel.local : memref<1x16xi32>
// CHECK: %[[Y:.*]] = kernel.load %y[0] : memref<1xf32> -> f32
// CHECK: kernel.broadcast %[[Y]] : f32 -> vector<16xf32>
// CHECK: kernel.for %j = 0 to 96 step 16 carries(select %y_partial : memref<1x16xf32>, select %n_partial : memref<1x16xi32>) {
// CHECK-NEXT: kernel.for %lane = 0 to 16 map(vector) {
// CHECK: kernel.store %{{.*}}, %y_partial[0, %lane]
// CHECK: kernel.store %{{.*}}, %n_partial[0, %lane]
// CHECK: kernel.for %lane = 0 to 4 map(vector) {
// CHECK: kernel.load %y_partial[0, 0] : memref<1x16xf32> -> vector<16xf32>
// CHECK: %y_lanes = kernel.local : memref<16xf32>
// CHECK: %n_lanes = kernel.local : memref<16xi32>
// CHECK: kernel.for %lane = 0 to 16 carries(select %y : memref<1xf32>, select %n : memref<1xi32>) {
// CHECK: %[[HELD:.*]] = kernel.load %y[0] : memref<1xf32> -> f32
// CHECK: %[[OFFERED:.*]] = kernel.load %y_lanes[%lane] : memref<16xf32> -> f32
// CHECK: arith.cmpf ogt, %[[OFFERED]], %[[HELD]] : f32
// CHECK: kernel.store %{{.*}}, %y[0] : f32, memref<1xf32>
// CHECK: kernel.store %{{.*}}, %n[0] : i32, memref<1xi32>
// LANES-LABEL: kernel.func @choice
// LANES: %y_partial = kernel.local : memref<1xvector<16xf32>>
// LANES: %n_partial = kernel.local : memref<1xvector<16xi32>>
// LANES: arith.cmpf ogt, %{{.*}} : vector<16xf32>
kernel.func @choice(%x: memref<100xf32>, %y: memref<1xf32>, %n: memref<1xi32>)
    attributes {group = "choice", variant = "default", num_inputs = 1 : i64, num_outputs = 2 : i64} {
  kernel.for %j = 0 to 100 map(vector) carries(select %y : memref<1xf32>, select %n : memref<1xi32>) {
    %a = kernel.load %x[%j] : memref<100xf32> -> f32
    %p = arith.index_cast %j : index to i32
    %held = kernel.load %y[0] : memref<1xf32> -> f32
    %at = kernel.load %n[0] : memref<1xi32> -> i32
    %more = arith.cmpf ogt, %a, %held : f32
    %alike = arith.cmpf oeq, %a, %held : f32
    %before = arith.cmpi slt, %p, %at : i32
    %first = arith.andi %alike, %before : i1
    %takes = arith.ori %more, %first : i1
    %value = arith.select %takes, %a, %held : f32
    %place = arith.select %takes, %p, %at : i32
    kernel.store %value, %y[0] : f32, memref<1xf32>
    kernel.store %place, %n[0] : i32, memref<1xi32>
  }
  kernel.return
}

// -----

// Choices that a loop inside makes would take a vector of each of its own.
kernel.func @inside(%x: memref<100x4xf32>, %y: memref<4xf32>)
    attributes {group = "inside", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-remark @+1 {{reduction stays scalar: a loop in it selects}}
  kernel.for %j = 0 to 100 map(vector) carries(select %y : memref<4xf32>) {
    kernel.for %i = 0 to 4 map(unroll) {
      %a = kernel.load %x[%j, %i] : memref<100x4xf32> -> f32
      %held = kernel.load %y[%i] : memref<4xf32> -> f32
      %takes = arith.cmpf ogt, %a, %held : f32
      %value = arith.select %takes, %a, %held : f32
      // expected-note @+1 {{because of this}}
      kernel.store %value, %y[%i] : f32, memref<4xf32>
    }
  }
  kernel.return
}

// -----

// Nor are sums of several elements one partial result.
// CHECK-LABEL: kernel.func @several
// CHECK-NOT: kernel.local
// CHECK: kernel.for %j = 0 to 100 carries(add %y : memref<4xf32>) {
kernel.func @several(%x: memref<100x4xf32>, %y: memref<4xf32>)
    attributes {group = "several", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-remark @+1 {{reduction stays scalar: a loop in it goes over several elements}}
  kernel.for %j = 0 to 100 map(vector) carries(add %y : memref<4xf32>) {
    kernel.for %i = 0 to 4 map(unroll) {
      %a = kernel.load %x[%j, %i] : memref<100x4xf32> -> f32
      %held = kernel.load %y[%i] : memref<4xf32> -> f32
      %sum = arith.addf %a, %held : f32
      // expected-note @+1 {{because of this}}
      kernel.store %sum, %y[%i] : f32, memref<4xf32>
    }
  }
  kernel.return
}

// -----

// Threads add up parts, by themselves, and those in any order; the loop inside, which
// carries the part, runs on lanes.
// CHECK-LABEL: kernel.func @parts
// CHECK:       kernel.for %i = 0 to 8 map(parallel) {
// CHECK:         %part_sum = kernel.local : memref<f32>
// CHECK:         kernel.store %{{.*}}, %part_sum[] : f32, memref<f32>
// CHECK:         kernel.for %j = 0 to 512 step {{[0-9]+}} carries(add %part_sum_partial
// CHECK:         kernel.reduce add
// CHECK:         kernel.store %{{.*}}, %part_sum[] : f32, memref<f32>
// CHECK-NEXT:    %[[PART:.*]] = kernel.load %part_sum[] : memref<f32> -> f32
// CHECK-NEXT:    kernel.atomic add %[[PART]], %sum[] : f32, memref<f32>
// CHECK-NEXT:  }
kernel.func @parts(%x: memref<4096xf32>, %y: memref<f32>)
    attributes {group = "parts", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %sum = kernel.local : memref<f32>
  %zero = arith.constant 0.0 : f32
  kernel.store %zero, %sum[] : f32, memref<f32>
  kernel.for %i = 0 to 8 map(parallel) carries(add %sum : memref<f32>) {
    kernel.for %j = 0 to 512 map(vector) carries(add %sum : memref<f32>) {
      %0 = kernel.load %x[%i * 512 + %j] : memref<4096xf32> -> f32
      %1 = kernel.load %sum[] : memref<f32> -> f32
      %2 = arith.addf %1, %0 : f32
      kernel.store %2, %sum[] : f32, memref<f32>
    }
  }
  %result = kernel.load %sum[] : memref<f32> -> f32
  kernel.store %result, %y[] : f32, memref<f32>
  kernel.return
}

// -----

// Of an array, all elements.
// CHECK-LABEL: kernel.func @elements
// CHECK:       kernel.for %i = 0 to 8 map(parallel) {
// CHECK:         %part_most = kernel.local : memref<2x3xi32>
// CHECK:         kernel.for %{{.*}} = 0 to 2 {
// CHECK-NEXT:      kernel.for %{{.*}} = 0 to 3 {
// CHECK-NEXT:        arith.constant -2147483648 : i32
// CHECK:         kernel.for %j = 0 to 2 {
// CHECK:         kernel.for %[[I:.*]] = 0 to 2 {
// CHECK-NEXT:      kernel.for %[[J:.*]] = 0 to 3 {
// CHECK-NEXT:        %[[MOST:.*]] = kernel.load %part_most[%[[I]], %[[J]]] : memref<2x3xi32> -> i32
// CHECK-NEXT:        kernel.atomic max %[[MOST]], %most[%[[I]], %[[J]]] : i32, memref<2x3xi32>
kernel.func @elements(%x: memref<8x2x3xi32>, %y: memref<2x3xi32>)
    attributes {group = "elements", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %most = kernel.local : memref<2x3xi32>
  kernel.for %i = 0 to 8 map(parallel) carries(max %most : memref<2x3xi32>) {
    kernel.for %j = 0 to 2 {
      kernel.for %k = 0 to 3 {
        %0 = kernel.load %x[%i, %j, %k] : memref<8x2x3xi32> -> i32
        %1 = kernel.load %most[%j, %k] : memref<2x3xi32> -> i32
        %2 = arith.maxsi %1, %0 : i32
        kernel.store %2, %most[%j, %k] : i32, memref<2x3xi32>
      }
    }
  }
  kernel.return
}

// -----

// A loop from a maximum, as over what a sliding window leaves: the least of the negatives
// says where. Bounds are multiples of 16, so that there is no mask.
// CHECK-LABEL: kernel.func @window
// CHECK: %[[LESS:.*]] = kernel.min #{{.*}}(%i)
// CHECK: kernel.for %j = #{{.*}}(%[[LESS]]) to #{{.*}}(%[[LESS]], %i) step 64 carries(add %s_partial : memref<4x16xf32>) {
// CHECK: kernel.for %j = #{{.*}}(%[[LESS]], %i) to #{{.*}}(%i) step 16 carries(add %s_partial : memref<4x16xf32>) {
// LANES-LABEL: kernel.func @window
// LANES-NOT: kernel.tail_mask
// LANES: kernel.return
kernel.func @window(%x: memref<64x2048xf32>, %y: memref<64xf32>)
    attributes {group = "window", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  kernel.for %i = 0 to 64 map(parallel) {
    %s = kernel.local : memref<f32>
    kernel.store %zero, %s[] : f32, memref<f32>
    kernel.for %j = max affine_map<(d0) -> (0, d0 * 32 - 128)>(%i) to affine_map<(d0) -> (d0 * 32 + 32)>(%i) map(vector) carries(add %s : memref<f32>) {
      %a = kernel.load %x[%i, %j] : memref<64x2048xf32> -> f32
      %o = kernel.load %s[] : memref<f32> -> f32
      %n = arith.addf %o, %a : f32
      kernel.store %n, %s[] : f32, memref<f32>
    }
    %r = kernel.load %s[] : memref<f32> -> f32
    kernel.store %r, %y[%i] : f32, memref<64xf32>
  }
  kernel.return
}

// -----

// A loop that may end before it begins, not by whole steps, has no iteration then: its end
// is at least its beginning.
// CHECK-LABEL: kernel.func @empty
// CHECK: %[[LESS:.*]] = kernel.min #{{.*}}(%i)
// CHECK: kernel.for %j = 0 to #{{.*}}(%[[LESS]]) step 64
// CHECK: kernel.for %j = #{{.*}}(%[[LESS]]) to #{{.*}}(%[[LESS]]) step 16
// What never does has its own.
// CHECK: kernel.for %j = 0 to #{{.*}}(%i) step 64
// CHECK: kernel.for %j = #{{.*}}(%i) to #{{.*}}(%i) step 16
kernel.func @empty(%x: memref<64x2048xf32>, %y: memref<64xf32>)
    attributes {group = "empty", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 64 map(parallel) {
    kernel.for %j = 0 to affine_map<(d0) -> (d0 * 32 - 48)>(%i) map(vector) carries(add %y : memref<64xf32>) {
      %a = kernel.load %x[%i, %j] : memref<64x2048xf32> -> f32
      %o = kernel.load %y[%i] : memref<64xf32> -> f32
      %n = arith.addf %o, %a : f32
      kernel.store %n, %y[%i] : f32, memref<64xf32>
    }
    kernel.for %j = 0 to affine_map<(d0) -> (d0 * 31)>(%i) map(vector) carries(add %y : memref<64xf32>) {
      %a = kernel.load %x[%i, %j] : memref<64x2048xf32> -> f32
      %o = kernel.load %y[%i] : memref<64xf32> -> f32
      %n = arith.addf %o, %a : f32
      kernel.store %n, %y[%i] : f32, memref<64xf32>
    }
  }
  kernel.return
}
