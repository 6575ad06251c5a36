// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-pipeline-copies --kernel-legalize --split-input-file --verify-diagnostics | FileCheck %s

#shared = #kernel.space<shared>
#own = #kernel.space<thread>

// Rows of whole words are copied four elements at a time, what lies outside as
// zeros; columns one by one.
// CHECK-LABEL: kernel.func @product
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @product(%x: memref<1x63xf32>, %w: memref<63x32xf32>, %y: memref<1x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64, config = #sched.config<"default", [block<threads = 32, tile = [1, 32], depth = 4, stages = 2>, thread<points = [1, 1]>]>} {
    %sum = kernel.local : memref<1xf32, #own>
    // CHECK: %x_0 = kernel.local : memref<2x4xf32, #kernel.space<shared>>
    // CHECK: %w_0 = kernel.local : memref<2x4x32xf32, #kernel.space<shared>>
    // CHECK-NEXT: kernel.for %k = 0 to 4 map(thread) {
    // CHECK-NEXT: kernel.copy_async %{{.*}}[0, %k] to %x_0[0, %k] : memref<1x63xf32>
    // CHECK-NEXT: }
    // CHECK-NEXT: kernel.for %k = 0 to 4 map(thread) {
    // CHECK-NEXT: kernel.for %j = 0 to 8 map(thread) {
    // CHECK-NEXT: kernel.copy_async %{{.*}}[%k, %j * 4] to %w_0[0, %k, %j * 4] elements = 4 : memref<63x32xf32>
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    // CHECK-NEXT: kernel.commit_copies
    // CHECK-NEXT: kernel.for %t = 0 to 16 carries(add %sum
    // CHECK-NEXT: kernel.wait_copies most = 0
    // CHECK-NEXT: kernel.barrier block
    // CHECK-NEXT: kernel.if #{{.*}}(%t) {
    // CHECK-NEXT: kernel.for %k = 0 to 4 map(thread) {
    // CHECK-NEXT: %[[IN:.*]] = kernel.in_bounds #{{.*}}(%k, %t) : i1
    // CHECK-NEXT: kernel.copy_async %{{.*}}[0, %t * 4 + %k + 4] to %x_0[%t - ((%t + 1) floordiv 2) * 2 + 1, %k] mask %[[IN]]
    // CHECK: kernel.copy_async %{{.*}}[%t * 4 + %k + 4, %j * 4] to %w_0[%t - ((%t + 1) floordiv 2) * 2 + 1, %k, %j * 4] elements = 4 mask
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    // CHECK-NEXT: kernel.commit_copies
    // CHECK-NOT: kernel.barrier
    // CHECK: kernel.load %x_0[%t mod 2, %k]
    // CHECK: kernel.load %w_0[%t mod 2, %k, %j]
    // CHECK-NOT: kernel.barrier
    // CHECK: kernel.return
    kernel.for %t = 0 to 16 carries(add %sum : memref<1xf32, #own>) {
      %x_0 = kernel.local : memref<4xf32, #shared>
      %w_0 = kernel.local : memref<4x32xf32, #shared>
      kernel.barrier block
      kernel.for %k = 0 to 4 map(thread) {
        %inside = kernel.in_bounds affine_set<(d0, d1) : (-d0 - d1 * 4 + 62 >= 0)>(%k, %t) : i1
        %0 = kernel.load %x[0, %t * 4 + %k] mask %inside fill 0.0 : f32 : memref<1x63xf32>, i1 -> f32
        kernel.store %0, %x_0[%k] : f32, memref<4xf32, #shared>
      }
      kernel.for %k = 0 to 4 map(thread) {
        kernel.for %j = 0 to 32 map(thread) {
          %inside = kernel.in_bounds affine_set<(d0, d1) : (-d0 - d1 * 4 + 62 >= 0)>(%k, %t) : i1
          %0 = kernel.load %w[%t * 4 + %k, %j] mask %inside fill 0.0 : f32 : memref<63x32xf32>, i1 -> f32
          kernel.store %0, %w_0[%k, %j] : f32, memref<4x32xf32, #shared>
        }
      }
      kernel.barrier block
      kernel.for %j = 0 to 32 map(thread) {
        kernel.for %k = 0 to 4 {
          %0 = kernel.load %sum[0] : memref<1xf32, #own> -> f32
          %1 = kernel.load %x_0[%k] : memref<4xf32, #shared> -> f32
          %2 = kernel.load %w_0[%k, %j] : memref<4x32xf32, #shared> -> f32
          %3 = math.fma %1, %2, %0 : f32
          kernel.store %3, %sum[0] : f32, memref<1xf32, #own>
        }
      }
    }
    kernel.for %j = 0 to 32 map(thread) {
      %0 = kernel.load %sum[0] : memref<1xf32, #own> -> f32
      kernel.store %0, %y[0, %j] : f32, memref<1x32xf32>
    }
    kernel.return
  }
}

