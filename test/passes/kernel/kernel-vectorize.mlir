// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-vectorize -split-input-file -verify-diagnostics | FileCheck %s

// Whole vectors, then one masked step. What the lanes share stays scalar.
// CHECK-LABEL: kernel.func @row
// CHECK: kernel.for %j = 0 to 32 step 16 map(unroll) {
// CHECK-NEXT: %[[X:.*]] = kernel.load %x[%i, %j] : memref<8x40xf16> -> vector<16xf32>
// CHECK-NEXT: %[[S:.*]] = kernel.load %s[%i] : memref<8xf32> -> f32
// CHECK-NEXT: %[[B:.*]] = kernel.broadcast %[[S]] : f32 -> vector<16xf32>
// CHECK-NEXT: %[[M:.*]] = arith.mulf %[[X]], %[[B]] : vector<16xf32>
// CHECK-NEXT: kernel.store %[[M]], %y[%i, %j] : vector<16xf32>, memref<8x40xf32>
// CHECK: kernel.for %j = 32 to 40 step 16 {
// CHECK-NEXT: %[[T:.*]] = kernel.tail_mask %j, #{{.*}}() : vector<16xi1>
// CHECK-NEXT: kernel.load %x[%i, %j] mask %[[T]] : memref<8x40xf16>, vector<16xi1> -> vector<16xf32>
// CHECK: kernel.store %{{.*}}, %y[%i, %j] mask %[[T]]
kernel.func @row(%x: memref<8x40xf16>, %s: memref<8xf32>, %y: memref<8x40xf32>)
    attributes {group = "row", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 map(parallel) {
    kernel.for %j = 0 to 40 map(vector) {
      %0 = kernel.load %x[%i, %j] : memref<8x40xf16> -> f32
      %1 = kernel.load %s[%i] : memref<8xf32> -> f32
      %2 = arith.mulf %0, %1 : f32
      kernel.store %2, %y[%i, %j] : f32, memref<8x40xf32>
    }
  }
  kernel.return
}

// -----

// The distance between the lanes' elements decides how they are read; where they are
// not side by side, a remark says why another loop would not do.
// CHECK-LABEL: kernel.func @accesses
// CHECK: kernel.for %j = 0 to 96 step 16 {
// CHECK: kernel.load %t[%j, %i] stride = 64 : memref<96x64xf32> -> vector<16xf32>
// A reshape is contiguous again.
// CHECK: kernel.load %x[{{.*}}] : memref<64x96xf32> -> vector<16xf32>
// CHECK: %[[THIRD:.*]] = arith.floordivsi
// CHECK: kernel.gather %x, #{{.*}}()[%[[THIRD]]] : memref<64x96xf32>, vector<16xi64> -> vector<16xf32>
// A row that is known at run time is contiguous, a column is gathered.
// CHECK: %row = kernel.load %rows[%i] : memref<96xi64> -> i64
// CHECK: kernel.gather %x, #{{.*}}(%j)[%row] : memref<64x96xf32>, i64 -> vector<16xf32>
// CHECK: %col = kernel.load %rows[%j] : memref<96xi64> -> vector<16xi64>
// CHECK: kernel.gather %x, #{{.*}}(%i)[%col] : memref<64x96xf32>, vector<16xi64> -> vector<16xf32>
// CHECK: kernel.store %{{.*}}, %y[%j, %i] stride = 64
kernel.func @accesses(%x: memref<64x96xf32>, %t: memref<96x64xf32>, %rows: memref<96xi64>, %y: memref<96x64xf32>)
    attributes {group = "accesses", variant = "default", num_inputs = 3 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 64 map(parallel) {
    kernel.for %j = 0 to 96 map(vector) {
      // expected-remark @+1 {{lanes along 'j' access elements 64 apart: along 'i' those of another access would be}}
      %a = kernel.load %t[%j, %i] : memref<96x64xf32> -> f32
      // expected-note @+1 {{this is the other access}}
      %b = kernel.load %x[(%i * 96 + %j) floordiv 96, (%i * 96 + %j) mod 96] : memref<64x96xf32> -> f32
      // expected-remark @+1 {{lanes along 'j' access elements at irregular places: no loop around goes from one element to the next}}
      %c = kernel.load %x[0, %j floordiv 3] : memref<64x96xf32> -> f32
      %row = kernel.load %rows[%i] : memref<96xi64> -> i64
      %d = kernel.gather %x, affine_map<(d0)[s0] -> (s0, d0)>(%j)[%row] : memref<64x96xf32>, i64 -> f32
      %col = kernel.load %rows[%j] : memref<96xi64> -> i64
      // expected-remark @+1 {{lanes along 'j' access elements at irregular places: the subscripts are values of each iteration}}
      %e = kernel.gather %x, affine_map<(d0)[s0] -> (d0, s0)>(%i)[%col] : memref<64x96xf32>, i64 -> f32
      %0 = arith.addf %a, %b : f32
      %1 = arith.addf %c, %d : f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.addf %2, %e : f32
      // expected-remark @+1 {{lanes along 'j' access elements 64 apart: along 'i' those of another access would be}}
      kernel.store %3, %y[%j, %i] : f32, memref<96x64xf32>
    }
  }
  kernel.return
}

