// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-simplify | FileCheck %s
// RUN: fusec-opt %s --fuse-simplify=pieces=powers | FileCheck %s --check-prefix=POWERS
// RUN: not fusec-opt %s --fuse-simplify=pieces=powers,squares 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: fusec-opt %s --fuse-simplify=max-rewrites=1 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not fusec-opt %s --fuse-simplify=max-rewrites=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: fusec-opt %s --fuse-simplify=disabled=powers.expand | FileCheck %s --check-prefix=RULE
// RUN: fusec-opt %s --fuse-simplify=disabled=powers,factors.minus-one | FileCheck %s --check-prefix=NONE
// RUN: fusec-opt %s --fuse-simplify=level=1 | FileCheck %s --check-prefix=RULE
// RUN: fusec-opt %s --fuse-simplify=level=0 | FileCheck %s --check-prefix=NONE
// RUN: not fusec-opt %s --fuse-simplify=disabled=powers.square 2>&1 | FileCheck %s --check-prefix=NORULE
// RUN: fusec-opt %s --fuse-simplify=applied 2>&1 | FileCheck %s --check-prefix=APPLIED
// RUN: fusec-opt %s --fuse-simplify=max-rewrites=2 2>&1 | FileCheck %s --check-prefix=ENOUGH

// A power and a factor are two rewrites.

// CHECK-LABEL: func @main
// CHECK-NEXT:    %[[SQUARE:.*]] = fuse.mul %[[X:.*]], %[[X]]
// CHECK-NEXT:    %[[NEG:.*]] = fuse.neg %[[SQUARE]]
// CHECK-NEXT:    return %[[NEG]]

// POWERS-LABEL: func @main
// POWERS:         fuse.constant dense<-1.0
// POWERS:         fuse.mul %[[X:.*]], %[[X]]
// POWERS-NOT:     fuse.neg

// Rules, pieces and levels: a square rounds in another way than a power, a sign does not.
// RULE-LABEL: func @main
// RULE:          fuse.pow
// RULE:          fuse.neg
// NONE-LABEL: func @main
// NONE:          fuse.pow
// NONE:          fuse.mul
// NORULE: error: --fuse-simplify has no rule or piece 'powers.square'; fusec compile --list-rules lists them
// APPLIED: remark: rules applied: {{.*}}factors.minus-one (1){{.*}}

// UNKNOWN: error: --fuse-simplify has no piece 'squares'; its documentation lists them

// NEGATIVE: error: --fuse-simplify needs max-rewrites of 0 or more, has -1
// LIMIT: remark: simplified no further: there is no fixed point within the limit of rewrites (max-rewrites); the last ones were of factors.minus-one (1), powers.expand (1)
// LIMIT-LABEL: func @main

// ENOUGH-NOT: remark
// ENOUGH: func @main
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = fuse.constant dense<2.0> : tensor<f32>
  %twos = fuse.broadcast %two dims = [] : tensor<f32> -> tensor<4xf32>
  %minus = fuse.constant dense<-1.0> : tensor<f32>
  %minuses = fuse.broadcast %minus dims = [] : tensor<f32> -> tensor<4xf32>
  %0 = fuse.pow %x, %twos : tensor<4xf32>
  %1 = fuse.mul %0, %minuses : tensor<4xf32>
  return %1 : tensor<4xf32>
}
