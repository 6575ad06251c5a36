// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that the threads of a block, or of a warp, share: what each thread has of its
// own, what they have together, and where they wait for each other.
// RUN: fusec-opt %s --sched-compute=proposer=structural --sched-select-configs --sched-tile --sched-map --sched-promote-arrays > %t.rows
// RUN: fusec-opt %t.rows --sched-place-barriers --convert-sched-to-kernel --kernel-lower-reductions | FileCheck %s
// RUN: fusec-opt %t.rows --sched-place-barriers --sched-verify > %t.trees

// The naive variants are one thread's.
// RUN: fusec-opt %t.rows --sched-place-barriers 2>&1 | FileCheck %s --check-prefix=APART
// APART: remark: gets no barriers here: its threads share no rows

// Once is enough.
// RUN: fusec-opt %t.trees --sched-place-barriers | diff %t.trees -

// Without them it is refused.
// RUN: sed 's/mark: ."barrier."/mark: "none"/; s/\\22barrier\\22/\\22none\\22/' %t.trees > %t.unordered
// RUN: not fusec-opt %t.unordered --sched-verify 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: fusec-opt %t.unordered --sched-verify=barriers=false > /dev/null
// RACE: 'sched.scop' op has an illegal schedule: threads access an element, one of them to write, and no barrier stands between
// RACE: note: for example { ee[

module attributes {fuse.target = "cuda-sm80"} {
  // Every thread has the sum; of %e they read elements that others have made.
  // CHECK-LABEL: kernel.func @reversed(
  // CHECK-SAME: block<threads = 512, tile = [1]>, team<of = block
  // CHECK: kernel.for %[[I:.*]] = 0 to 10 map(block) {
  // CHECK-NEXT: %[[M:.*]] = kernel.local : memref<f32, #kernel.space<thread>>
  // CHECK-NEXT: %[[E:.*]] = kernel.local : memref<300xf32, #kernel.space<shared>>
  // CHECK: kernel.for %{{.*}} = 0 to 300 map(thread) {
  // CHECK: kernel.combine {{ *}}add
  // CHECK-NOT: kernel.barrier
  // CHECK: kernel.for %[[J:.*]] = 0 to 300 map(thread) {
  // CHECK: kernel.store %{{.*}}, %[[E]][%[[J]]]
  // CHECK: kernel.barrier {{ *}}block
  // CHECK-NEXT: kernel.for %[[K:.*]] = 0 to 300 map(thread) {
  // CHECK-NEXT: kernel.load %[[E]][-%[[K]] + 299]
  // CHECK-NOT: kernel.barrier
  // CHECK: kernel.return
  sched.scop @reversed ins(%x: memref<10x300xf32>) outs(%y: memref<10x300xf32>, %z: memref<10x300xf32>) arrays(%m: memref<10xf32>, %e: memref<10x300xf32>) {
    sched.stmt @zero [i: 10] writes %m[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [i: 10, j: 300] reduces [j] reads %m[i], %x[i, j] writes %m[i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
    sched.stmt @ee [i: 10, j: 300] reads %x[i, j], %m[i] writes %e[i, j] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.subf %0, %1 : f32
      sched.yield %2 : f32
    }
    sched.stmt @out [i: 10, j: 300] reads %e[i, -j + 299] writes %y[i, j] {
    ^bb0(%0: f32):
      %1 = math.exp %0 : f32
      sched.yield %1 : f32
    }
    sched.stmt @same [i: 10, j: 300] reads %e[i, j], %m[i] writes %z[i, j] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.mulf %0, %1 : f32
      sched.yield %2 : f32
    }
  }