// -----

// Padding: the part of the condition that depends on the lane becomes a mask.
// CHECK-LABEL: kernel.func @padded
// CHECK: %[[LANES:.*]] = kernel.in_bounds #{{.*}}(%i, %j) {lane_dim = 1 : i64} : vector<16xi1>
// CHECK: %[[ALL:.*]] = kernel.in_bounds #{{.*}}(%i) : i1
// CHECK: %[[WIDE:.*]] = kernel.broadcast %[[ALL]] : i1 -> vector<16xi1>
// CHECK: %[[MASK:.*]] = arith.andi %[[LANES]], %[[WIDE]]
// CHECK: kernel.load %x[%i - 1, %j - 1] mask %[[MASK]] fill 1.000000e+00 : f32
// A branch whose condition depends on the lane is a mask, another one stays.
// CHECK: kernel.if #{{.*}}(%i) {
// CHECK: %[[HALF:.*]] = kernel.in_bounds #{{.*}}(%j) {lane_dim = 0 : i64}
// CHECK: kernel.store %{{.*}}, %y[%i, %j] mask %[[HALF]]
// CHECK: %[[IOTA:.*]] = kernel.iota %j : vector<16xi64>
// CHECK: kernel.store %[[IOTA]], %z[%j]
kernel.func @padded(%x: memref<8x16xf32>, %y: memref<8x16xf32>, %z: memref<16xi64>)
    attributes {group = "padded", variant = "default", num_inputs = 1 : i64, num_outputs = 2 : i64} {
  kernel.for %i = 0 to 8 {
    kernel.for %j = 0 to 16 map(vector) {
      %in = kernel.in_bounds affine_set<(d0, d1) : (d0 - 1 >= 0, d1 - 1 >= 0)>(%i, %j) : i1
      %0 = kernel.load %x[%i - 1, %j - 1] mask %in fill 1.0 : f32 : memref<8x16xf32>, i1 -> f32
      kernel.if affine_set<(d0) : (d0 - 4 >= 0)>(%i) {
        kernel.if affine_set<(d0) : (d0 - 8 >= 0)>(%j) {
          kernel.store %0, %y[%i, %j] : f32, memref<8x16xf32>
        }
      }
      %1 = arith.index_cast %j : index to i64
      kernel.store %1, %z[%j] : i64, memref<16xi64>
    }
  }
  kernel.return
}

// -----

// Neighbouring indices are counted in their type, from the first lane's on.
// CHECK-LABEL: kernel.func @counted
// CHECK: %[[FIRST:.*]] = kernel.apply #{{.*}}(%j)
// CHECK: %[[INDICES:.*]] = kernel.iota %[[FIRST]] : vector<16xi32>
// CHECK: kernel.store %[[INDICES]], %y[%j]
kernel.func @counted(%y: memref<16xi32>)
    attributes {group = "counted", variant = "default", num_inputs = 0 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 16 map(vector) {
    %0 = kernel.apply affine_map<(d0) -> (d0 + 5)>(%j)
    %1 = arith.index_cast %0 : index to i32
    kernel.store %1, %y[%j] : i32, memref<16xi32>
  }
  kernel.return
}

// -----

// A bound that changes and is a multiple of 16: there is no rest.
// CHECK-LABEL: kernel.func @whole
// CHECK: kernel.for %{{.*}} = 0 to #{{.*}}(%i) step 16 {
// CHECK-NOT: kernel.tail_mask
// CHECK-NOT: kernel.for
// CHECK: kernel.return
kernel.func @whole(%x: memref<64x64xf32>, %y: memref<64x64xf32>)
    attributes {group = "whole", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 64 {
    kernel.for %j = 0 to affine_map<(d0) -> (d0 floordiv 16 * 16 + 16)>(%i) map(vector) {
      %0 = kernel.load %x[%i, %j] : memref<64x64xf32> -> f32
      kernel.store %0, %y[%i, %j] : f32, memref<64x64xf32>
    }
  }
  kernel.return
}

// -----

