// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-select-configs=variants=1 --sched-tile --sched-map --verify-diagnostics | FileCheck %s

// CHECK-LABEL: sched.scop @gemm
// CHECK:       mark: \22parallel\22
// CHECK:       floor((i1)/16)
// CHECK:       mark: \22parallel\22
// CHECK:       floor((i0)/6)
// CHECK:       filter: \22{ mac[i0, i1, i2] }\22
// CHECK-NEXT:  child:
// CHECK-NEXT:  mac[i0, i1, i2] -> [(i2)]
// CHECK:       mark: \22unroll\22
// CHECK:       (i0) mod 6
// CHECK:       mark: \22vector\22
// CHECK:       (i1) mod 16
sched.scop @gemm ins(%x: memref<120x64xf32>, %w: memref<64x256xf32>) outs(%y: memref<120x256xf32>) arrays(%acc: memref<120x256xf32>) {
  sched.stmt @init [i: 120, j: 256] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 120, j: 256, k: 64] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 120, j: 256] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// A window's loops are unrolled around the points of a tile; what makes too many copies
// stays a loop.
// CHECK-LABEL: sched.scop @window
// CHECK:       unroll = 9
// CHECK:       filter: \22{ sum[i0, i1, i2, i3, i4] }\22
// CHECK-NEXT:  child:
// CHECK-NEXT:  {{.*}}sum[i0, i1, i2, i3, i4] -> [(i2)]
// CHECK:       mark: \22unroll\22
// CHECK:       sum[i0, i1, i2, i3, i4] -> [(i3)]
// CHECK:       mark: \22unroll\22
// CHECK:       sum[i0, i1, i2, i3, i4] -> [(i4)]
// CHECK:       mark: \22vector\22
sched.scop @window ins(%x: memref<8x66x34xf32>) outs(%y: memref<64x32xf32>) arrays(%s: memref<64x32xf32>) {
  sched.stmt @init [i: 64, j: 32] writes %s[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64, j: 32, c: 8, m: 3, n: 3] reduces [c, m, n] reads %s[i, j], %x[c, i + m, j + n] writes %s[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 64, j: 32] reads %s[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// A loop of more iterations than what unrolls is none of the copies.
// CHECK-LABEL: sched.scop @long
// CHECK:       unit<lanes = 16, along
// CHECK:       filter: \22{ mac[i0, i1] }\22
// CHECK-NEXT:  child:
// CHECK-NEXT:  {{.*}}mac[i0, i1] -> [(i1)]
module attributes {fuse.target = "sapphire-rapids"} {
  sched.scop @long ins(%x: memref<65xf32>, %w: memref<65x16xf32>) outs(%y: memref<16xf32>) arrays(%s: memref<16xf32>) {
    sched.stmt @init [j: 16] writes %s[j] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @mac [j: 16, k: 65] reduces [k] reads %s[j], %x[k], %w[k, j] writes %s[j] {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = math.fma %1, %2, %0 : f32
      sched.yield %3 : f32
    }
    sched.stmt @out [j: 16] reads %s[j] writes %y[j] {
    ^bb0(%0: f32):
      sched.yield %0 : f32
    }
  }
}

// -----

// Rows that the second-level cache does not hold are computed in blocks: all
// columns for one before the next.
// CHECK-LABEL: sched.scop @blocks
// CHECK:       blocks = [10, 0]{{.*}}tile = [6, 16], order = [1, 0]
// CHECK:       mark: \22parallel\22
// CHECK:       mac[i0, i1, i2] -> [(floor((i0)/60))]
// CHECK:       mark: \22parallel\22
// CHECK:       mac[i0, i1, i2] -> [(floor((i1)/16))]
// CHECK-NOT:   mark
// CHECK:       mac[i0, i1, i2] -> [(floor((i0)/6) - 10*floor((i0)/60))]
sched.scop @blocks ins(%x: memref<700x1024xf32>, %w: memref<1024x256xf32>) outs(%y: memref<700x256xf32>) arrays(%acc: memref<700x256xf32>) {
  sched.stmt @init [i: 700, j: 256] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 700, j: 256, k: 1024] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 700, j: 256] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// Lanes run along the row, a reduction included.
// CHECK-LABEL: sched.scop @row
// CHECK:       mark: \22parallel\22
// CHECK:       filter: \22{ sum[i0, i1] }\22
// CHECK-NEXT:  child:
// CHECK-NEXT:  mark: \22vector\22
sched.scop @row ins(%x: memref<64x33xf32>) outs(%y: memref<64x33xf32>) arrays(%s: memref<64xf32>) {
  sched.stmt @init [i: 64] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64, j: 33] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 64, j: 33] reads %x[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// expected-remark @below {{no loop of an innermost band runs on lanes: a loop marked vector carries a dependence}}
// expected-remark @below {{runs on one thread}}
// expected-remark @below {{not tiled}}
sched.scop @shared ins(%x: memref<64xf32>) outs(%y: memref<64xf32>) arrays(%u: memref<f32>) {
  sched.stmt @a [i: 64] reads %x[i] writes %u[] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @b [i: 64] reads %u[] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// Accumulators stay in the vectors that the reduction has them in, although the
// results would lie in a row along the other loop.
// CHECK-LABEL: sched.scop @strided
// CHECK:       tile = [16, 6]
// CHECK:       filter: \22{ init[i0, i1] }\22
// CHECK:       mark: \22unroll\22
// CHECK:       (i1) mod 6
// CHECK:       mark: \22vector\22
// CHECK:       (i0) mod 16
// CHECK:       filter: \22{ mac[i0, i1, i2] }\22
// CHECK:       mark: \22vector\22
// CHECK:       (i0) mod 16
// CHECK:       filter: \22{ epi[i0, i1] }\22
// CHECK:       mark: \22unroll\22
// CHECK:       (i1) mod 6
// CHECK:       mark: \22vector\22
// CHECK:       (i0) mod 16
sched.scop @strided ins(%x: memref<33xf32>, %w: memref<9x32xf32>) outs(%y: memref<32x12xf32>) arrays(%acc: memref<32x12xf32>) {
  sched.stmt @init [i: 32, j: 12] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 32, j: 12, k: 9] reduces [k] reads %acc[i, j], %x[j * 2 + k], %w[k, i] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 32, j: 12] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// Blocks of a reduction go around the tiles of a block, in the reduction's part of
// the sequence; the tiles stand in the others as they are.
// CHECK-LABEL: sched.scop @depth
// CHECK:       mark: \22parallel\22
// CHECK:       mac[i0, i1, i2] -> [(floor((i0)/210))]
// CHECK:       mark: \22parallel\22
// CHECK:       mac[i0, i1, i2] -> [(floor((i1)/32))]
// CHECK:       sequence:
// CHECK-NEXT:  - filter: \22{ init[i0, i1] }\22
// CHECK:       init[i0, i1] -> [(floor((i0)/14) - 15*floor((i0)/210))]
// CHECK:       - filter: \22{ mac[i0, i1, i2] }\22
// CHECK-NEXT:  child:
// CHECK-NEXT:  mac[i0, i1, i2] -> [(floor((i2)/128))]
// CHECK:       mac[i0, i1, i2] -> [(floor((i0)/14) - 15*floor((i0)/210))]
// CHECK:       mac[i0, i1, i2] -> [((i2) mod 128)]
// CHECK:       mark: \22unroll\22
// CHECK:       mac[i0, i1, i2] -> [((i0) mod 14)]
// CHECK:       - filter: \22{ epi[i0, i1] }\22
// CHECK-NEXT:  child:
// CHECK-NEXT:  epi[i0, i1] -> [(floor((i0)/14) - 15*floor((i0)/210))]
sched.scop @depth ins(%x: memref<700x1024xf32>, %w: memref<1024x256xf32>) outs(%y: memref<700x256xf32>) arrays(%acc: memref<700x256xf32>)
    config(#sched.config<"default", [cores<grain = 1>, cache<blocks = [15, 0], depth = 128>, registers<tile = [14, 32], order = [1, 0]>, unit<lanes = 16, along = [1, 1, 1]>]>) {
  sched.stmt @init [i: 700, j: 256] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 700, j: 256, k: 1024] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 700, j: 256] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
