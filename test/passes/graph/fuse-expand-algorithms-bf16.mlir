// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both factors in bf16, where the target adds two such products in a step.
// RUN: fusec-opt %s --fuse-expand-algorithms=allow=bf16-activations --split-input-file | FileCheck %s
// RUN: fusec-opt %s --fuse-expand-algorithms="allow=bf16-activations remarks=true" --split-input-file --verify-diagnostics -o /dev/null
// RUN: fusec-opt %s --fuse-expand-algorithms="allow=bf16-activations disabled=algorithms.bf16-activations" --split-input-file | FileCheck %s --check-prefix=WITHOUT
// WITHOUT-NOT: fuse.choice

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
#across = affine_map<(m, n, k) -> (k, m)>

module attributes {fuse.target = "zen4"} {
  // CHECK-LABEL: func.func @product
  // CHECK: fuse.choice @fc ["direct", "bf16_activations"] : tensor<3x16xf32> {
  // CHECK-NEXT: fuse.contract %arg0, %{{.*}} : tensor<3x2xf32>, tensor<2x16xf32> -> tensor<3x16xf32>
  // CHECK: }, {
  // CHECK-NEXT: %[[W:.*]] = fuse.constant dense<4.003910e-01> : tensor<2x16xbf16>
  // CHECK-NEXT: %[[X:.*]] = fuse.cast %arg0 : tensor<3x2xf32> -> tensor<3x2xbf16>
  // CHECK-NEXT: fuse.contract %[[X]], %[[W]] {{.*}} : tensor<3x2xbf16>, tensor<2x16xbf16> -> tensor<3x16xf32>
  // CHECK-NEXT: fuse.tanh
  func.func @product(%x: tensor<3x2xf32>) -> tensor<3x16xf32> {
    %w = fuse.constant dense<0.4> : tensor<2x16xf32>
    %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<3x2xf32>, tensor<2x16xf32> -> tensor<3x16xf32> loc("fc")
    %1 = fuse.tanh %0 : tensor<3x16xf32>
    return %1 : tensor<3x16xf32>
  }

  // CHECK-LABEL: func.func @refused
  // CHECK-NOT: fuse.choice
  func.func @refused(%x: tensor<4x32xf32>, %u: tensor<32x4xf32>, %v: tensor<32x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x8xf32>, tensor<4x64xf32>) {
    %one = fuse.constant dense<1.0> : tensor<f32>
    %w = fuse.broadcast %one dims = [] : tensor<f32> -> tensor<32x64xf32>
    %few = fuse.broadcast %one dims = [] : tensor<f32> -> tensor<32x8xf32>
    // expected-remark@+1 {{is not computed with bf16-activations: neither of its operands is a constant in f32}}
    %0 = fuse.contract %x, %v maps = [#x, #w, #y] : tensor<4x32xf32>, tensor<32x64xf32> -> tensor<4x64xf32>
    // expected-remark@+1 {{is not computed with bf16-activations: a last bit of its result decides about something}}
    %1 = fuse.contract %x, %w maps = [#x, #w, #y] {fuse.precise} : tensor<4x32xf32>, tensor<32x64xf32> -> tensor<4x64xf32>
    // expected-remark@+1 {{is not computed with bf16-activations: its constants have fewer channels than a vector has lanes}}
    %2 = fuse.contract %x, %few maps = [#x, #w, #y] : tensor<4x32xf32>, tensor<32x8xf32> -> tensor<4x8xf32>
    // expected-remark@+1 {{is not computed with bf16-activations: the terms of a sum do not lie side by side in what is computed}}
    %3 = fuse.contract %u, %w maps = [#across, #w, #y] : tensor<32x4xf32>, tensor<32x64xf32> -> tensor<4x64xf32>
    return %0, %1, %2, %3 : tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x8xf32>, tensor<4x64xf32>
  }
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @elsewhere
// CHECK-NOT: fuse.choice
module attributes {fuse.target = "sapphire-rapids"} {
  func.func @elsewhere(%x: tensor<4x32xf32>) -> tensor<4x64xf32> {
    %one = fuse.constant dense<1.0> : tensor<f32>
    %w = fuse.broadcast %one dims = [] : tensor<f32> -> tensor<32x64xf32>
    // expected-remark@+1 {{is not computed with bf16-activations: the target adds no products of bf16, several at a time, to a sum}}
    %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<4x32xf32>, tensor<32x64xf32> -> tensor<4x64xf32>
    return %0 : tensor<4x64xf32>
  }
}
