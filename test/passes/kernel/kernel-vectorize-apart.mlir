// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles whose lanes lie apart in memory: their rows are written by kernel.store_transposed,
// or in a loop.
// RUN: fusec-opt %s --kernel-vectorize --split-input-file | FileCheck %s

// The rows of a tile lie side by side in memory: they are kept in an array, which is
// written at once.
// CHECK-LABEL: kernel.func @tile
// CHECK: %[[SUMS:.*]] = kernel.local : memref<6x2xvector<16xf32>>
// CHECK: kernel.for %{{.*}} = 0 to 64 carries(add %[[SUMS]]
// CHECK: %[[TILE:.*]] = kernel.local : memref<2x6xvector<16xf32>>
// CHECK-NEXT: kernel.for %[[R:.*]] = 0 to 6 map(unroll) {
// CHECK-NEXT: kernel.for %[[C:.*]] = 0 to 32 step 16 map(unroll) {
// CHECK: kernel.load %[[SUMS]][%[[R]], %[[C]] floordiv 16]
// CHECK: kernel.store %{{.*}}, %[[TILE]][%[[C]] floordiv 16, %[[R]]] : vector<16xf32>
// CHECK: kernel.for %[[C:.*]] = 0 to 32 step 16 {
// CHECK-NEXT: kernel.store_transposed %[[TILE]][%[[C]] floordiv 16], %y[%[[C]], 0] stride = 6 : memref<2x6xvector<16xf32>>, memref<32x6xf32>
// CHECK-NOT: kernel.store
kernel.func @tile(%x: memref<64x6xf32>, %w: memref<64x32xf32>, %b: memref<32xf32>, %y: memref<32x6xf32>)
    attributes {group = "tile", variant = "default", num_inputs = 3 : i64, num_outputs = 1 : i64} {
  %sums = kernel.local : memref<6x32xf32>
  kernel.for %r = 0 to 6 map(unroll) {
    kernel.for %c = 0 to 32 map(vector) {
      %0 = arith.constant 0.0 : f32
      kernel.store %0, %sums[%r, %c] : f32, memref<6x32xf32>
    }
  }
  kernel.for %k = 0 to 64 carries(add %sums : memref<6x32xf32>) {
    kernel.for %r = 0 to 6 map(unroll) {
      kernel.for %c = 0 to 32 map(vector) {
        %0 = kernel.load %sums[%r, %c] : memref<6x32xf32> -> f32
        %1 = kernel.load %x[%k, %r] : memref<64x6xf32> -> f32
        %2 = kernel.load %w[%k, %c] : memref<64x32xf32> -> f32
        %3 = math.fma %1, %2, %0 : f32
        kernel.store %3, %sums[%r, %c] : f32, memref<6x32xf32>
      }
    }
  }
  kernel.for %r = 0 to 6 map(unroll) {
    kernel.for %c = 0 to 32 map(vector) {
      %0 = kernel.load %sums[%r, %c] : memref<6x32xf32> -> f32
      %1 = kernel.load %b[%c] : memref<32xf32> -> f32
      %2 = arith.addf %0, %1 : f32
      kernel.store %2, %y[%c, %r] : f32, memref<32x6xf32>
    }
  }
  kernel.return
}

// -----

// Whole vectors and what is left of them, below rows from 2 on of an image: another loop
// goes over images, and stays around.
// CHECK-LABEL: kernel.func @rest
// CHECK: kernel.for %[[N:.*]] = 0 to 2 map(unroll) {
// CHECK: %[[WHOLE:.*]] = kernel.local : memref<7xvector<16xf32>>
// CHECK: %[[REST:.*]] = kernel.local : memref<7xvector<16xf32>>
// CHECK: kernel.for %[[R:.*]] = 2 to 9 map(unroll) {
// CHECK: kernel.store %{{.*}}, %[[WHOLE]][%[[R]] - 2]
// CHECK: kernel.store %{{.*}}, %[[REST]][%[[R]] - 2]
// CHECK: kernel.for %[[E:.*]] = 16 to 24 step 16 {
// CHECK-NEXT: %[[MASK:.*]] = kernel.tail_mask %[[E]], #{{.*}}() : vector<16xi1>
// CHECK-NEXT: kernel.store_transposed %[[REST]][], %y[%[[N]], %[[E]], 2] stride = 9 mask %[[MASK]] :
// CHECK: kernel.for %[[C:.*]] = 0 to 16 step 16 {
// CHECK-NEXT: kernel.store_transposed %[[WHOLE]][], %y[%[[N]], %[[C]], 2] stride = 9 : memref<7xvector<16xf32>>, memref<2x24x9xf32>
kernel.func @rest(%x: memref<9x24xf32>, %y: memref<2x24x9xf32>)
    attributes {group = "rest", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %n = 0 to 2 map(unroll) {
    kernel.for %r = 2 to 9 map(unroll) {
      kernel.for %c = 0 to 24 map(vector) {
        %0 = kernel.load %x[%r, %c] : memref<9x24xf32> -> f32
        kernel.store %0, %y[%n, %c, %r] : f32, memref<2x24x9xf32>
      }
    }
  }
  kernel.return
}

