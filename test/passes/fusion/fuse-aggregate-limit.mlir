// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-aggregate="max-operations=3" --split-input-file | FileCheck %s
// RUN: fusec-opt %s --fuse-aggregate="max-operations=3 remarks" --split-input-file \
// RUN:   --verify-diagnostics -o /dev/null

// A chain is cut where it has as many operations as a group may have.
// CHECK-LABEL: func.func @chain
// CHECK: fuse.group @sub
// CHECK-COUNT-3: fuse.{{add|mul|sub}} %
// CHECK: fuse.group @maximum
// CHECK-NEXT: ^bb0
// CHECK-NEXT: fuse.maximum
// CHECK-NOT: fuse.group
func.func @chain(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.add %x, %y : tensor<8xf32>
  %1 = fuse.mul %0, %y : tensor<8xf32>
  // expected-remark @below {{not fused into @maximum: its statements would hold more than 3 operations}}
  %2 = fuse.sub %1, %y : tensor<8xf32>
  %3 = fuse.maximum %2, %y : tensor<8xf32>
  return %3 : tensor<8xf32>
}
