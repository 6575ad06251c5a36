// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which outputs a config has written past the caches.
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-select-configs=variants=1 | FileCheck %s
// RUN: fusec-opt %s --split-input-file --sched-compute --sched-select-configs=variants=1 --sched-tile --sched-map --sched-promote-arrays --convert-sched-to-kernel | FileCheck %s --check-prefix=KERNEL

// Its 32 MB and a row are more than the last cache holds.
// CHECK-LABEL: sched.scop @scale
// CHECK: config({{.*}}cache<stream = [1]>
// KERNEL: kernel.func @scale(%x: memref<4097x2048xf32>, %y: memref<4097x2048xf32> {kernel.stream})
// KERNEL-SAME: schedule = "{{.*}}vector 16, streamed"
sched.scop @scale ins(%x: memref<4097x2048xf32>) outs(%y: memref<4097x2048xf32>) {
  sched.stmt @scale [i: 4097, j: 2048] reads %x[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    sched.yield %1 : f32
  }
}

// -----

// A row less may stay in it.
// CHECK-LABEL: sched.scop @stays
// CHECK-NOT: stream
// KERNEL-LABEL: kernel.func @stays
// KERNEL-NOT: stream
sched.scop @stays ins(%x: memref<4096x2048xf32>) outs(%y: memref<4096x2048xf32>) {
  sched.stmt @scale [i: 4096, j: 2048] reads %x[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    sched.yield %1 : f32
  }
}

// -----

// Rows end within a line: what is stored to both of its parts must be there.
// CHECK-LABEL: sched.scop @parts
// CHECK-NOT: stream
// KERNEL-LABEL: kernel.func @parts
// KERNEL-NOT: stream
sched.scop @parts ins(%x: memref<4097x2049xf32>) outs(%y: memref<4097x2049xf32>) {
  sched.stmt @scale [i: 4097, j: 2049] reads %x[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    sched.yield %1 : f32
  }
}

// -----

// An output that the group reads again, and a small one, which the next group finds.
// CHECK-LABEL: sched.scop @again
// KERNEL-LABEL: kernel.func @again
// CHECK: config({{.*}}cache<stream = [2]>
sched.scop @again ins(%x: memref<4097x2048xf32>)
    outs(%y: memref<4097x2048xf32>, %z: memref<4097x2048xf32>, %s: memref<4097xf32>) {
  sched.stmt @twice [i: 4097, j: 2048] reads %x[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    sched.yield %1 : f32
  }
  sched.stmt @square [i: 4097, j: 2048] reads %y[i, j] writes %z[i, j] {
  ^bb0(%0: f32):
    %1 = arith.mulf %0, %0 : f32
    sched.yield %1 : f32
  }
  sched.stmt @zero [i: 4097] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 4097, j: 2048] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// What is streamed is not fetched: the input's rows are, the output's are not.
// CHECK-LABEL: sched.scop @softmax
// CHECK: config({{.*}}cache<prefetch = [0], stream = [1]>
sched.scop @softmax ins(%x: memref<16400x512xf32>) outs(%y: memref<16400x512xf32>)
    arrays(%m: memref<16400xf32>, %e: memref<16400x512xf32>, %s: memref<16400xf32>) {
  sched.stmt @least [i: 16400] writes %m[i] {
    %0 = arith.constant 0xFF800000 : f32
    sched.yield %0 : f32
  }
  sched.stmt @max [i: 16400, j: 512] reduces [j] reads %m[i], %x[i, j] writes %m[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.maximumf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @exp [i: 16400, j: 512] reads %x[i, j], %m[i] writes %e[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    sched.yield %3 : f32
  }
  sched.stmt @zero [i: 16400] writes %s[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 16400, j: 512] reduces [j] reads %s[i], %e[i, j] writes %s[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
  sched.stmt @out [i: 16400, j: 512] reads %e[i, j], %s[i] writes %y[i, j] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.divf %0, %1 : f32
    sched.yield %2 : f32
  }
}

// -----

// Vectors of f16 are halves of lines.
// CHECK-LABEL: sched.scop @halves
// CHECK-NOT: stream
sched.scop @halves ins(%x: memref<8192x4096xf16>) outs(%y: memref<8192x4096xf16>) {
  sched.stmt @scale [i: 8192, j: 4096] reads %x[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    sched.yield %1 : f32
  }
}

// -----

// A processor that sees that whole lines are overwritten gains nothing.
module attributes {fuse.target = "sapphire-rapids"} {
// CHECK-LABEL: sched.scop @foreseen
// CHECK-NOT: stream
sched.scop @foreseen ins(%x: memref<4096x4096xf32>) outs(%y: memref<4096x4096xf32>) {
  sched.stmt @scale [i: 4096, j: 4096] reads %x[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    sched.yield %1 : f32
  }
}
}
