// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-select-configs=variants=1 --verify-diagnostics | FileCheck %s --check-prefix=CONFIG
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-select-configs=variants=1 --sched-tile --sched-map 2> %t | FileCheck %s --check-prefix=TREE
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-select-configs=variants=1 --sched-tile --sched-map --sched-promote-arrays --sched-split-tails --sched-verify --convert-sched-to-kernel --kernel-vectorize --canonicalize 2> %t | FileCheck %s

// Two terms in a step, and the odd one after them. An 8-bit weight fits a term too.
// CONFIG-LABEL: sched.scop @odd
// CONFIG:       unit<lanes = 16, along = [1, 1, 1], products = [fma, pairs, fma]>
// TREE-LABEL:   sched.scop @odd
// TREE:         filter: \22{ mac[i0, i1, i2] : i2 <= 125 }\22
// TREE:         mac[i0, i1, i2] -> [(i2 - (i2) mod 2)]
// TREE:         mark: \22vector\22
// TREE:         mark: \22unit\22
// TREE:         mac[i0, i1, i2] -> [((i2) mod 2)]
// TREE:         filter: \22{ mac[i0, i1, i2 = 126] }\22
// TREE-NOT:     mark: \22unit
// TREE:         filter: \22{ out[i0, i1] }\22
// CHECK-LABEL:  kernel.func @odd
// CHECK:          kernel.for %[[K:.*]] = 0 to 126 step 2 carries(add %[[S:.*]] : {{.*}}) {
// CHECK:            kernel.for %[[I:.*]] = 0 to 2 map(unroll) {
// CHECK-DAG:          %[[X0:.*]] = kernel.load %x[%[[I]], %[[K]]] : memref<2x127xi16> -> i32
// CHECK-DAG:          %[[X1:.*]] = kernel.load %x[%[[I]], %[[K]] + 1] : memref<2x127xi16> -> i32
// CHECK-DAG:          %[[W0:.*]] = kernel.load %w[%[[K]], %{{.*}}] : memref<127x16xi8> -> vector<16xi32>
// CHECK-DAG:          %[[W1:.*]] = kernel.load %w[%[[K]] + 1, %{{.*}}] : memref<127x16xi8> -> vector<16xi32>
// CHECK-DAG:          %[[X:.*]] = kernel.terms %[[X0]], %[[X1]] : i32
// CHECK-DAG:          %[[W:.*]] = kernel.terms %[[W0]], %[[W1]] : vector<16xi32>
// CHECK:              kernel.dot %{{.*}}, %[[W]], %{{.*}} terms = 2 : vector<16xi32>
// CHECK-NOT:      kernel.dot
// CHECK:          arith.muli
// CHECK-NOT:      kernel.dot
sched.scop @odd ins(%x: memref<2x127xi16>, %w: memref<127x16xi8>) outs(%y: memref<2x16xi32>) arrays(%s: memref<2x16xi32>) {
  sched.stmt @init [i: 2, j: 16] writes %s[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 2, j: 16, k: 127] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
  sched.stmt @out [i: 2, j: 16] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: i32):
    sched.yield %0 : i32
  }
}

// -----

// A difference of bytes fits; nothing is left over.
// CONFIG-LABEL: sched.scop @difference
// CONFIG:       products = [fma, pairs, fma]
// CHECK-LABEL:  kernel.func @difference
// CHECK:          = 0 to 128 step 2 carries(add
// CHECK-COUNT-2:  arith.subi {{.*}} : vector<16xi32>
// CHECK:          kernel.dot
// CHECK-NOT:      arith.muli
sched.scop @difference ins(%x: memref<4x128xi16>, %w: memref<128x16xui8>) outs(%y: memref<4x16xi32>) arrays(%s: memref<4x16xi32>) {
  sched.stmt @init [i: 4, j: 16] writes %s[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 4, j: 16, k: 128] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %zero = arith.constant 128 : i32
    %3 = arith.subi %2, %zero : i32
    %4 = arith.muli %3, %1 : i32
    %5 = arith.addi %4, %0 : i32
    sched.yield %5 : i32
  }
  sched.stmt @out [i: 4, j: 16] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: i32):
    sched.yield %0 : i32
  }
}

