// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rows a config has fetched while the iterations before compute.
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-select-configs=variants=1 | FileCheck %s
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-select-configs=variants=1 --sched-tile --sched-map --sched-promote-arrays --convert-sched-to-kernel | FileCheck %s --check-prefix=KERNEL

// The input, whose row is read twice, and the output, which is written last.
// CHECK-LABEL: sched.scop @softmax
// CHECK: config(#sched.config<"default", [cores<grain = {{[0-9]+}}>, cache<prefetch = [0, 1]>, registers<tile = [1], accumulators = 4>, unit<lanes = 16, along = [{{.*}}]>]>)
// KERNEL: kernel.func @softmax(%x: memref<1024x512xf32> {kernel.prefetch}, %y: memref<1024x512xf32> {kernel.prefetch})
// KERNEL-SAME: schedule = "vector 16, 4 accumulators, prefetched"
sched.scop @softmax ins(%x: memref<1024x512xf32>) outs(%y: memref<1024x512xf32>)
    arrays(%m: memref<1024xf32>, %e: memref<1024x512xf32>, %s: memref<1024xf32>) {
  sched.stmt @least [i: 1024] writes %m[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  sched.stmt @max [i: 1024, j: 512] reduces [j] reads %m[i], %x[i, j] writes %m[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.maximumf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @exp [i: 1024, j: 512] reads %x[i, j], %m[i] writes %e[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    sched.yield %3 : f32
  }
  sched.stmt @zero [i: 1024] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 1024, j: 512] reduces [j] reads %s[i], %e[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 1024, j: 512] reads %e[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// An array that the second-level cache holds is there already.
// CHECK-LABEL: sched.scop @cached
// CHECK-NOT: prefetch
// KERNEL-LABEL: kernel.func @cached
// KERNEL-NOT: prefetch
sched.scop @cached ins(%x: memref<64x512xf32>) outs(%y: memref<64x512xf32>)
    arrays(%m: memref<64xf32>, %e: memref<64x512xf32>, %s: memref<64xf32>) {
  sched.stmt @least [i: 64] writes %m[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  sched.stmt @max [i: 64, j: 512] reduces [j] reads %m[i], %x[i, j] writes %m[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.maximumf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @exp [i: 64, j: 512] reads %x[i, j], %m[i] writes %e[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    sched.yield %3 : f32
  }
  sched.stmt @zero [i: 64] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64, j: 512] reduces [j] reads %s[i], %e[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 64, j: 512] reads %e[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// Longer rows would push each other out of the first-level cache.
// CHECK-LABEL: sched.scop @long_rows
// CHECK-NOT: prefetch
sched.scop @long_rows ins(%x: memref<64x8192xf32>) outs(%y: memref<64x8192xf32>)
    arrays(%m: memref<64xf32>, %e: memref<64x8192xf32>, %s: memref<64xf32>) {
  sched.stmt @least [i: 64] writes %m[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  sched.stmt @max [i: 64, j: 8192] reduces [j] reads %m[i], %x[i, j] writes %m[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.maximumf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @exp [i: 64, j: 8192] reads %x[i, j], %m[i] writes %e[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    sched.yield %3 : f32
  }
  sched.stmt @zero [i: 64] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 64, j: 8192] reduces [j] reads %s[i], %e[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 64, j: 8192] reads %e[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// Shorter ones hide nothing.
// CHECK-LABEL: sched.scop @short_rows
// CHECK-NOT: prefetch
sched.scop @short_rows ins(%x: memref<4096x96xf32>) outs(%y: memref<4096x96xf32>)
    arrays(%m: memref<4096xf32>, %e: memref<4096x96xf32>, %s: memref<4096xf32>) {
  sched.stmt @least [i: 4096] writes %m[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  sched.stmt @max [i: 4096, j: 96] reduces [j] reads %m[i], %x[i, j] writes %m[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.maximumf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @exp [i: 4096, j: 96] reads %x[i, j], %m[i] writes %e[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    sched.yield %3 : f32
  }
  sched.stmt @zero [i: 4096] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 4096, j: 96] reduces [j] reads %s[i], %e[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 4096, j: 96] reads %e[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// Another processor has a larger cache.
// CHECK-LABEL: sched.scop @larger_cache
// CHECK-NOT: prefetch
module attributes {fuse.target = "sapphire-rapids"} {
sched.scop @larger_cache ins(%x: memref<1024x512xf32>) outs(%y: memref<1024x512xf32>)
    arrays(%m: memref<1024xf32>, %e: memref<1024x512xf32>, %s: memref<1024xf32>) {
  sched.stmt @least [i: 1024] writes %m[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  sched.stmt @max [i: 1024, j: 512] reduces [j] reads %m[i], %x[i, j] writes %m[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.maximumf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @exp [i: 1024, j: 512] reads %x[i, j], %m[i] writes %e[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    sched.yield %3 : f32
  }
  sched.stmt @zero [i: 1024] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 1024, j: 512] reduces [j] reads %s[i], %e[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 1024, j: 512] reads %e[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}
}

// -----

// Nothing computes for longer than a load takes.
// CHECK-LABEL: sched.scop @no_function
// CHECK-NOT: prefetch
sched.scop @no_function ins(%x: memref<1024x512xf32>) outs(%y: memref<1024x512xf32>)
    arrays(%m: memref<1024xf32>, %e: memref<1024x512xf32>, %s: memref<1024xf32>) {
  sched.stmt @least [i: 1024] writes %m[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  sched.stmt @max [i: 1024, j: 512] reduces [j] reads %m[i], %x[i, j] writes %m[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.maximumf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @exp [i: 1024, j: 512] reads %x[i, j], %m[i] writes %e[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @zero [i: 1024] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 1024, j: 512] reduces [j] reads %s[i], %e[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 1024, j: 512] reads %e[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// Of a product whose factor lies with a row for each step, tiles fetch what the
// next one reads; one that is small, or runs along the steps, is there in time.
// CHECK-LABEL: sched.scop @pixels
// CHECK: config(#sched.config<"default", [{{.*}}prefetch = [0]>, registers<tile = [{{16|32}}, {{[0-9]+}}]
// KERNEL: kernel.func @pixels(%x: memref<512x784xf32> {kernel.prefetch}, %w: memref<512x128xf32>,
// KERNEL-SAME: prefetched"
sched.scop @pixels ins(%x: memref<512x784xf32>, %w: memref<512x128xf32>) outs(%y: memref<128x784xf32>) arrays(%acc: memref<128x784xf32>) {
  sched.stmt @init [i: 128, j: 784] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 128, j: 784, k: 512] reduces [k] reads %acc[i, j], %x[k, j], %w[k, i] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 128, j: 784] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// A statement reads its inputs in any order; a config names them in theirs.
// CHECK-LABEL: sched.scop @swapped
// CHECK: prefetch = [0, 1]
sched.scop @swapped ins(%s: memref<512x784xf32>, %x: memref<512x784xf32>, %w: memref<512x128xf32>) outs(%y: memref<128x784xf32>) arrays(%acc: memref<128x784xf32>) {
  sched.stmt @init [i: 128, j: 784] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 128, j: 784, k: 512] reduces [k] reads %acc[i, j], %x[k, j], %s[k, j], %w[k, i] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32, %3: f32):
    %4 = arith.mulf %1, %2 : f32
    %5 = math.fma %4, %3, %0 : f32
    sched.yield %5 : f32
  }
  sched.stmt @epi [i: 128, j: 784] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
