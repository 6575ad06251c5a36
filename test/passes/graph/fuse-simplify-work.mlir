// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-simplify | FileCheck %s
// RUN: fusec-opt %s '--fuse-simplify=disabled=elementwise.hoist remarks' 2>&1 | FileCheck %s --check-prefix=GATE

// A quotient takes the place of a reciprocal and a product where it is computed for no
// more elements. Here the reciprocal is one for each row, whether it is computed before
// the repetition or not.
// CHECK-LABEL: func.func @rows
// CHECK: %[[R:.*]] = fuse.div %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK: %[[B:.*]] = fuse.broadcast %[[R]] dims = [0]
// CHECK: fuse.mul %{{.*}}, %[[B]] : tensor<4x8xf32>

// GATE: remark: rule factors.multiply-by-reciprocal did not apply: it would take 160 steps of simple arithmetic, and takes 52 as it is written
// GATE-LABEL: func.func @rows
// GATE: %[[R:.*]] = fuse.div
// GATE: fuse.mul %{{.*}}, %[[R]] : tensor<4x8xf32>
func.func @rows(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> tensor<4x8xf32> {
  %one = fuse.constant dense<1.0> : tensor<4x8xf32>
  %0 = fuse.broadcast %y dims = [0] : tensor<4xf32> -> tensor<4x8xf32>
  %1 = fuse.div %one, %0 : tensor<4x8xf32>
  %2 = fuse.mul %x, %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// A factor goes to the operand of fewer elements: the rows' numbers.
// CHECK-LABEL: func.func @factor
// CHECK: %[[C:.*]] = fuse.mul %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK: %[[B:.*]] = fuse.broadcast %[[C]] dims = [0]
// CHECK: fuse.mul %{{.*}}, %[[B]] : tensor<4x8xf32>
// CHECK-NOT: fuse.mul
func.func @factor(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> tensor<4x8xf32> {
  %half = fuse.constant dense<0.5> : tensor<4x8xf32>
  %e = fuse.exp %y : tensor<4xf32>
  %0 = fuse.broadcast %e dims = [0] : tensor<4xf32> -> tensor<4x8xf32>
  %1 = fuse.mul %x, %0 : tensor<4x8xf32>
  %2 = fuse.mul %1, %half : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