// -----

#shared = #kernel.space<shared>
#own = #kernel.space<thread>
#least = affine_map<(d0) -> (5, d0 + 1)>

// Three stages: two groups are on their way; a loop that may be shorter begins
// what it has. Elements that are converted, have another fill than zero or
// begin at no whole word go as they can. The loop around needs a barrier.
// CHECK-LABEL: kernel.func @stages
module attributes {fuse.target = "cuda-sm90"} {
  kernel.func @stages(%h: memref<8x5x32xf16>, %x: memref<8x5x33xf32>, %n: memref<8x5x32xf32>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 3 : i64, num_outputs = 1 : i64, threads = 32 : i64, config = #sched.config<"default", [block<threads = 32, tile = [1, 32], depth = 4, stages = 3>, thread<points = [1, 1]>]>} {
    kernel.for %b = 0 to 8 {
      %sum = kernel.local : memref<1xf32, #own>
      // CHECK: kernel.local : memref<3x32xf32, #kernel.space<shared>>
      // CHECK: kernel.local : memref<3x32xf32, #kernel.space<shared>>
      // CHECK: kernel.local : memref<3x32xf32, #kernel.space<shared>>
      // CHECK-NEXT: kernel.barrier block
      // CHECK-NEXT: kernel.for %j = 0 to 32 map(thread) {
      // CHECK-NEXT: %[[H:.*]] = kernel.load %{{.*}}[%b, 0, %j] : memref<8x5x32xf16> -> f32
      // CHECK-NEXT: kernel.store %[[H]], %h_0[0, %j]
      // CHECK-NEXT: }
      // CHECK-NEXT: kernel.for %j = 0 to 32 map(thread) {
      // CHECK-NEXT: kernel.copy_async %{{.*}}[%b, 0, %j] to %x_0[0, %j] : memref<8x5x33xf32>
      // CHECK: kernel.load {{.*}} fill 1.000000e+00
      // CHECK-NEXT: kernel.store
      // CHECK: kernel.commit_copies
      // CHECK-NEXT: kernel.if #{{.*}}(%b) {
      // CHECK: kernel.copy_async %{{.*}}[%b, 1, %j] to %x_0[1, %j] : memref<8x5x33xf32>
      // CHECK: kernel.commit_copies
      // CHECK-NEXT: kernel.for %t = 0 to min #{{.*}}(%b) carries(add %sum
      // CHECK-NEXT: kernel.wait_copies most = 1
      // CHECK-NEXT: kernel.barrier block
      // CHECK-NEXT: kernel.if #{{.*}}(%b, %t) {
      // CHECK: kernel.copy_async %{{.*}}[%b, %t + 2, %j] to %x_0[%t - ((%t + 2) floordiv 3) * 3 + 2, %j] : memref<8x5x33xf32>
      // CHECK: kernel.commit_copies
      // CHECK: kernel.load %h_0[%t mod 3, %j]
      // CHECK-NOT: kernel.barrier
      // CHECK: kernel.return
      kernel.for %t = 0 to min #least(%b) carries(add %sum : memref<1xf32, #own>) {
        %h_0 = kernel.local : memref<32xf32, #shared>
        %x_0 = kernel.local : memref<32xf32, #shared>
        %n_0 = kernel.local : memref<32xf32, #shared>
        kernel.barrier block
        kernel.for %j = 0 to 32 map(thread) {
          %0 = kernel.load %h[%b, %t, %j] : memref<8x5x32xf16> -> f32
          kernel.store %0, %h_0[%j] : f32, memref<32xf32, #shared>
        }
        kernel.for %j = 0 to 32 map(thread) {
          %0 = kernel.load %x[%b, %t, %j] : memref<8x5x33xf32> -> f32
          kernel.store %0, %x_0[%j] : f32, memref<32xf32, #shared>
        }
        kernel.for %j = 0 to 32 map(thread) {
          %inside = kernel.in_bounds affine_set<(d0, d1) : (-d0 - d1 + 30 >= 0)>(%j, %t) : i1
          %0 = kernel.load %n[%b, %t, %j] mask %inside fill 1.0 : f32 : memref<8x5x32xf32>, i1 -> f32
          kernel.store %0, %n_0[%j] : f32, memref<32xf32, #shared>
        }
        kernel.barrier block
        kernel.for %j = 0 to 32 map(thread) {
          %0 = kernel.load %sum[0] : memref<1xf32, #own> -> f32
          %1 = kernel.load %h_0[%j] : memref<32xf32, #shared> -> f32
          %2 = kernel.load %x_0[-%j + 31] : memref<32xf32, #shared> -> f32
          %3 = kernel.load %n_0[-%j + 31] : memref<32xf32, #shared> -> f32
          %4 = arith.mulf %2, %3 : f32
          %5 = math.fma %1, %4, %0 : f32
          kernel.store %5, %sum[0] : f32, memref<1xf32, #own>
        }
      }
      kernel.for %j = 0 to 32 map(thread) {
        %0 = kernel.load %sum[0] : memref<1xf32, #own> -> f32
        kernel.store %0, %y[%b, %j] : f32, memref<8x32xf32>
      }
    }
    kernel.return
  }
}