// Padding of a window that moves by two: the lanes from one on, too.
// CHECK-DAG: #[[FROM:.*]] = affine_set<(d0, d1) : (d0 + (d1 - 1) floordiv 2 >= 0)>
// CHECK-LABEL: kernel.func @strided
// CHECK: kernel.in_bounds #[[FROM]](%j, %m) {lane_dim = 0 : i64} : vector<16xi1>
kernel.func @strided(%x: memref<34xf32>, %y: memref<16xf32>)
    attributes {group = "strided", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %m = 0 to 3 {
    kernel.for %j = 0 to 16 map(vector) {
      %in = kernel.in_bounds affine_set<(d0, d1) : (d0 * 2 + d1 - 1 >= 0)>(%j, %m) : i1
      // expected-remark @+1 {{lanes along 'j' access elements 2 apart: 'm' has 3 iterations only}}
      %0 = kernel.load %x[%j * 2 + %m - 1] mask %in fill 0.0 : f32 : memref<34xf32>, i1 -> f32
      kernel.store %0, %y[%j] : f32, memref<16xf32>
    }
  }
  kernel.return
}

// -----

// An accumulator tile that only whole vectors use lives in vectors. The vector
// loop need not be the innermost one.
// CHECK-LABEL: kernel.func @tile
// CHECK: %acc = kernel.local : memref<8x2xvector<16xf32>>
// CHECK: kernel.for %j = 0 to 32 step 16 map(unroll) {
// CHECK: kernel.for %k = 0 to 64 {
// CHECK: kernel.for %i = 0 to 8 map(unroll) {
// CHECK: kernel.load %acc[%i, %j floordiv 16] : memref<8x2xvector<16xf32>> -> vector<16xf32>
kernel.func @tile(%x: memref<8x64xf32>, %w: memref<64x32xf32>, %y: memref<8x32xf32>)
    attributes {group = "tile", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  %acc = kernel.local : memref<8x32xf32>
  kernel.for %j = 0 to 32 map(vector) {
    kernel.for %k = 0 to 64 {
      kernel.for %i = 0 to 8 map(unroll) {
        %a = kernel.load %x[%i, %k] : memref<8x64xf32> -> f32
        %b = kernel.load %w[%k, %j] : memref<64x32xf32> -> f32
        %c = kernel.load %acc[%i, %j] : memref<8x32xf32> -> f32
        %0 = math.fma %a, %b, %c : f32
        kernel.store %0, %acc[%i, %j] : f32, memref<8x32xf32>
      }
    }
  }
  kernel.return
}

// -----

// Lanes beyond the end of an array exist nowhere: they need not be kept.
// CHECK-LABEL: kernel.func @buffer
// CHECK: %row = kernel.local : memref<2xvector<16xf32>>
// CHECK: kernel.for %j = 16 to 20 step 16 {
// CHECK-NOT: arith.select
// CHECK: kernel.store %{{.*}}, %row[%j floordiv 16] : vector<16xf32>, memref<2xvector<16xf32>>
kernel.func @buffer(%x: memref<20xf32>, %y: memref<20xf32>)
    attributes {group = "buffer", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %row = kernel.local : memref<20xf32>
  kernel.for %j = 0 to 20 map(vector) {
    %a = kernel.load %x[%j] : memref<20xf32> -> f32
    kernel.store %a, %row[%j] : f32, memref<20xf32>
  }
  kernel.for %j = 0 to 20 map(vector) {
    %a = kernel.load %row[%j] : memref<20xf32> -> f32
    kernel.store %a, %y[%j] : f32, memref<20xf32>
  }
  kernel.return
}

// -----

// Nor do those that no access goes beyond, whole vectors before them or masks.
// CHECK-LABEL: kernel.func @end_of_tile
// CHECK: %acc = kernel.local : memref<2xvector<16xf32>>
// CHECK-NOT: arith.select
kernel.func @end_of_tile(%x: memref<64x20xf32>, %y: memref<20xf32>)
    attributes {group = "end_of_tile", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %acc = kernel.local : memref<32xf32>
  kernel.for %k = 0 to 64 carries(add %acc : memref<32xf32>) {
    kernel.for %j = 0 to 20 map(vector) {
      %a = kernel.load %x[%k, %j] : memref<64x20xf32> -> f32
      %c = kernel.load %acc[%j] : memref<32xf32> -> f32
      %0 = arith.addf %a, %c : f32
      kernel.store %0, %acc[%j] : f32, memref<32xf32>
    }
  }
  kernel.for %j = 0 to 20 map(vector) {
    %c = kernel.load %acc[%j] : memref<32xf32> -> f32
    kernel.store %c, %y[%j] : f32, memref<20xf32>
  }
  kernel.return
}

