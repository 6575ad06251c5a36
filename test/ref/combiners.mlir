// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// fuse.reduce runs its combiner region: one and several accumulators, integers,
// comparison and selection, constants of the region and of the function.
func.func @main() -> (tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<2xi32>,
    tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<i64>, tensor<2xf16>) {
  %x = fuse.constant dense<[[1.0, 5.0, -2.0], [0.0, 0x7FC00000, 3.0]]> : tensor<2x3xf32>
  %y = fuse.constant dense<[[1.0, 2.0, 3.0], [1000.0, 1000.0, 1000.0]]> : tensor<2x3xf32>
  %at = fuse.iota axis = 1 : tensor<2x3xi32>
  %b = fuse.constant dense<[[true, true, true], [true, false, true]]> : tensor<2x3xi1>
  %u = fuse.constant dense<[200, 100, 7]> : tensor<3xui8>
  %h = fuse.constant dense<[[2048.0, 1.0, 1.0], [1.0, 1.0, 1.0]]> : tensor<2x3xf16>

  // CHECK: output0: f32[2] = [4, nan]
  %sum = fuse.reduce (%x) inits = [0.0 : f32] dims = [1] : (tensor<2x3xf32>) -> tensor<2xf32> {
  ^bb0(%acc: f32, %e: f32):
    %0 = arith.addf %acc, %e : f32
    fuse.yield %0 : f32
  }

  // Sums are not rounded to f32 between steps.
  // CHECK-NEXT: output1: f32[] = [1]
  %wide = fuse.constant dense<[1.6777216e+07, 1.0, -1.6777216e+07]> : tensor<3xf32>
  %exact = fuse.reduce (%wide) inits = [0.0 : f32] dims = [0] : (tensor<3xf32>) -> tensor<f32> {
  ^bb0(%acc: f32, %e: f32):
    %one = arith.constant 1.0 : f32
    %0 = math.fma %e, %one, %acc : f32
    fuse.yield %0 : f32
  }

  // Maximum and its index; NaN wins, the first one of equals does.
  // CHECK-NEXT: output2: f32[2] = [5, nan]
  // CHECK-NEXT: output3: i32[2] = [1, 1]
  %max, %index = fuse.reduce (%x, %at) inits = [0xFF800000 : f32, 0 : i32] dims = [1]
      : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2xf32>, tensor<2xi32>) {
  ^bb0(%best: f32, %where: i32, %e: f32, %i: i32):
    %more = arith.cmpf ogt, %e, %best : f32
    %nan = arith.cmpf uno, %e, %e : f32
    %wins = arith.ori %more, %nan : i1
    %0 = arith.maximumf %best, %e : f32
    %1 = arith.select %wins, %i, %where : i32
    fuse.yield %0, %1 : f32, i32
  }

  // Online softmax: running maximum, and the sum rescaled to it.
  // CHECK-NEXT: output4: f32[2] = [3, 1000]
  // CHECK-NEXT: output5: f32[2] = [1.50321472, 3]
  %m, %s = fuse.reduce (%y) inits = [0xFF800000 : f32, 0.0 : f32] dims = [1]
      : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%am: f32, %as: f32, %e: f32):
    %new = arith.maximumf %am, %e : f32
    %0 = arith.subf %am, %new : f32
    %1 = math.exp %0 : f32
    %2 = arith.subf %e, %new : f32
    %3 = math.exp %2 : f32
    %4 = arith.mulf %as, %1 : f32
    %5 = arith.addf %4, %3 : f32
    fuse.yield %new, %5 : f32, f32
  }

  // CHECK-NEXT: output6: bool[2] = [true, false]
  %all = fuse.reduce (%b) inits = [true] dims = [1] : (tensor<2x3xi1>) -> tensor<2xi1> {
  ^bb0(%acc: i1, %e: i1):
    %0 = arith.andi %acc, %e : i1
    fuse.yield %0 : i1
  }

  // Unsigned bytes arrive as i32.
  // CHECK-NEXT: output7: i64[] = [307]
  %total = fuse.reduce (%u) inits = [0 : i64] dims = [0] : (tensor<3xui8>) -> tensor<i64> {
  ^bb0(%acc: i64, %e: i32):
    %0 = arith.extsi %e : i32 to i64
    %1 = arith.addi %acc, %0 : i64
    fuse.yield %1 : i64
  }

  // Rounded to f16 once, at the end.
  // CHECK-NEXT: output8: f16[2] = [2050, 3]
  %half = fuse.reduce (%h) inits = [0.0 : f32] dims = [1] : (tensor<2x3xf16>) -> tensor<2xf16> {
  ^bb0(%acc: f32, %e: f32):
    %0 = arith.addf %acc, %e : f32
    fuse.yield %0 : f32
  }
  return %sum, %exact, %max, %index, %m, %s, %all, %total, %half
    : tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>,
      tensor<2xi1>, tensor<i64>, tensor<2xf16>
}