// -----

// Other vectors that lie apart are read in a loop, as what they are is a lot of text:
// from a copy of the accumulators, which stay in registers until then.
// CHECK-LABEL: kernel.func @residual
// CHECK: %[[SUMS:.*]] = kernel.local : memref<6xvector<16xf32>>
// CHECK: %[[TILE:.*]] = kernel.local : memref<6xvector<16xf32>>
// CHECK: %[[COPY:.*]] = kernel.local : memref<6xvector<16xf32>>
// CHECK-NEXT: kernel.for %[[R:.*]] = 0 to 6 map(unroll) {
// CHECK-NEXT: kernel.for %{{.*}} = 0 to 16 step 16 map(unroll) {
// CHECK-NEXT: %[[SUM:.*]] = kernel.load %[[SUMS]][%[[R]]]
// CHECK-NEXT: kernel.store %[[SUM]], %[[COPY]][%[[R]]]
// CHECK: kernel.for %[[R:.*]] = 0 to 6 {
// CHECK: kernel.load %[[COPY]][%[[R]]]
// CHECK: kernel.load %b[%{{.*}}, %[[R]]] stride = 6
// CHECK: kernel.store %{{.*}}, %[[TILE]][
// CHECK: kernel.store_transposed %[[TILE]]
kernel.func @residual(%x: memref<6x16xf32>, %b: memref<16x6xf32>, %y: memref<16x6xf32>)
    attributes {group = "residual", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
  %sums = kernel.local : memref<6x16xf32>
  kernel.for %r = 0 to 6 map(unroll) {
    kernel.for %c = 0 to 16 map(vector) {
      %0 = kernel.load %x[%r, %c] : memref<6x16xf32> -> f32
      kernel.store %0, %sums[%r, %c] : f32, memref<6x16xf32>
    }
  }
  kernel.for %r = 0 to 6 map(unroll) {
    kernel.for %c = 0 to 16 map(vector) {
      %0 = kernel.load %sums[%r, %c] : memref<6x16xf32> -> f32
      %1 = kernel.load %b[%c, %r] : memref<16x6xf32> -> f32
      %2 = arith.addf %0, %1 : f32
      kernel.store %2, %y[%c, %r] : f32, memref<16x6xf32>
    }
  }
  kernel.return
}

// -----

// Of unrolled loops in one another, with a loop between, the outer one alone is rolled.
// CHECK-LABEL: kernel.func @nested
// CHECK: %[[SUMS:.*]] = kernel.local : memref<4x2xvector<16xf32>>
// CHECK: %[[COPY:.*]] = kernel.local : memref<4x2xvector<16xf32>>
// CHECK-NOT: kernel.local
// CHECK: kernel.load %[[SUMS]]
// CHECK-NOT: kernel.local
// CHECK: kernel.store %{{.*}}, %[[COPY]][
// CHECK-NOT: kernel.local
// CHECK: kernel.load %[[COPY]]
// CHECK-NEXT: kernel.store %{{.*}}, %y[%{{.*}}, %{{.*}} * 2 + %{{.*}}] stride = 8
kernel.func @nested(%x: memref<4x32xf32>, %y: memref<32x8xf32>)
    attributes {group = "nested", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %sums = kernel.local : memref<4x32xf32>
  kernel.for %r = 0 to 4 map(unroll) {
    kernel.for %c = 0 to 32 map(vector) {
      %0 = kernel.load %x[%r, %c] : memref<4x32xf32> -> f32
      kernel.store %0, %sums[%r, %c] : f32, memref<4x32xf32>
    }
  }
  kernel.for %r = 0 to 4 map(unroll) {
    kernel.for %s = 0 to 2 {
      kernel.for %c = 0 to 32 map(vector) {
        %0 = kernel.load %sums[%r, %c] : memref<4x32xf32> -> f32
        kernel.store %0, %y[%c, 2 * %r + %s] : f32, memref<32x8xf32>
      }
    }
  }
  kernel.return
}