// -----

// Of those that one access goes beyond, the others have to keep them.
// CHECK-LABEL: kernel.func @beyond
// CHECK: %acc = kernel.local : memref<2xvector<16xf32>>
// CHECK: arith.select
kernel.func @beyond(%x: memref<20xf32>, %y: memref<32xf32>)
    attributes {group = "beyond", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %acc = kernel.local : memref<32xf32>
  kernel.for %j = 0 to 20 map(vector) {
    %a = kernel.load %x[%j] : memref<20xf32> -> f32
    kernel.store %a, %acc[%j] : f32, memref<32xf32>
  }
  kernel.for %j = 0 to 32 map(vector) {
    %c = kernel.load %acc[%j] : memref<32xf32> -> f32
    kernel.store %c, %y[%j] : f32, memref<32xf32>
  }
  kernel.return
}

// -----

// Tails of tiles: masked vectors when short, whole vectors and a rest when long.
// A tile of two vectors ends beyond the rows of an array, of which the last vector has
// no lane that is in range: it exists, as its tests read and write it.
#end = affine_map<(d0) -> (32, d0 * -32 + 33)>
// CHECK-LABEL: kernel.func @last_tile
// CHECK: %acc = kernel.local : memref<2x4xvector<16xf32>>
// CHECK: kernel.load %acc[%i, %t * 2 + %j floordiv 16]
kernel.func @last_tile(%x: memref<2x33xf32>, %y: memref<2x33xf32>)
    attributes {group = "last_tile", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %acc = kernel.local : memref<2x33xf32>
  kernel.for %t = 0 to 2 {
    kernel.for %i = 0 to 2 map(unroll) {
      kernel.for %j = 0 to min #end(%t) map(vector) {
        %0 = kernel.load %x[%i, %t * 32 + %j] : memref<2x33xf32> -> f32
        kernel.store %0, %acc[%i, %t * 32 + %j] : f32, memref<2x33xf32>
      }
    }
  }
  kernel.for %i = 0 to 2 map(unroll) {
    kernel.for %j = 0 to 33 map(vector) {
      %0 = kernel.load %acc[%i, %j] : memref<2x33xf32> -> f32
      kernel.store %0, %y[%i, %j] : f32, memref<2x33xf32>
    }
  }
  kernel.return
}

// -----

// CHECK-LABEL: kernel.func @tails
// CHECK: kernel.for %j = 0 to 32 step 16 map(unroll) {
// CHECK-NEXT: kernel.tail_mask %j, #[[BOUND:.*]](%t)
// CHECK: %[[N:.*]] = kernel.min #{{.*}}(%t)
// CHECK: kernel.for %j = 0 to #[[WHOLE:.*]](%[[N]]) step 16 {
// CHECK-NOT: mask
// CHECK: kernel.for %j = #[[WHOLE]](%[[N]]) to #{{.*}}(%[[N]]) step 16 {
// CHECK-NEXT: kernel.tail_mask %j, #{{.*}}(%[[N]])
kernel.func @tails(%x: memref<1000xf32>, %y: memref<1000xf32>)
    attributes {group = "tails", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %t = 0 to 32 map(parallel) {
    kernel.for %j = 0 to min affine_map<(d0) -> (32, d0 * -32 + 1000)>(%t) map(vector) {
      %a = kernel.load %x[%t * 32 + %j] : memref<1000xf32> -> f32
      kernel.store %a, %y[%t * 32 + %j] : f32, memref<1000xf32>
    }
  }
  kernel.for %t = 0 to 4 map(parallel) {
    kernel.for %j = 0 to min affine_map<(d0) -> (256, d0 * -256 + 1000)>(%t) map(vector) {
      %a = kernel.load %x[%t * 256 + %j] : memref<1000xf32> -> f32
      kernel.store %a, %y[%t * 256 + %j] : f32, memref<1000xf32>
    }
  }
  kernel.return
}

// -----

