// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What rules of users may ask for and change (Inputs/works.c).
// RUN: %library %S/Inputs/works.c -o %t.so
// RUN: fusec-opt %s --fuse-apply-rules="libraries=%t.so remarks=true" 2>%t.said | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID < %t.said
// SAID-NOT: warning
// SAID: remark: rules applied: works.clip (1), works.bound (1), works.sum (1), works.gelu (1), works.mask (1), works.turn (1)
// SAID-DAG: remark: rule works.bound did not apply: it has no upper bound
// SAID-DAG: remark: {{.*}}rule works.sum did not apply: node top is of kind #fuse<reduction_kind max>

module {
// An attribute of segments, made and read; a constant; a bound that is left out.
// CHECK-LABEL: @clips
// CHECK: %[[ZERO:.*]] = fuse.constant dense<0.000000e+00>
// CHECK: fuse.clip %{{.*}} low %{{.*}} : tensor<f32> : tensor<4x8xf32>
// CHECK-NEXT: fuse.clip %{{.*}} low %{{.*}} : tensor<f32> : tensor<4x8xf32>
func.func @clips(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %low = fuse.constant dense<-1.0> : tensor<f32>
  %high = fuse.constant dense<0x7F800000> : tensor<f32>
  %0 = fuse.relu %x : tensor<4x8xf32>
  %1 = fuse.clip %0 low %low : tensor<f32> high %high : tensor<f32> : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// What is text, and lists.
// CHECK-LABEL: @sums
// CHECK-DAG: %[[A:.*]] = fuse.abs %{{.*}} : tensor<4x8xf32>
// CHECK-DAG: fuse.reduction sum %[[A]] dims = [0, 1]
// CHECK-DAG: fuse.reduction max %{{.*}} dims = [1]
func.func @sums(%x: tensor<4x8xf32>) -> (tensor<1x1xf32>, tensor<4x1xf32>) {
  %1 = fuse.reduction max %x dims = [1] : tensor<4x8xf32> -> tensor<4x1xf32> loc("top")
  %0 = fuse.reduction l1 %x dims = [0, 1] : tensor<4x8xf32> -> tensor<1x1xf32>
  return %0, %1 : tensor<1x1xf32>, tensor<4x1xf32>
}

// CHECK-LABEL: @flags
// CHECK: fuse.gelu %{{.*}} {tanh} : tensor<4x8xf32>
func.func @flags(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = fuse.gelu %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// An input, by its name, for all that reads it; the rest is tried again.
// CHECK-LABEL: @inputs
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32> {fuse.name = "x"}
// CHECK: %[[ONES:.*]] = fuse.constant dense<1.000000e+00> : tensor<4x8xf32>
// CHECK: %[[N:.*]] = fuse.neg %[[ONES]]
// CHECK: %[[P:.*]] = fuse.mul %[[X]], %[[ONES]]
// CHECK: fuse.maximum %[[N]], %[[X]]
func.func @inputs(%x: tensor<4x8xf32> {fuse.name = "x"}, %mask: tensor<4x8xf32> {fuse.name = "mask"})
    -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = fuse.neg %mask : tensor<4x8xf32>
  %1 = fuse.mul %x, %mask : tensor<4x8xf32>
  %2 = fuse.maximum %x, %0 : tensor<4x8xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}
}