// -----

// What fills the copy of accumulators writes nothing else, and a register that all
// iterations read needs no copy.
// CHECK-LABEL: kernel.func @rows
// CHECK: %[[SUMS:.*]] = kernel.local : memref<4xvector<16xf32>>
// CHECK: %[[SCALE:.*]] = kernel.local : memref<vector<16xf32>>
// CHECK: %[[COPY:.*]] = kernel.local : memref<4xvector<16xf32>>
// CHECK-NOT: kernel.local
// CHECK-NOT: kernel.store_transposed
// CHECK: kernel.for %[[S:.*]] = 0 to 4 {
// CHECK-NEXT: %[[TILE:.*]] = kernel.local : memref<6xvector<16xf32>>
// CHECK-DAG: kernel.load %[[COPY]][%[[S]]]
// CHECK-DAG: kernel.load %[[SCALE]][]
// CHECK: kernel.store_transposed %[[TILE]][]
kernel.func @rows(%x: memref<4x16xf32>, %s: memref<16xf32>, %b: memref<16x4x6xf32>, %y: memref<16x4x6xf32>)
    attributes {group = "rows", variant = "default", num_inputs = 3 : i64, num_outputs = 1 : i64} {
  %sums = kernel.local : memref<4x16xf32>
  %scale = kernel.local : memref<16xf32>
  kernel.for %c = 0 to 16 map(vector) {
    %0 = kernel.load %s[%c] : memref<16xf32> -> f32
    kernel.store %0, %scale[%c] : f32, memref<16xf32>
  }
  kernel.for %r = 0 to 4 map(unroll) {
    kernel.for %c = 0 to 16 map(vector) {
      %0 = kernel.load %x[%r, %c] : memref<4x16xf32> -> f32
      kernel.store %0, %sums[%r, %c] : f32, memref<4x16xf32>
    }
  }
  kernel.for %r = 0 to 4 map(unroll) {
    kernel.for %l = 0 to 6 map(unroll) {
      kernel.for %c = 0 to 16 map(vector) {
        %0 = kernel.load %sums[%r, %c] : memref<4x16xf32> -> f32
        %1 = kernel.load %b[%c, %r, %l] : memref<16x4x6xf32> -> f32
        %2 = kernel.load %scale[%c] : memref<16xf32> -> f32
        %3 = math.fma %0, %2, %1 : f32
        kernel.store %3, %y[%c, %r, %l] : f32, memref<16x4x6xf32>
      }
    }
  }
  kernel.return
}

// -----

// A loop that accumulates in registers is none that writes a tile.
// CHECK-LABEL: kernel.func @accumulates
// CHECK: kernel.for %{{.*}} = 0 to 4 map(unroll) {
// CHECK: kernel.load %b[%{{.*}}, %{{.*}}] stride = 4
kernel.func @accumulates(%b: memref<16x4xf32>, %y: memref<4x16xf32>)
    attributes {group = "accumulates", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  %sums = kernel.local : memref<4x16xf32>
  kernel.for %k = 0 to 64 carries(add %sums : memref<4x16xf32>) {
    kernel.for %r = 0 to 4 map(unroll) {
      kernel.for %c = 0 to 16 map(vector) {
        %0 = kernel.load %sums[%r, %c] : memref<4x16xf32> -> f32
        %1 = kernel.load %b[%c, %r] : memref<16x4xf32> -> f32
        %2 = arith.addf %0, %1 : f32
        kernel.store %2, %sums[%r, %c] : f32, memref<4x16xf32>
      }
    }
  }
  kernel.for %r = 0 to 4 map(unroll) {
    kernel.for %c = 0 to 16 map(vector) {
      %0 = kernel.load %sums[%r, %c] : memref<4x16xf32> -> f32
      kernel.store %0, %y[%r, %c] : f32, memref<4x16xf32>
    }
  }
  kernel.return
}

