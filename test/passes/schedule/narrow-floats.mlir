// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --convert-fuse-to-sched | FileCheck %s
// RUN: fusec-opt %s --split-input-file --convert-fuse-to-sched=precision=strict | FileCheck %s
// RUN: fusec-opt %s --split-input-file --convert-fuse-to-sched=precision=relaxed | FileCheck %s --check-prefix=RELAXED
// RUN: echo "module {}" | not fusec-opt --convert-fuse-to-sched=precision=exact 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error: --convert-fuse-to-sched has no precision 'exact'; there are auto, strict and relaxed

// Each operation that can leave the numbers of f16 rounds; the store does so by
// itself.
// CHECK-LABEL: sched.scop @chain
// CHECK:      ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK-NEXT:   %[[NARROW:.*]] = arith.truncf %[[SUM]] : f32 to f16
// CHECK-NEXT:   %[[WIDE:.*]] = arith.extf %[[NARROW]] : f16 to f32
// CHECK-NEXT:   %[[PRODUCT:.*]] = arith.mulf %[[WIDE]], %[[Y]] : f32
// CHECK-NEXT:   sched.yield %[[PRODUCT]] : f32
// RELAXED-LABEL: sched.scop @chain
// RELAXED-NOT: truncf
func.func @chain(%x: tensor<8xf16>, %y: tensor<8xf16>) -> tensor<8xf16> {
  %r = fuse.group @chain (%x, %y) : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16> {
  ^bb0(%a: tensor<8xf16>, %b: tensor<8xf16>):
    %0 = fuse.add %a, %b : tensor<8xf16>
    %1 = fuse.mul %0, %b : tensor<8xf16>
    fuse.yield %1 : tensor<8xf16>
  }
  return %r : tensor<8xf16>
}

// -----

// What is only chosen, or has no fraction any more, is one of these numbers.
// CHECK-LABEL: sched.scop @exact
// CHECK-NOT: truncf
// RELAXED-LABEL: sched.scop @exact
func.func @exact(%x: tensor<8xbf16>, %y: tensor<8xbf16>) -> tensor<8xf32> {
  %r = fuse.group @exact (%x, %y) : (tensor<8xbf16>, tensor<8xbf16>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xbf16>, %b: tensor<8xbf16>):
    %0 = fuse.cast %a : tensor<8xbf16> -> tensor<8xf32>
    %c = fuse.constant dense<0.0> : tensor<f32>
    %zero = fuse.broadcast %c dims = [] : tensor<f32> -> tensor<8xf32>
    %1 = fuse.maximum %0, %zero : tensor<8xf32>
    %2 = fuse.cast %1 : tensor<8xf32> -> tensor<8xbf16>
    %3 = fuse.minimum %2, %b : tensor<8xbf16>
    %4 = fuse.floor %3 : tensor<8xbf16>
    %5 = fuse.neg %4 : tensor<8xbf16>
    %6 = fuse.cast %5 : tensor<8xbf16> -> tensor<8xf32>
    fuse.yield %6 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// A cast rounds in every mode, and once: not by way of an f32.
// CHECK-LABEL: sched.scop @casts
// CHECK: arith.truncf %{{.*}} : f64 to f16
// CHECK-NEXT: arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT: arith.extf %{{.*}} : f32 to f64
// RELAXED-LABEL: sched.scop @casts
// RELAXED: arith.truncf %{{.*}} : f64 to f16
func.func @casts(%x: tensor<8xf64>) -> tensor<8xf64> {
  %r = fuse.group @casts (%x) : (tensor<8xf64>) -> tensor<8xf64> {
  ^bb0(%a: tensor<8xf64>):
    %0 = fuse.cast %a : tensor<8xf64> -> tensor<8xf16>
    %1 = fuse.cast %0 : tensor<8xf16> -> tensor<8xf64>
    fuse.yield %1 : tensor<8xf64>
  }
  return %r : tensor<8xf64>
}

// -----

// So does a cast of integers with more digits, and none of those with fewer.
// CHECK-LABEL: sched.scop @integers
// CHECK: arith.sitofp %{{.*}} : i32 to f32
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT: arith.extf
// CHECK-NEXT: arith.sitofp %{{.*}} : i32 to f32
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT: arith.extf
// CHECK-NEXT: arith.fptosi
// RELAXED-LABEL: sched.scop @integers
// RELAXED: arith.truncf %{{.*}} : f32 to f16
// RELAXED: arith.addf
// RELAXED-NEXT: arith.fptosi
func.func @integers(%x: tensor<8xi32>, %y: tensor<8xi8>) -> tensor<8xi32> {
  %r = fuse.group @integers (%x, %y) : (tensor<8xi32>, tensor<8xi8>) -> tensor<8xi32> {
  ^bb0(%a: tensor<8xi32>, %b: tensor<8xi8>):
    %0 = fuse.cast %a : tensor<8xi32> -> tensor<8xf16>
    %1 = fuse.cast %b : tensor<8xi8> -> tensor<8xf16>
    %2 = fuse.add %0, %1 : tensor<8xf16>
    %3 = fuse.cast %2 : tensor<8xf16> -> tensor<8xi32>
    fuse.yield %3 : tensor<8xi32>
  }
  return %r : tensor<8xi32>
}

// -----

// A sum is added up in f32, and rounded where it is read.
// CHECK-LABEL: sched.scop @total
// CHECK: arrays(%[[TOTAL:.*]]: memref<4xf32>)
// CHECK: sched.stmt @{{.*}} reduces [j]
// CHECK: arith.addf
// CHECK-NEXT: sched.yield
// CHECK: sched.stmt
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT: arith.extf
// CHECK: arith.cmpf
// RELAXED-LABEL: sched.scop @total
// RELAXED-NOT: truncf
func.func @total(%x: tensor<4x6xf16>) -> tensor<4xi1> {
  %r = fuse.group @total (%x) : (tensor<4x6xf16>) -> tensor<4xi1> {
  ^bb0(%a: tensor<4x6xf16>):
    %0 = fuse.reduce (%a) inits = [0.0 : f32] dims = [1] : (tensor<4x6xf16>) -> tensor<4xf16> {
    ^bb0(%acc: f32, %in: f32):
      %s = arith.addf %acc, %in : f32
      fuse.yield %s : f32
    }
    %c = fuse.constant dense<0x7C00> : tensor<f16>
    %inf = fuse.broadcast %c dims = [] : tensor<f16> -> tensor<4xf16>
    %1 = fuse.cmp eq %0, %inf : tensor<4xf16>, tensor<4xf16> -> tensor<4xi1>
    fuse.yield %1 : tensor<4xi1>
  }
  return %r : tensor<4xi1>
}
