// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-hold-rows | FileCheck %s
// RUN: fusec-opt %s --kernel-hold-rows=remarks --verify-diagnostics -o /dev/null

#own = #kernel.space<thread>
#shared = #kernel.space<shared>
module attributes {fuse.target = "cuda-sm80"} {
// A warp has a row of 250 pairs, so a thread 8 of them at most: what two loops read of x,
// and what one leaves to the next in shared memory, are in registers. The last turn is
// not whole. What is read once stays.
// CHECK-DAG: #[[LEFT:.*]] = affine_set<(d0, d1) : (d0 * -32 - d1 + 249 >= 0)>
// CHECK-LABEL: kernel.func @warps
// CHECK-NOT: #kernel.space<shared>
// CHECK: kernel.for %i = 0 to 8 map(warp) {
// CHECK-DAG: %x_held = kernel.local : memref<8x2xf32, #kernel.space<thread>>
// CHECK-DAG: %e = kernel.local : memref<8x2xf32, #kernel.space<thread>>
// CHECK: kernel.for %[[T:.*]] = 0 to 32 map(thread) carries(add %s : memref<f32, #kernel.space<thread>>) {
// CHECK-NEXT: kernel.for %[[N:.*]] = 0 to 8 map(unroll) carries(add %s : memref<f32, #kernel.space<thread>>) {
// CHECK-NEXT: kernel.if #[[LEFT]](%[[N]], %[[T]]) {
// CHECK-NEXT: kernel.for %[[J:.*]] = 0 to 2 map(unroll) carries(add %s : memref<f32, #kernel.space<thread>>) {
// CHECK-NEXT: %[[X:.*]] = kernel.load %x[%i, %[[N]] * 64 + %[[T]] * 2 + %[[J]]] : memref<8x500xf16> -> f32
// CHECK-NEXT: kernel.store %[[X]], %x_held[%[[N]], %[[J]]]
// CHECK-NEXT: kernel.store %[[X]], %e[%[[N]], %[[J]]]
// CHECK: kernel.for %{{.*}} = 0 to 32 map(thread) {
// CHECK-NEXT: kernel.for %[[M:.*]] = 0 to 8 map(unroll) {
// CHECK-NEXT: kernel.if
// CHECK-NEXT: kernel.for %[[K:.*]] = 0 to 2 map(unroll) {
// CHECK-NEXT: kernel.load %x_held[%[[M]], %[[K]]]
// CHECK-NEXT: kernel.load %e[%[[M]], %[[K]]]
// CHECK-NEXT: kernel.load %w[%[[M]] * 64 + %{{.*}} * 2 + %[[K]]]
kernel.func @warps(%x: memref<8x500xf16> loc("x"), %w: memref<500xf32>, %y: memref<8x500xf32>)
    attributes {group = "warps", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 256 : i64} {
  %e = kernel.local : memref<8x500xf32, #shared>
  kernel.for %i = 0 to 8 map(warp) {
    %s = kernel.local : memref<f32, #own>
    %zero = arith.constant 0.0 : f32
    kernel.store %zero, %s[] : f32, memref<f32, #own>
    kernel.for %t = 0 to 250 map(thread) carries(add %s : memref<f32, #own>) {
      kernel.for %j = 0 to 2 map(unroll) carries(add %s : memref<f32, #own>) {
        %0 = kernel.load %x[%i, %t * 2 + %j] : memref<8x500xf16> -> f32
        kernel.store %0, %e[%i, %t * 2 + %j] : f32, memref<8x500xf32, #shared>
        %1 = kernel.load %s[] : memref<f32, #own> -> f32
        %2 = arith.addf %1, %0 : f32
        kernel.store %2, %s[] : f32, memref<f32, #own>
      }
    }
    kernel.for %t = 0 to 250 map(thread) {
      kernel.for %j = 0 to 2 map(unroll) {
        %0 = kernel.load %x[%i, %t * 2 + %j] : memref<8x500xf16> -> f32
        %1 = kernel.load %e[%i, %t * 2 + %j] : memref<8x500xf32, #shared> -> f32
        %2 = kernel.load %w[%t * 2 + %j] : memref<500xf32> -> f32
        %3 = arith.addf %0, %1 : f32
        %4 = arith.mulf %3, %2 : f32
        kernel.store %4, %y[%i, %t * 2 + %j] : f32, memref<8x500xf32>
      }
    }
  }
  kernel.return
}

// A block has rows: of 64 elements some threads have one, others none.
// CHECK-LABEL: kernel.func @block
// CHECK-DAG: %x_held = kernel.local : memref<f32, #kernel.space<thread>>
// CHECK: kernel.for %[[T:.*]] = 0 to 64 map(thread) carries(max
// CHECK-NEXT: %[[X:.*]] = kernel.load %x[%[[T]]]
// CHECK-NEXT: kernel.store %[[X]], %x_held[]
// CHECK: kernel.for %[[U:.*]] = 0 to 64 map(thread) {
// CHECK-NEXT: %[[X:.*]] = kernel.load %x_held[]
// CHECK-NEXT: kernel.store %[[X]], %y[%[[U]]]
kernel.func @block(%x: memref<64xf32> loc("x"), %y: memref<64xf32>)
    attributes {group = "block", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 128 : i64} {
  %m = kernel.local : memref<f32, #own>
  kernel.for %t = 0 to 64 map(thread) carries(max %m : memref<f32, #own>) {
    %0 = kernel.load %x[%t] : memref<64xf32> -> f32
    %1 = kernel.load %m[] : memref<f32, #own> -> f32
    %2 = arith.maximumf %1, %0 : f32
    kernel.store %2, %m[] : f32, memref<f32, #own>
  }
  kernel.for %t = 0 to 64 map(thread) {
    %0 = kernel.load %x[%t] : memref<64xf32> -> f32
    kernel.store %0, %y[%t] : f32, memref<64xf32>
  }
  kernel.return
}

// Nothing of these: x is read in another order, a is read by the neighbour of who
// writes it, b by another warp, c before it is written, d only where a condition holds;
// z is written.
// CHECK-LABEL: kernel.func @none
// CHECK-NOT: _held
// CHECK-COUNT-4: kernel.local : memref<{{(8x)?}}64xf32, #kernel.space<shared>>
// CHECK: kernel.return
// expected-remark @below {{no thread holds its part of c: it is read before it is written}}
// expected-remark @below {{no thread holds its part of a: not each of its elements is one thread's}}
// expected-remark @below {{no thread holds its part of b: not each of its elements is one thread's}}
// expected-remark @below {{no thread holds its part of d: the first access leaves out what others need}}
kernel.func @none(%x: memref<8x64xf32> loc("x"), %z: memref<8x64xf32> loc("z"))
    attributes {group = "none", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 256 : i64} {
  %a = kernel.local : memref<8x64xf32, #shared> loc("a")
  %b = kernel.local : memref<64xf32, #shared> loc("b")
  %c = kernel.local : memref<8x64xf32, #shared> loc("c")
  %d = kernel.local : memref<8x64xf32, #shared> loc("d")
  kernel.for %i = 0 to 8 map(warp) {
    %s = kernel.local : memref<f32, #own>
    kernel.for %t = 0 to 64 map(thread) carries(add %s : memref<f32, #own>) {
      %0 = kernel.load %x[%i, %t] : memref<8x64xf32> -> f32
      %1 = kernel.load %c[%i, %t] : memref<8x64xf32, #shared> -> f32
      %2 = arith.addf %0, %1 : f32
      kernel.store %2, %a[%i, %t] : f32, memref<8x64xf32, #shared>
      kernel.store %2, %b[%t] : f32, memref<64xf32, #shared>
      kernel.store %2, %c[%i, %t] : f32, memref<8x64xf32, #shared>
      kernel.store %2, %z[%i, %t] : f32, memref<8x64xf32>
      kernel.if affine_set<(d0) : (d0 - 7 >= 0)>(%t) {
        kernel.store %2, %d[%i, %t] : f32, memref<8x64xf32, #shared>
      }
      %3 = kernel.load %s[] : memref<f32, #own> -> f32
      %4 = arith.addf %3, %2 : f32
      kernel.store %4, %s[] : f32, memref<f32, #own>
    }
    kernel.for %t = 0 to 64 map(thread) {
      %0 = kernel.load %x[%i, -%t + 63] : memref<8x64xf32> -> f32
      %1 = kernel.load %a[%i, (%t + 1) mod 64] : memref<8x64xf32, #shared> -> f32
      %2 = kernel.load %b[%t] : memref<64xf32, #shared> -> f32
      %3 = kernel.load %d[%i, %t] : memref<8x64xf32, #shared> -> f32
      %4 = arith.addf %0, %1 : f32
      %5 = arith.addf %4, %2 : f32
      %6 = arith.addf %5, %3 : f32
      kernel.store %6, %z[%i, %t] : f32, memref<8x64xf32>
    }
  }
  kernel.return
}

// What the teams of all columns write and read is none of one thread's.
// CHECK-LABEL: kernel.func @columns
// CHECK: kernel.local : memref<64xf32, #kernel.space<shared>>
// expected-remark @below {{no thread holds its part of e: not each of its elements is one thread's}}
kernel.func @columns(%x: memref<64x32xf32> loc("x"), %y: memref<64x32xf32>)
    attributes {group = "columns", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 256 : i64} {
  %e = kernel.local : memref<64xf32, #shared> loc("e")
  kernel.for %i = 0 to 32 map(column) {
    %s = kernel.local : memref<f32, #own>
    kernel.for %t = 0 to 64 map(thread) carries(add %s : memref<f32, #own>) {
      %0 = kernel.load %x[%t, %i] : memref<64x32xf32> -> f32
      kernel.store %0, %e[%t] : f32, memref<64xf32, #shared>
      %1 = kernel.load %s[] : memref<f32, #own> -> f32
      %2 = arith.addf %1, %0 : f32
      kernel.store %2, %s[] : f32, memref<f32, #own>
    }
    kernel.for %t = 0 to 64 map(thread) {
      %0 = kernel.load %e[%t] : memref<64xf32, #shared> -> f32
      kernel.store %0, %y[%t, %i] : f32, memref<64x32xf32>
    }
  }
  kernel.return
}

// A row of more than a thread has registers for stays a loop.
// CHECK-LABEL: kernel.func @long
// CHECK: kernel.for %{{.*}} = 0 to 4096 map(thread) carries(add
// CHECK: kernel.for %{{.*}} = 0 to 4096 map(thread) {
kernel.func @long(%x: memref<4096xf32> loc("x"), %y: memref<4096xf32>)
    attributes {group = "long", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
  %s = kernel.local : memref<f32, #own>
  // expected-remark @below {{stays a loop: a thread has 128 elements of its row, and registers for 64}}
  kernel.for %t = 0 to 4096 map(thread) carries(add %s : memref<f32, #own>) {
    %0 = kernel.load %x[%t] : memref<4096xf32> -> f32
    %1 = kernel.load %s[] : memref<f32, #own> -> f32
    %2 = arith.addf %1, %0 : f32
    kernel.store %2, %s[] : f32, memref<f32, #own>
  }
  // expected-remark @below {{stays a loop: a thread has 128 elements of its row, and registers for 64}}
  kernel.for %t = 0 to 4096 map(thread) {
    %0 = kernel.load %x[%t] : memref<4096xf32> -> f32
    kernel.store %0, %y[%t] : f32, memref<4096xf32>
  }
  kernel.return
}
}