// -----

// Rows that do not lie side by side are written one by one, in a loop. Where they are
// few, nothing changes; nor where another access in the loop might see the difference.
// CHECK-LABEL: kernel.func @every_other
// CHECK: kernel.for %{{.*}} = 0 to 6 {
// CHECK-NEXT: kernel.for
// CHECK-NEXT: kernel.load
// CHECK-NEXT: kernel.store {{.*}} stride = 12
// CHECK-LABEL: kernel.func @few
// CHECK: kernel.for %{{.*}} = 0 to 2 map(unroll) {
// CHECK-NEXT: kernel.for
// CHECK-NEXT: kernel.load
// CHECK-NEXT: kernel.store {{.*}} stride = 2
// CHECK-LABEL: kernel.func @seen
// CHECK-NOT: kernel.store_transposed
// CHECK-LABEL: kernel.func @sometimes
// CHECK-NOT: kernel.store_transposed
// CHECK-LABEL: kernel.func @overwritten
// CHECK: kernel.store {{.*}}, %y[%{{.*}}, %{{.*}}] stride = 6
// CHECK: kernel.store {{.*}}, %y[%{{.*}}, %{{.*}}] stride = 6
// CHECK-NOT: kernel.store_transposed
kernel.func @every_other(%x: memref<6x16xf32>, %y: memref<16x12xf32>)
    attributes {group = "every_other", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %r = 0 to 6 map(unroll) {
    kernel.for %c = 0 to 16 map(vector) {
      %0 = kernel.load %x[%r, %c] : memref<6x16xf32> -> f32
      kernel.store %0, %y[%c, %r * 2] : f32, memref<16x12xf32>
    }
  }
  kernel.return
}
kernel.func @few(%x: memref<2x16xf32>, %y: memref<16x2xf32>)
    attributes {group = "few", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %r = 0 to 2 map(unroll) {
    kernel.for %c = 0 to 16 map(vector) {
      %0 = kernel.load %x[%r, %c] : memref<2x16xf32> -> f32
      kernel.store %0, %y[%c, %r] : f32, memref<16x2xf32>
    }
  }
  kernel.return
}
kernel.func @seen(%x: memref<6x16xf32>, %y: memref<16x6xf32>)
    attributes {group = "seen", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %r = 0 to 6 map(unroll) {
    %1 = kernel.load %y[0, 0] : memref<16x6xf32> -> f32
    kernel.for %c = 0 to 16 map(vector) {
      %0 = kernel.load %x[%r, %c] : memref<6x16xf32> -> f32
      %2 = arith.addf %0, %1 : f32
      kernel.store %2, %y[%c, %r] : f32, memref<16x6xf32>
    }
  }
  kernel.return
}
kernel.func @sometimes(%x: memref<6x16xf32>, %y: memref<16x6xf32>)
    attributes {group = "sometimes", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %r = 0 to 6 map(unroll) {
    kernel.if affine_set<(d0) : (d0 - 3 >= 0)>(%r) {
      kernel.for %c = 0 to 16 map(vector) {
        %0 = kernel.load %x[%r, %c] : memref<6x16xf32> -> f32
        kernel.store %0, %y[%c, %r] : f32, memref<16x6xf32>
      }
    }
  }
  kernel.return
}
kernel.func @overwritten(%x: memref<6x16xf32>, %y: memref<16x6xf32>)
    attributes {group = "overwritten", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %r = 0 to 6 map(unroll) {
    kernel.for %c = 0 to 16 map(vector) {
      %0 = arith.constant 0.0 : f32
      kernel.store %0, %y[%c, %r] : f32, memref<16x6xf32>
    }
    kernel.for %c = 0 to 16 map(vector) {
      %0 = kernel.load %x[%r, %c] : memref<6x16xf32> -> f32
      kernel.store %0, %y[%c, %r] : f32, memref<16x6xf32>
    }
  }
  kernel.return
}

// -----

