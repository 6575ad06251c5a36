// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many iterations side by side threads have of a row that they share: what one access
// moves of the widest elements, where all that follows the row in memory lies side by side
// and begins at multiples of it, and each thread has some.
// RUN: fusec-opt %s --sched-compute --sched-select-configs | FileCheck %s

module attributes {fuse.target = "cuda-sm80"} {
  // 16 bytes.
  // CHECK-LABEL: sched.scop @half
  // CHECK:       "default", [{{.*}}, width = 8>
  sched.scop @half ins(%x: memref<64x2048xf16>) outs(%y: memref<64xf32>) {
    sched.stmt @zero [i: 64] writes %y[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [i: 64, j: 2048] reduces [j] reads %y[i], %x[i, j] writes %y[i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
  }

  // In shared memory they are floats.
  // CHECK-LABEL: sched.scop @half_shared
  // CHECK:       "default", [{{.*}}, width = 4>
  sched.scop @half_shared ins(%x: memref<64x2048xf16>) outs(%y: memref<64x2048xf16>) arrays(%s: memref<64xf32>, %e: memref<64x2048xf16>) {
    sched.stmt @zero [i: 64] writes %s[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @root [i: 64, j: 2048] reads %x[i, j] writes %e[i, j] {
    ^bb0(%0: f32):
      %1 = math.sqrt %0 : f32
      sched.yield %1 : f32
    }
    sched.stmt @sum [i: 64, j: 2048] reduces [j] reads %s[i], %e[i, j] writes %s[i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
    sched.stmt @out [i: 64, j: 2048] reads %e[i, j], %s[i] writes %y[i, j] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.divf %0, %1 : f32
      sched.yield %2 : f32
    }
  }

  // A warp has 2 of each 64.
  // CHECK-LABEL: sched.scop @short
  // CHECK:       "default", [{{.*}}threads = 256, {{.*}}, width = 2>
  sched.scop @short ins(%x: memref<8192x64xf32>) outs(%y: memref<8192xf32>) {
    sched.stmt @zero [i: 8192] writes %y[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [i: 8192, j: 64] reduces [j] reads %y[i], %x[i, j] writes %y[i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
  }

  // Every other row begins at no multiple of 2.
  // CHECK-LABEL: sched.scop @odd
  // CHECK:       "default", [
  // CHECK-NOT:   width
  sched.scop @odd ins(%x: memref<64x1001xf32>) outs(%y: memref<64xf32>) {
    sched.stmt @zero [i: 64] writes %y[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [i: 64, j: 1001] reduces [j] reads %y[i], %x[i, j] writes %y[i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
  }

  // Nor do those of a part that begins at the second element.
  // CHECK-LABEL: sched.scop @behind
  // CHECK:       "default", [
  // CHECK-NOT:   width
  sched.scop @behind ins(%x: memref<64x1024xf32>) outs(%y: memref<64xf32>) {
    sched.stmt @zero [i: 64] writes %y[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [i: 64, j: 1000] reduces [j] reads %y[i], %x[i, j + 1] writes %y[i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
  }

  // What is read lies side by side, what is stored does not.
  // CHECK-LABEL: sched.scop @turned
  // CHECK:       "default", [
  // CHECK-NOT:   width
  sched.scop @turned ins(%x: memref<64x1024xf32>) outs(%y: memref<1024x64xf32>) arrays(%s: memref<64xf32>) {
    sched.stmt @zero [i: 64] writes %s[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [i: 64, j: 1024] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
    sched.stmt @out [i: 64, j: 1024] reads %x[i, j], %s[i] writes %y[j, i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.divf %0, %1 : f32
      sched.yield %2 : f32
    }
  }
  // CHECK-LABEL: sched.scop @turned_naive
}
