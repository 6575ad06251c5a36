// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --fuse-mark-precise=precision=strict --convert-fuse-to-sched | FileCheck %s --implicit-check-not=fuse.precise
// RUN: fusec-opt %s --split-input-file --fuse-mark-precise=precision=relaxed --convert-fuse-to-sched | FileCheck %s --check-prefix=FREE
// RUN: fusec-opt %s --split-input-file --fuse-mark-precise --convert-fuse-to-sched | FileCheck %s --check-prefix=AUTO
// FREE-NOT: mul_rounded

// A product that something but a product, a quotient, a comparison or a rounding reads
// rounds by itself; what a function computes inside may be a sum, too.
// CHECK-LABEL: sched.stmt @sums
// CHECK: ^bb0(%[[Y:.*]]: f32, %[[X:.*]]: f32):
// CHECK-NEXT: %[[SQUARE:.*]] = kernel.mul_rounded %[[Y]], %[[Y]] : f32
// CHECK-NEXT: %[[NEGATED:.*]] = arith.negf %[[SQUARE]] : f32
// CHECK-NEXT: %[[FACTOR:.*]] = arith.mulf %[[X]], %[[Y]] : f32
// CHECK-NEXT: %[[OUTER:.*]] = kernel.mul_rounded %[[FACTOR]], %[[Y]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[OUTER]], %[[X]] : f32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[NEGATED]], %[[SUM]] : f32
// CHECK-NEXT: %[[PRODUCT:.*]] = kernel.mul_rounded %[[DIFFERENCE]], %[[X]] : f32
// CHECK-NEXT: math.exp %[[PRODUCT]] : f32
func.func @sums(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %r = fuse.group @sums (%x, %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %0 = fuse.mul %a, %b : tensor<8xf32>
    %1 = fuse.mul %0, %b : tensor<8xf32>
    %2 = fuse.add %1, %a : tensor<8xf32>
    %3 = fuse.mul %b, %b : tensor<8xf32>
    %4 = fuse.neg %3 : tensor<8xf32>
    %5 = fuse.sub %4, %2 : tensor<8xf32>
    %6 = fuse.mul %5, %a : tensor<8xf32>
    %7 = fuse.exp %6 : tensor<8xf32> loc("sums")
    fuse.yield %7 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// What no sum can reach is left as it is: a quotient, and what is stored and not read
// again in the group; so are products by powers of two.
// CHECK-LABEL: sched.scop @apart
// CHECK-NOT: mul_rounded
func.func @apart(%x: tensor<8xf64>, %y: tensor<8xf64>) -> (tensor<8xf64>, tensor<8xi1>, tensor<8xf64>) {
  %r:3 = fuse.group @apart (%x, %y) : (tensor<8xf64>, tensor<8xf64>) -> (tensor<8xf64>, tensor<8xi1>, tensor<8xf64>) {
  ^bb0(%a: tensor<8xf64>, %b: tensor<8xf64>):
    %0 = fuse.mul %a, %b : tensor<8xf64>
    %1 = fuse.div %0, %b : tensor<8xf64>
    %2 = fuse.cmp lt %0, %b : tensor<8xf64>, tensor<8xf64> -> tensor<8xi1>
    %quarter = fuse.constant dense<0.25> : tensor<8xf64>
    %scaled = fuse.mul %b, %quarter : tensor<8xf64>
    %3 = fuse.add %a, %scaled : tensor<8xf64>
    %whole = fuse.floor %0 : tensor<8xf64>
    %4 = fuse.mul %3, %whole : tensor<8xf64>
    fuse.yield %1, %2, %4 : tensor<8xf64>, tensor<8xi1>, tensor<8xf64>
  }
  return %r#0, %r#1, %r#2 : tensor<8xf64>, tensor<8xi1>, tensor<8xf64>
}

// -----

// What is stored and read again in the kernel is not.
// CHECK-LABEL: sched.scop @again
// CHECK: kernel.mul_rounded
// CHECK-NEXT: sched.yield
// CHECK: arith.addf
func.func @again(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %r:2 = fuse.group @again (%x, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    %e = fuse.exp %a : tensor<4x8xf32>
    %0 = fuse.mul %e, %b : tensor<4x8xf32>
    %1 = fuse.reduce (%0) inits = [0.0 : f32] dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32> {
    ^bb0(%acc: f32, %in: f32):
      %s = arith.addf %acc, %in : f32
      fuse.yield %s : f32
    }
    fuse.yield %0, %1 : tensor<4x8xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// Terms of a sum are free, as is what a reduction multiplies; what stands before a
// term, and behind the sum, is not.
// CHECK-LABEL: sched.scop @reductions
// CHECK: sched.stmt @total {{.*}}reduces
// CHECK: ^bb0(%[[ACC:.*]]: f32, %[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: %[[ROUNDED:.*]] = kernel.mul_rounded %[[A]], %[[B]] : f32
// CHECK-NEXT: %[[SHIFTED:.*]] = arith.addf %[[ROUNDED]], %[[A]] : f32
// CHECK-NEXT: %[[TERM:.*]] = arith.mulf %[[SHIFTED]], %[[SHIFTED]] : f32
// CHECK-NEXT: arith.addf %[[ACC]], %[[TERM]] : f32
// CHECK: sched.stmt @product {{.*}}reduces
// CHECK: arith.mulf
// CHECK: sched.stmt @scaled
// CHECK: %[[SCALED:.*]] = kernel.mul_rounded
// CHECK-NEXT: arith.addf %[[SCALED]]
func.func @reductions(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4xf32> {
  %r = fuse.group @reductions (%x, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    %0 = fuse.mul %a, %b : tensor<4x8xf32>
    %1 = fuse.add %0, %a : tensor<4x8xf32>
    %2 = fuse.mul %1, %1 : tensor<4x8xf32>
    %3 = fuse.reduce (%2) inits = [0.0 : f32] dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32> {
    ^bb0(%acc: f32, %in: f32):
      %s = arith.addf %acc, %in : f32
      fuse.yield %s : f32
    } loc("total")
    %4 = fuse.reduce (%b) inits = [1.0 : f32] dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32> {
    ^bb0(%acc: f32, %in: f32):
      %s = arith.mulf %acc, %in : f32
      fuse.yield %s : f32
    } loc("product")
    %5 = fuse.mul %3, %4 : tensor<4xf32>
    %6 = fuse.add %5, %4 : tensor<4xf32> loc("scaled")
    fuse.yield %6 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Floats of 16 bits round behind each product anyway.
// CHECK-LABEL: sched.scop @half
// CHECK-NOT: mul_rounded
// CHECK: arith.truncf
// CHECK-NOT: mul_rounded
// CHECK: return
func.func @half(%x: tensor<8xf16>, %y: tensor<8xf16>) -> tensor<8xf16> {
  %r = fuse.group @half (%x, %y) : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16> {
  ^bb0(%a: tensor<8xf16>, %b: tensor<8xf16>):
    %0 = fuse.mul %a, %b : tensor<8xf16>
    %1 = fuse.add %0, %b : tensor<8xf16>
    fuse.yield %1 : tensor<8xf16>
  }
  return %r : tensor<8xf16>
}

// -----

// By default it is what a decision depends on, here that of another group; the other
// product of the statement is not.
// AUTO-LABEL: sched.scop @decided
// AUTO: kernel.mul_rounded
// AUTO: arith.mulf
// AUTO-NOT: mul_rounded
// AUTO-LABEL: sched.scop @decides
func.func @decided(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r:2 = fuse.group @decided (%x, %y) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %0 = fuse.mul %a, %b : tensor<8xf32>
    %1 = fuse.add %0, %a : tensor<8xf32>
    %2 = fuse.mul %b, %b : tensor<8xf32>
    %3 = fuse.add %2, %1 : tensor<8xf32>
    fuse.yield %1, %3 : tensor<8xf32>, tensor<8xf32>
  }
  %s = fuse.group @decides (%r#0) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %0 = fuse.floor %a : tensor<8xf32>
    fuse.yield %0 : tensor<8xf32>
  }
  return %r#1, %s : tensor<8xf32>, tensor<8xf32>
}
