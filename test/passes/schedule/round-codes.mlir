// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are divided by a constant and rounded to codes are cut off before and
// divided in products; codes that become numbers again stay floats.
// RUN: split-file %s %t
// RUN: fusec-opt %t/codes.mlir --fuse-aggregate --convert-fuse-to-sched | FileCheck %s
// RUN: fusec-opt %t/stored.mlir --fuse-aggregate --convert-fuse-to-sched | FileCheck %s --check-prefix=STORED
// RUN: fusec-opt %t/others.mlir --fuse-aggregate --convert-fuse-to-sched | FileCheck %s --check-prefix=OTHERS

// CHECK-LABEL: sched.scop
// CHECK:         %[[BELOW:.*]] = arith.maxnumf %{{.*}}, %{{.*}} : f32
// CHECK:         %[[INSIDE:.*]] = arith.minimumf %[[BELOW]], %{{.*}} : f32
// CHECK:         %[[QUOTIENT:.*]] = kernel.quotient %[[INSIDE]], %{{.*}} : f32
// CHECK-NEXT:    %[[ROUND:.*]] = math.roundeven %[[QUOTIENT]]
// CHECK-NOT:     arith.andi
// CHECK:         %[[NUMBER:.*]] = arith.addf %[[ROUND]], %{{.*}} : f32
// CHECK-NEXT:    arith.mulf %[[NUMBER]]
// CHECK-NOT:     arith.sitofp

// What is stored as a code is one in one step, and what is a whole number already, too.
// STORED-LABEL: sched.scop
// STORED:       %[[INT:.*]] = kernel.nearest %{{.*}} : f32 -> i32
// STORED-NEXT:    %[[ZERO:.*]] = arith.constant 118 : i32
// STORED-NEXT:    %[[SUM:.*]] = arith.addi %[[INT]], %[[ZERO]]
// STORED-NOT:     math.roundeven
// STORED:       sched.yield %[[SUM]]
// STORED:       kernel.nearest
// STORED-NOT:     arith.fptosi

// A scale that is computed, one that nothing cuts off, and one so small that
// quotients overflow.
// OTHERS-COUNT-3: arith.divf
// OTHERS-NOT:     kernel.quotient

//--- codes.mlir
func.func @main(%x: tensor<40xf32>) -> tensor<40xf32> {
  %s = fuse.constant dense<0.0347785465> : tensor<40xf32>
  %z = fuse.constant dense<118.0> : tensor<40xf32>
  %zero = fuse.constant dense<118> : tensor<40xi32>
  %low = fuse.constant dense<0.0> : tensor<40xf32>
  %high = fuse.constant dense<255.0> : tensor<40xf32>
  %0 = fuse.div %x, %s : tensor<40xf32>
  %1 = fuse.round %0 : tensor<40xf32>
  %2 = fuse.add %1, %z : tensor<40xf32>
  %3 = fuse.maximum %2, %low : tensor<40xf32>
  %4 = fuse.minimum %3, %high : tensor<40xf32>
  %5 = fuse.cast %4 : tensor<40xf32> -> tensor<40xui8>
  %6 = fuse.cast %5 : tensor<40xui8> -> tensor<40xi32>
  %7 = fuse.sub %6, %zero : tensor<40xi32>
  %8 = fuse.cast %7 : tensor<40xi32> -> tensor<40xf32>
  %9 = fuse.mul %8, %s : tensor<40xf32>
  return %9 : tensor<40xf32>
}

//--- stored.mlir
func.func @main(%x: tensor<40xf32>) -> (tensor<40xui8>, tensor<40xi32>) {
  %s = fuse.constant dense<0.0347785465> : tensor<40xf32>
  %z = fuse.constant dense<118.0> : tensor<40xf32>
  %low = fuse.constant dense<0.0> : tensor<40xf32>
  %high = fuse.constant dense<255.0> : tensor<40xf32>
  %0 = fuse.div %x, %s : tensor<40xf32>
  %1 = fuse.round %0 : tensor<40xf32>
  %2 = fuse.add %1, %z : tensor<40xf32>
  %3 = fuse.maximum %2, %low : tensor<40xf32>
  %4 = fuse.minimum %3, %high : tensor<40xf32>
  %5 = fuse.cast %4 : tensor<40xf32> -> tensor<40xui8>
  %6 = fuse.cast %x {whole} : tensor<40xf32> -> tensor<40xi32>
  return %5, %6 : tensor<40xui8>, tensor<40xi32>
}

//--- others.mlir
func.func @main(%x: tensor<40xf32>, %c: tensor<40xf32>) -> (tensor<40xui8>, tensor<40xf32>, tensor<40xui8>) {
  %s = fuse.constant dense<0.0347785465> : tensor<40xf32>
  %tiny = fuse.constant dense<1.0e-30> : tensor<40xf32>
  %low = fuse.constant dense<0.0> : tensor<40xf32>
  %high = fuse.constant dense<255.0> : tensor<40xf32>
  %0 = fuse.div %x, %c : tensor<40xf32>
  %1 = fuse.round %0 : tensor<40xf32>
  %2 = fuse.maximum %1, %low : tensor<40xf32>
  %3 = fuse.minimum %2, %high : tensor<40xf32>
  %4 = fuse.cast %3 : tensor<40xf32> -> tensor<40xui8>
  %5 = fuse.div %x, %s : tensor<40xf32>
  %6 = fuse.round %5 : tensor<40xf32>
  %7 = fuse.div %x, %tiny : tensor<40xf32>
  %8 = fuse.round %7 : tensor<40xf32>
  %9 = fuse.maximum %8, %low : tensor<40xf32>
  %10 = fuse.minimum %9, %high : tensor<40xf32>
  %11 = fuse.cast %10 : tensor<40xf32> -> tensor<40xui8>
  return %4, %6, %11 : tensor<40xui8>, tensor<40xf32>, tensor<40xui8>
}
