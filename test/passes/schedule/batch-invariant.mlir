// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --convert-fuse-to-sched=batch-invariant | FileCheck %s
// RUN: fusec-opt %s --convert-fuse-to-sched | FileCheck %s --check-prefix=FREE
// FREE-NOT: ordered
// FREE-NOT: mul_rounded

// What a kernel fuses decides about no bit: the square, which a sum behind it could have
// rounded with, and what the function results in, whose last step may be a product. A
// square root rounds by itself. Sums of floats keep their order.
// CHECK-LABEL: sched.scop @squares
// CHECK: attributes {ordered}
// CHECK: kernel.mul_rounded
// CHECK-NEXT: arith.addf
// CHECK: math.sqrt
// CHECK-NOT: mul_rounded
// CHECK: sched.yield
// CHECK-LABEL: sched.scop @functions
// CHECK-NOT: ordered
// CHECK: %[[E:.*]] = math.exp
// CHECK: %[[ROUNDED:.*]] = kernel.mul_rounded %[[E]], %{{.*}} : f32
// CHECK: arith.addf %[[ROUNDED]], %{{.*}} : f32
// What nothing but a store reads needs no step more.
// CHECK: %[[ALONE:.*]] = math.tanh
// CHECK-NEXT: sched.yield %[[ALONE]]
// A long sum has 16 parts, of each 16th element; the two elements that are left go to two of
// them. The last dimension says whether: that of @pooled has 8 elements.
// CHECK-LABEL: sched.scop @long
// CHECK: sched.stmt @sum_parts_init [i: 4, j: 16]
// CHECK: sched.stmt @sum_terms [i: 4, j: 16, k: 2] reduces [k]
// CHECK-NEXT: reads %sum_parts[i, j], %{{.*}}[i, j + k * 16]
// CHECK: sched.stmt @sum_terms_2 [i: 4, j: 2, k: 1] reduces [k]
// CHECK-NEXT: reads %sum_parts[i, j], %{{.*}}[i, j + k * 16 + 32]
// CHECK: sched.stmt @sum_init [i: 4]
// CHECK: sched.stmt @sum [i: 4, j: 16] reduces [j]
// CHECK-NEXT: reads %sum[i], %sum_parts[i, j]
// CHECK-LABEL: sched.scop @pooled
// CHECK-NOT: _parts
// FREE-NOT: _parts
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = fuse.group @squares (%x) : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %1 = fuse.mul %a, %a : tensor<4x8xf32>
    %2 = fuse.reduce (%1) inits = [0.0 : f32] dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32> {
    ^bb0(%acc: f32, %in: f32):
      %s = arith.addf %acc, %in : f32
      fuse.yield %s : f32
    }
    %3 = fuse.sqrt %2 : tensor<4xf32>
    fuse.yield %3 : tensor<4xf32>
  }
  %4:2 = fuse.group @functions (%x) : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>):
    %5 = fuse.exp %a : tensor<4x8xf32>
    %6 = fuse.add %5, %a : tensor<4x8xf32>
    %7 = fuse.tanh %a : tensor<4x8xf32>
    fuse.yield %6, %7 : tensor<4x8xf32>, tensor<4x8xf32>
  }
  return %0, %4#0, %4#1 : tensor<4xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

func.func @sums(%x: tensor<4x34xf32>, %y: tensor<4x40x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fuse.group @long (%x) : (tensor<4x34xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x34xf32>):
    %1 = fuse.reduce (%a) inits = [0.0 : f32] dims = [1] : (tensor<4x34xf32>) -> tensor<4xf32> {
    ^bb0(%acc: f32, %in: f32):
      %s = arith.addf %acc, %in : f32
      fuse.yield %s : f32
    }
    fuse.yield %1 : tensor<4xf32>
  }
  %2 = fuse.group @pooled (%y) : (tensor<4x40x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x40x8xf32>):
    %1 = fuse.reduce (%a) inits = [0.0 : f32] dims = [1, 2] : (tensor<4x40x8xf32>) -> tensor<4xf32> {
    ^bb0(%acc: f32, %in: f32):
      %s = arith.addf %acc, %in : f32
      fuse.yield %s : f32
    }
    fuse.yield %1 : tensor<4xf32>
  }
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}