// Rows that a sequential loop lays out as columns: tiles of 16 of them, and one of what is
// left, within the loops over vectors.
// CHECK-LABEL: kernel.func @columns
// CHECK: kernel.for %[[R:.*]] = 0 to 32 step 16 {
// CHECK-NEXT: kernel.for %[[C:.*]] = 0 to 16 step 16 {
// CHECK-NEXT: %[[TILE:.*]] = kernel.local : memref<16xvector<16xf32>>
// CHECK-NEXT: kernel.for %[[E:.*]] = 0 to 16 map(unroll) {
// CHECK-NEXT: kernel.load %x[%[[R]] + %[[E]], %[[C]]]
// CHECK-NEXT: kernel.store %{{.*}}, %[[TILE]][%[[E]]]
// CHECK: kernel.store_transposed %[[TILE]][], %y[%[[C]], %[[R]]] stride = 38 :
// CHECK: kernel.for %[[C:.*]] = 16 to 20 step 16 {
// CHECK: kernel.store_transposed %{{.*}}[], %y[%[[C]], %[[R]]] stride = 38 mask
// CHECK: kernel.for %{{.*}} = 0 to 6 map(unroll) {
// CHECK: kernel.store_transposed %{{.*}}[], %y[%{{.*}}, 32] stride = 38 :
// CHECK: kernel.store_transposed %{{.*}}[], %y[%{{.*}}, 32] stride = 38 mask
// CHECK-NOT: kernel.store
// CHECK: kernel.return
kernel.func @columns(%x: memref<38x20xf32>, %y: memref<20x38xf32>)
    attributes {group = "columns", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %r = 0 to 38 {
    kernel.for %c = 0 to 20 map(vector) {
      %0 = kernel.load %x[%r, %c] : memref<38x20xf32> -> f32
      kernel.store %0, %y[%c, %r] : f32, memref<20x38xf32>
    }
  }
  kernel.return
}

// The last ones, too few for a tile, follow one after another.
// CHECK-LABEL: kernel.func @last
// CHECK: kernel.for %{{.*}} = 1 to 17 step 16 {
// CHECK: kernel.store_transposed %{{.*}}[], %y[%{{.*}}, %{{.*}}] stride = 18
// CHECK: kernel.for %[[R:.*]] = 17 to 18 {
// CHECK: kernel.store %{{.*}}, %y[%{{.*}}, %[[R]]] stride = 18
kernel.func @last(%x: memref<18x16xf32>, %y: memref<16x18xf32>)
    attributes {group = "last", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %r = 1 to 18 {
    kernel.for %c = 0 to 16 map(vector) {
      %0 = kernel.load %x[%r, %c] : memref<18x16xf32> -> f32
      kernel.store %0, %y[%c, %r] : f32, memref<16x18xf32>
    }
  }
  kernel.return
}

// Iterations that read what others write follow each other, and so do those beside which
// something else is stored.
// CHECK-LABEL: kernel.func @carried
// CHECK-NOT: kernel.store_transposed
// CHECK-LABEL: kernel.func @also_along
// CHECK-NOT: kernel.store_transposed
kernel.func @carried(%x: memref<38x20xf32>, %y: memref<20x38xf32>)
    attributes {group = "carried", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %r = 1 to 38 {
    kernel.for %c = 0 to 20 map(vector) {
      %0 = kernel.load %y[%c, %r - 1] : memref<20x38xf32> -> f32
      %1 = kernel.load %x[%r, %c] : memref<38x20xf32> -> f32
      %2 = arith.addf %0, %1 : f32
      kernel.store %2, %y[%c, %r] : f32, memref<20x38xf32>
    }
  }
  kernel.return
}
kernel.func @also_along(%x: memref<38x20xf32>, %y: memref<20x38xf32>, %z: memref<38x20xf32>)
    attributes {group = "also_along", variant = "default", num_inputs = 1 : i64, num_outputs = 2 : i64} {
  kernel.for %r = 0 to 38 {
    kernel.for %c = 0 to 20 map(vector) {
      %0 = kernel.load %x[%r, %c] : memref<38x20xf32> -> f32
      kernel.store %0, %y[%c, %r] : f32, memref<20x38xf32>
      kernel.store %0, %z[%r, %c] : f32, memref<38x20xf32>
    }
  }
  kernel.return
}