// -----

#shared = #kernel.space<shared>

// What it loads is what the iteration before has stored.
// CHECK-LABEL: kernel.func @carried
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @carried(%x: memref<5x32xf32>, %y: memref<6x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64, config = #sched.config<"default", [block<threads = 32, tile = [1, 32], depth = 4, stages = 2>, thread<points = [1, 1]>]>} {
    // expected-remark @below {{loads no stages ahead: what stands between its barriers is not only loads of what it does not change, and stores to tiles}}
    kernel.for %t = 0 to 5 {
      // CHECK: kernel.local : memref<32xf32, #kernel.space<shared>>
      // CHECK-NEXT: kernel.barrier block
      %tile = kernel.local : memref<32xf32, #shared>
      kernel.barrier block
      kernel.for %j = 0 to 32 map(thread) {
        %0 = kernel.load %y[%t, %j] : memref<6x32xf32> -> f32
        kernel.store %0, %tile[%j] : f32, memref<32xf32, #shared>
      }
      kernel.barrier block
      kernel.for %j = 0 to 32 map(thread) {
        %0 = kernel.load %tile[-%j + 31] : memref<32xf32, #shared> -> f32
        kernel.store %0, %y[%t + 1, %j] : f32, memref<6x32xf32>
      }
    }
    kernel.return
  }
}

// -----

#shared = #kernel.space<shared>

// CHECK-LABEL: kernel.func @refilled
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @refilled(%x: memref<5x32xf32>, %y: memref<5x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64, config = #sched.config<"default", [block<threads = 32, tile = [1, 32], depth = 4, stages = 2>, thread<points = [1, 1]>]>} {
    // expected-remark @below {{loads no stages ahead: what computes with its tiles does not only load from them}}
    kernel.for %t = 0 to 5 {
      %tile = kernel.local : memref<32xf32, #shared>
      kernel.barrier block
      kernel.for %j = 0 to 32 map(thread) {
        %0 = kernel.load %x[%t, %j] : memref<5x32xf32> -> f32
        kernel.store %0, %tile[%j] : f32, memref<32xf32, #shared>
      }
      kernel.barrier block
      kernel.for %j = 0 to 32 map(thread) {
        %0 = kernel.load %tile[%j] : memref<32xf32, #shared> -> f32
        kernel.store %0, %tile[%j] : f32, memref<32xf32, #shared>
        kernel.store %0, %y[%t, %j] : f32, memref<5x32xf32>
      }
    }
    kernel.return
  }
}

// -----

// CHECK-LABEL: kernel.func @none
module attributes {fuse.target = "cuda-sm80"} {
  // expected-remark @below {{loads no stages ahead: no loop fills tiles}}
  kernel.func @none(%x: memref<32xf32>, %y: memref<32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64, config = #sched.config<"default", [block<threads = 32, tile = [1, 32], depth = 4, stages = 2>, thread<points = [1, 1]>]>} {
    kernel.for %j = 0 to 32 map(thread) {
      %0 = kernel.load %x[%j] : memref<32xf32> -> f32
      kernel.store %0, %y[%j] : f32, memref<32xf32>
    }
    kernel.return
  }
}