// CHECK-LABEL: kernel.func @refused
// CHECK: kernel.for %j = 0 to 64 {
// CHECK: kernel.for %j = 0 to 64 step 2 {
kernel.func @refused(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {group = "refused", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-remark @+1 {{not vectorized: it stores to addresses that are not evenly spaced}}
  kernel.for %j = 0 to 64 map(vector) {
    %a = kernel.load %x[%j] : memref<64xf32> -> f32
    // expected-note @+1 {{because of this}}
    kernel.store %a, %y[%j floordiv 2] : f32, memref<64xf32>
  }
  // expected-remark @+1 {{not vectorized: its step is not 1}}
  kernel.for %j = 0 to 64 step 2 map(vector) {
    %a = kernel.load %x[%j] : memref<64xf32> -> f32
    kernel.store %a, %y[%j] : f32, memref<64xf32>
  }
  kernel.return
}

// -----

// CHECK-LABEL: kernel.func @sum
// CHECK: kernel.for %j = 0 to 64 {
kernel.func @sum(%x: memref<64xf32>, %y: memref<1xf32>)
    attributes {group = "sum", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  // expected-remark @+1 {{not vectorized: it stores to one location from all iterations, and --kernel-lower-reductions left it so}}
  kernel.for %j = 0 to 64 map(vector) {
    %a = kernel.load %x[%j] : memref<64xf32> -> f32
    %b = kernel.load %y[0] : memref<1xf32> -> f32
    %c = arith.addf %a, %b : f32
    // expected-note @+1 {{because of this}}
    kernel.store %c, %y[0] : f32, memref<1xf32>
  }
  kernel.return
}

// -----

// A scalar kernel passes unharmed.
// CHECK-LABEL: kernel.func @naive
// CHECK: kernel.for %i = 0 to 64 {
// CHECK-NEXT: %a = kernel.load %x[%i] : memref<64xf32> -> f32
// CHECK-NEXT: kernel.store %a, %y[%i] : f32, memref<64xf32>
kernel.func @naive(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {group = "naive", variant = "naive", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 64 {
    %a = kernel.load %x[%i] : memref<64xf32> -> f32
    kernel.store %a, %y[%i] : f32, memref<64xf32>
  }
  kernel.return
}

// -----

// Lanes that a contiguous loop around should have had: the remark says which.
kernel.func @misplaced(%x: memref<64x96xf32>, %y: memref<64x96xf32>)
    attributes {group = "misplaced", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 96 {
    kernel.for %i = 0 to 64 map(vector) {
      // expected-remark @+1 {{lanes along 'i' access elements 96 apart: along 'j' they would not}}
      %0 = kernel.load %x[%i, %j] : memref<64x96xf32> -> f32
      // expected-remark @+1 {{lanes along 'i' access elements 96 apart: along 'j' they would not}}
      kernel.store %0, %y[%i, %j] : f32, memref<64x96xf32>
    }
  }
  kernel.return
}

// -----

// A loop that may begin late: as many iterations as are left from the latest
// beginning on, at its end.
// CHECK-DAG:   [[LEFT:#.*]] = affine_map<(d0) -> (64, d0 * 64 - 36)>
// CHECK-LABEL: kernel.func @late
// CHECK:       kernel.for %[[TILE:.*]] = 1 to 4
// CHECK:       %[[TRIPS:.*]] = kernel.min [[LEFT]](%[[TILE]])
// CHECK:       kernel.for %{{.*}} = #{{.*}}(%[[TRIPS]]) to #{{.*}}(%[[TRIPS]]) step 16 {
// CHECK:       kernel.for %{{.*}} = #{{.*}}(%[[TRIPS]]) to 64 step 16 {
// CHECK-NEXT:    kernel.tail_mask
kernel.func @late(%x: memref<156xf32>, %y: memref<256xf32>)
    attributes {group = "late", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %t = 1 to 4 map(parallel) {
    kernel.for %i = max affine_map<(d0) -> (0, d0 * -64 + 100)>(%t) to 64 map(vector) {
      %0 = kernel.load %x[%t * 64 + %i - 100] : memref<156xf32> -> f32
      kernel.store %0, %y[%t * 64 + %i] : f32, memref<256xf32>
    }
  }
  kernel.return
}

// -----

// One that may end before it begins, not by whole vectors, has none then: its end is at least
// its beginning.
// CHECK-LABEL: kernel.func @never
// CHECK:       %[[LESS:.*]] = kernel.min #{{.*}}(%[[TILE:.*]])
// CHECK:       kernel.for %{{.*}} = 0 to #{{.*}}(%[[LESS]]) step 16 {
// CHECK:       kernel.for %{{.*}} = #{{.*}}(%[[LESS]]) to #{{.*}}(%[[LESS]]) step 16 {
// CHECK-NEXT:    kernel.tail_mask
kernel.func @never(%x: memref<512xf32>, %y: memref<512xf32>)
    attributes {group = "never", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %t = 0 to 8 {
    kernel.for %i = 0 to affine_map<(d0) -> (d0 * 70 - 40)>(%t) map(vector) {
      %0 = kernel.load %x[%i] : memref<512xf32> -> f32
      kernel.store %0, %y[%i] : f32, memref<512xf32>
    }
  }
  kernel.return
}