// -----

// Numbers of 16 bits without a sign need 17.
// CONFIG-LABEL: sched.scop @wide
// CHECK-LABEL:  kernel.func @wide
// CONFIG-NOT:   products
sched.scop @wide ins(%x: memref<4x128xui16>, %w: memref<128x16xi8>) outs(%y: memref<4x16xi32>) arrays(%s: memref<4x16xi32>) {
  sched.stmt @init [i: 4, j: 16] writes %s[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 4, j: 16, k: 128] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
  sched.stmt @out [i: 4, j: 16] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: i32):
    sched.yield %0 : i32
  }
}

// -----

// Rows of x are read across: what would be a pair lies four numbers apart.
// CONFIG-LABEL: sched.scop @apart
// CONFIG-NOT:   products
// expected-remark @below {{the products of @mac are added by 'fma', and not by 'pairs': the terms of the factor that all lanes share lie apart in memory}}
sched.scop @apart ins(%x: memref<128x4xi16>, %w: memref<128x16xi16>) outs(%y: memref<4x16xi32>) arrays(%s: memref<4x16xi32>) {
  sched.stmt @init [i: 4, j: 16] writes %s[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 4, j: 16, k: 128] reduces [k] reads %s[i, j], %x[k, i], %w[k, j] writes %s[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
  sched.stmt @out [i: 4, j: 16] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: i32):
    sched.yield %0 : i32
  }
}

// -----

// Four bytes in a step, of which the first factor has no sign wherever it stands, and the
// three after them.
// CONFIG-LABEL: sched.scop @bytes
// CONFIG:       products = [fma, quads, fma]
// TREE-LABEL:   sched.scop @bytes
// TREE:         filter: \22{ mac[i0, i1, i2] : i2 <= 63 }\22
// TREE:         mark: \22unit\22
// CHECK-LABEL:  kernel.func @bytes
// CHECK:          = 0 to 64 step 4 carries(add
// CHECK-DAG:        %[[X:.*]] = kernel.terms %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK-DAG:        %[[W:.*]] = kernel.terms %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK-DAG:        %[[ALL:.*]] = kernel.broadcast %[[X]]
// CHECK:            kernel.dot %[[ALL]], %[[W]], %{{.*}} terms = 4 : vector<16xi32>
// CHECK-NOT:      kernel.dot
// CHECK:          arith.muli
sched.scop @bytes ins(%x: memref<2x67xui8>, %w: memref<67x16xi8>) outs(%y: memref<2x16xi32>) arrays(%s: memref<2x16xi32>) {
  sched.stmt @init [i: 2, j: 16] writes %s[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 2, j: 16, k: 67] reduces [k] reads %s[i, j], %w[k, j], %x[i, k] writes %s[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
  sched.stmt @out [i: 2, j: 16] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: i32):
    sched.yield %0 : i32
  }
}

// -----

// Two bytes with a sign are pairs.
// CONFIG-LABEL: sched.scop @signed
// CONFIG:       products = [fma, pairs, fma]
sched.scop @signed ins(%x: memref<2x64xi8>, %w: memref<64x16xi8>) outs(%y: memref<2x16xi32>) arrays(%s: memref<2x16xi32>) {
  sched.stmt @init [i: 2, j: 16] writes %s[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 2, j: 16, k: 64] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
  sched.stmt @out [i: 2, j: 16] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: i32):
    sched.yield %0 : i32
  }
}

// -----