  // A sum in memory is the first thread's: the others wait for it. Many short rows
  // have a warp each; the last block has fewer.
  // CHECK-LABEL: kernel.func @in_memory(
  // CHECK-SAME: block<threads = 256, tile = [8]>, team<of = warp
  // CHECK: kernel.for %{{.*}} = 0 to 1250 map(block) {
  // CHECK-NEXT: kernel.for %{{.*}} = 0 to 8 map(warp) {
  // CHECK-NEXT: kernel.if
  // CHECK-NEXT: kernel.for %{{.*}} = 0 to 1 map(thread) {
  // CHECK: kernel.store %{{.*}}, %s[
  // CHECK: kernel.for %{{.*}} = 0 to 75 map(thread) {
  // CHECK: %[[TOTAL:.*]] = kernel.combine {{ *}}add
  // CHECK-NEXT: kernel.for %{{.*}} = 0 to 1 map(thread) {
  // CHECK: arith.addf %{{.*}}, %[[TOTAL]]
  // CHECK: kernel.store %{{.*}}, %s[
  // CHECK: kernel.barrier {{ *}}warp
  // CHECK-NEXT: kernel.for %{{.*}} = 0 to 75 map(thread) {
  // CHECK: kernel.load %s[
  sched.scop @in_memory ins(%x: memref<9999x300xf32>) outs(%s: memref<9999xf32>, %y: memref<9999x300xf32>) {
    sched.stmt @zero [i: 9999] writes %s[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [i: 9999, j: 300] reduces [j] reads %s[i], %x[i, j] writes %s[i] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
    sched.stmt @y [i: 9999, j: 300] reads %s[i], %x[i, j] writes %y[i, j] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.divf %1, %0 : f32
      sched.yield %2 : f32
    }
  }

  // Where no loop is shared by all statements, one block does all.
  // CHECK-LABEL: kernel.func @full(
  // CHECK-SAME: [block<threads = {{[0-9]+}}>, team<of = block, loops = [-1, 0, -1], width = 4>]>
  // CHECK-NEXT: %[[A:.*]] = kernel.local : memref<f32, #kernel.space<thread>>
  // CHECK: kernel.for %{{.*}} = 0 to 500 map(thread) {
  // CHECK: kernel.combine {{ *}}add
  // CHECK: kernel.for %{{.*}} = 0 to 1 map(thread) {
  // CHECK: math.sqrt
  sched.scop @full ins(%x: memref<2000xf32>) outs(%s: memref<f32>) arrays(%a: memref<f32>) {
    sched.stmt @zero [] writes %a[] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
    sched.stmt @sum [j: 2000] reduces [j] reads %a[], %x[j] writes %a[] {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      sched.yield %2 : f32
    }
    sched.stmt @root [] reads %a[] writes %s[] {
    ^bb0(%0: f32):
      %1 = math.sqrt %0 : f32
      sched.yield %1 : f32
    }
  }

  // Of the greatest and its position each thread leaves what it has found in shared
  // memory, and all threads go through that.
  // CHECK-LABEL: kernel.func @greatest(
  // CHECK: %[[V:.*]] = kernel.local : memref<[[T:[0-9]+]]xf32, #kernel.space<shared>>
  // CHECK: %[[P:.*]] = kernel.local : memref<[[T]]xi64, #kernel.space<shared>>
  // CHECK: kernel.for %{{.*}} = 0 to 1250 map(thread) {
  // CHECK: kernel.for %{{.*}} = 0 to [[T]] map(thread) {
  // CHECK: kernel.store %{{.*}}, %[[V]]
  // CHECK: kernel.barrier {{ *}}block
  // CHECK-NEXT: kernel.for %{{.*}} = 0 to [[T]] {
  // CHECK: kernel.load %[[V]]
  // CHECK: arith.select
  sched.scop @greatest ins(%x: memref<7x5000xf32>) outs(%p: memref<7xi64>) arrays(%most: memref<7xf32>, %at: memref<7xi64>) {
    sched.stmt @init [i: 7] writes %most[i], %at[i] {
      %0 = arith.constant 0xFF800000 : f32
      %1 = arith.constant 0 : i64
      sched.yield %0, %1 : f32, i64
    }
    sched.stmt @find [i: 7, j: 5000] reduces [j] reads %most[i], %at[i], %x[i, j] writes %most[i], %at[i] {
    ^bb0(%0: f32, %1: i64, %2: f32):
      %3 = sched.index 1 : index
      %4 = arith.index_cast %3 : index to i64
      %5 = arith.cmpf ogt, %2, %0 : f32
      %6 = arith.cmpf oeq, %2, %0 : f32
      %7 = arith.cmpi slt, %4, %1 : i64
      %8 = arith.andi %6, %7 : i1
      %9 = arith.ori %5, %8 : i1
      %10 = arith.select %9, %2, %0 : f32
      %11 = arith.select %9, %4, %1 : i64
      sched.yield %10, %11 : f32, i64
    }
    sched.stmt @out [i: 7] reads %at[i] writes %p[i] {
    ^bb0(%0: i64):
      sched.yield %0 : i64
    }
  }
}