// Two terms of bf16 in a step, the odd one after them, on a target whose row has such a
// unit: one that is read, and one that is cut off at 0 there.
// CONFIG-LABEL: sched.scop @halves
// CONFIG:       products = [fma, bf16_pairs, fma]
// CHECK-LABEL:  kernel.func @halves
// CHECK:          = 0 to 66 step 2 carries(add
// CHECK-DAG:        %[[X:.*]] = kernel.terms %{{.*}}, %{{.*}} : f32
// CHECK-DAG:        %[[W:.*]] = kernel.terms %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK-DAG:        %[[ALL:.*]] = kernel.broadcast %[[X]]
// CHECK:            kernel.dot %[[ALL]], %[[W]], %{{.*}} terms = 2 : vector<16xf32>
// CHECK-NOT:      kernel.dot
// CHECK:          math.fma
module attributes {fuse.target = "zen4"} {
sched.scop @halves ins(%x: memref<4x67xbf16>, %w: memref<67x16xbf16>) outs(%y: memref<4x16xf32>) arrays(%s: memref<4x16xf32>) {
  sched.stmt @init [i: 4, j: 16] writes %s[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 4, j: 16, k: 67] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %zero = arith.constant 0.0 : f32
    %3 = arith.maximumf %2, %zero : f32
    %4 = math.fma %1, %3, %0 : f32
    sched.yield %4 : f32
  }
  sched.stmt @out [i: 4, j: 16] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// Of few rows terms that lie apart in lanes are not put together, nor few terms of many
// rows; weights in panels are there as lanes take them, but for an odd number of rows.
// CONFIG-LABEL: sched.scop @few
// CONFIG-NOT:   products
// expected-remark @below {{the products of @mac are added by 'fma', and not by 'bf16_pairs': its terms in lanes are put together for 2 rows}}
sched.scop @few ins(%x: memref<2x64xbf16>, %w: memref<64x16xbf16>) outs(%y: memref<2x16xf32>) arrays(%s: memref<2x16xf32>) {
  sched.stmt @init [i: 2, j: 16] writes %s[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 2, j: 16, k: 64] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @out [i: 2, j: 16] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
// CONFIG-LABEL: sched.scop @short
// CONFIG-NOT:   products
// expected-remark @below {{the products of @mac are added by 'fma', and not by 'bf16_pairs': it has 6 terms, which lie apart in lanes}}
sched.scop @short ins(%x: memref<8x6xbf16>, %w: memref<6x16xbf16>) outs(%y: memref<8x16xf32>) arrays(%s: memref<8x16xf32>) {
  sched.stmt @init [i: 8, j: 16] writes %s[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 8, j: 16, k: 6] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @out [i: 8, j: 16] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
// CONFIG-LABEL: sched.scop @panels
// CONFIG:       products = [fma, bf16_pairs, fma]
sched.scop @panels ins(%x: memref<1x64xbf16>, %w: memref<64x16xbf16>) outs(%y: memref<1x16xf32>) arrays(%s: memref<1x16xf32>) attributes {weights = array<i64: 1>} {
  sched.stmt @init [i: 1, j: 16] writes %s[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 1, j: 16, k: 64] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @out [i: 1, j: 16] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
// CONFIG-LABEL: sched.scop @odd_panels
// CONFIG-NOT:   products
// expected-remark @below {{the products of @mac are added by 'fma', and not by 'bf16_pairs': its terms in lanes are put together for 1 row}}
sched.scop @odd_panels ins(%x: memref<1x65xbf16>, %w: memref<65x16xbf16>) outs(%y: memref<1x16xf32>) arrays(%s: memref<1x16xf32>) attributes {weights = array<i64: 1>} {
  sched.stmt @init [i: 1, j: 16] writes %s[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 1, j: 16, k: 65] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @out [i: 1, j: 16] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// A sum that keeps the order of its terms has none of them in pairs.
// CONFIG-LABEL: sched.scop @ordered
// CONFIG-NOT:   products
// CHECK-LABEL:  kernel.func @ordered
// CHECK-NOT:      kernel.dot
sched.scop @ordered ins(%x: memref<2x64xbf16>, %w: memref<64x16xbf16>) outs(%y: memref<2x16xf32>) arrays(%s: memref<2x16xf32>) attributes {ordered} {
  sched.stmt @init [i: 2, j: 16] writes %s[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 2, j: 16, k: 64] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @out [i: 2, j: 16] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// Neither a factor in f32 nor one in f16 is a term, nor what is computed of such.
// CONFIG-LABEL: sched.scop @wider
// CONFIG-NOT:   products
sched.scop @wider ins(%x: memref<2x64xf32>, %w: memref<64x16xbf16>) outs(%y: memref<2x16xf32>) arrays(%s: memref<2x16xf32>) {
  sched.stmt @init [i: 2, j: 16] writes %s[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 2, j: 16, k: 64] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @out [i: 2, j: 16] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
// CONFIG-LABEL: sched.scop @computed
// CONFIG-NOT:   products
sched.scop @computed ins(%x: memref<2x64xbf16>, %w: memref<64x16xbf16>) outs(%y: memref<2x16xf32>) arrays(%s: memref<2x16xf32>) {
  sched.stmt @init [i: 2, j: 16] writes %s[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 2, j: 16, k: 64] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.exp %2 : f32
    %4 = math.fma %1, %3, %0 : f32
    sched.yield %4 : f32
  }
  sched.stmt @out [i: 2, j: 16] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
}

// -----

// On another target products of bf16 are those of f32.
// CONFIG-LABEL: sched.scop @elsewhere
// CONFIG-NOT:   products
module attributes {fuse.target = "sapphire-rapids"} {
sched.scop @elsewhere ins(%x: memref<2x64xbf16>, %w: memref<64x16xbf16>) outs(%y: memref<2x16xf32>) arrays(%s: memref<2x16xf32>) {
  sched.stmt @init [i: 2, j: 16] writes %s[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 2, j: 16, k: 64] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @out [i: 2, j: 16] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
}

// -----

// Whole matrices of 16 rows or more, and none of few rows: the tile has as many.
// CONFIG-LABEL: sched.scop @matrices
// CONFIG:       registers<tile = [32, 32]{{.*}} products = [fma, quad_tiles, fma]
// TREE-LABEL:   sched.scop @matrices
// TREE:         mark: \22unit\22
// CHECK-LABEL:  kernel.func @matrices
// CHECK:          kernel.dot %{{.*}}, %{{.*}}, %{{.*}} terms = 4 tiled : vector<16xi32>
// CONFIG-LABEL: sched.scop @few_rows
// CONFIG:       products = [fma, quads, fma]
// CHECK-LABEL:  kernel.func @few_rows
// CHECK-NOT:      tiled
module attributes {fuse.target = "sapphire-rapids-amx"} {
sched.scop @matrices ins(%x: memref<64x64xui8>, %w: memref<64x64xi8>) outs(%y: memref<64x64xi32>) arrays(%s: memref<64x64xi32>) attributes {weights = array<i64: 1>} {
  sched.stmt @init [i: 64, j: 64] writes %s[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 64, j: 64, k: 64] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
  sched.stmt @out [i: 64, j: 64] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: i32):
    sched.yield %0 : i32
  }
}
sched.scop @few_rows ins(%x: memref<9x64xui8>, %w: memref<64x64xi8>) outs(%y: memref<9x64xi32>) arrays(%s: memref<9x64xi32>) attributes {weights = array<i64: 1>} {
  sched.stmt @init [i: 9, j: 64] writes %s[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 9, j: 64, k: 64] reduces [k] reads %s[i, j], %x[i, k], %w[k, j] writes %s[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
  sched.stmt @out [i: 9, j: 64] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: i32):
    sched.yield %0 : i32
  }
}
}

// -----

// What is padded is loaded with masks, which matrices are not.
// CONFIG-LABEL: sched.scop @padded
// CONFIG:       products = [fma, quads, fma]
module attributes {fuse.target = "sapphire-rapids-amx"} {
sched.scop @padded ins(%x: memref<64x64xui8>, %w: memref<3x64x64xi8>) outs(%y: memref<64x64xi32>) arrays(%s: memref<64x64xi32>) attributes {weights = array<i64: 1>} {
  sched.stmt @init [i: 64, j: 64] writes %s[i, j] {
    %0 = arith.constant 0 : i32
    sched.yield %0 : i32
  }
  sched.stmt @mac [i: 64, j: 64, t: 3, k: 64] reduces [t, k] reads %s[i, j], %x[i + t - 1, k] else 0 : i32, %w[t, k, j] writes %s[i, j] {
  ^bb0(%0: i32, %1: i32, %2: i32):
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %0, %3 : i32
    sched.yield %4 : i32
  }
  sched.stmt @out [i: 64, j: 64] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: i32):
    sched.yield %0 : i32
  }
}
}
