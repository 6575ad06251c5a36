// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-expand-algorithms=allow=bf16,int8-activations --split-input-file | FileCheck %s
// RUN: fusec-opt %s --fuse-expand-algorithms --split-input-file | FileCheck %s --check-prefix=WITHOUT
// RUN: fusec-opt %s --fuse-expand-algorithms="allow=bf16,int8-activations remarks=true" --split-input-file --verify-diagnostics -o /dev/null
// WITHOUT-NOT: {{"bf16"|"int8_activations"}}

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// The epilogue is in each alternative. Of the channels of the constant the first has 0.4
// and -127 (codes 0 and -127, steps of 1), the second 1 and 0.5 (127 and 63.5, of which the
// even neighbour is taken), the third a NaN, and the rest are zeros. In bf16, 0.4 is
// 0.400390625.
// CHECK-LABEL: func.func @product
// CHECK: fuse.choice @fc ["direct", "bf16", "int8_activations"] : tensor<3x16xf32> {
// CHECK-NEXT: fuse.contract %arg0, %{{.*}} : tensor<3x2xf32>, tensor<2x16xf32> -> tensor<3x16xf32>
// CHECK-NEXT: fuse.tanh
// CHECK-NEXT: fuse.yield
// CHECK-NEXT: }, {
// CHECK-NEXT: %[[B:.*]] = fuse.constant dense<{{\[\[}}4.003910e-01, 1.000000e+00, 0x7FC0,
// CHECK-NEXT: fuse.contract %arg0, %[[B]] {{.*}} : tensor<3x2xf32>, tensor<2x16xbf16> -> tensor<3x16xf32>
// CHECK-NEXT: fuse.tanh
// CHECK-NEXT: fuse.yield
// CHECK-NEXT: }, {
// CHECK-NEXT: %[[W:.*]] = fuse.constant dense<{{\[\[}}0, 127, 0, 0, {{.*}}], [-127, 64, 0, 0, {{.*}}]]> : tensor<2x16xi8>
// CHECK-NEXT: %[[S:.*]] = fuse.constant dense<[1.000000e+00, 0.00787401571, 0x7FC00000, 1.17549435E-38, {{.*}}]> : tensor<16xf32>
// CHECK-NEXT: %[[T:.*]] = fuse.constant dense<[-127, 191, 0, 0, {{.*}}]> : tensor<16xi32>
// CHECK-NEXT: fuse.reduce(%arg0) {{.*}} dims = [1]
// CHECK: arith.maximumf
// CHECK: fuse.reduce(%arg0) {{.*}} dims = [1]
// CHECK: arith.minimumf
// CHECK: %[[F:.*]] = fuse.cmp lt %[[STEP:.*]], %{{.*}} : tensor<3xf32>, tensor<3xf32> -> tensor<3xi1>
// CHECK: %[[INVERSE:.*]] = fuse.select %[[F]],
// CHECK: %[[ZERO:.*]] = fuse.select %[[F]],
// CHECK: fuse.broadcast %[[INVERSE]] dims = [0] : tensor<3xf32> -> tensor<3x2xf32>
// CHECK: fuse.round
// CHECK: %[[CODES:.*]] = fuse.cast %{{.*}} : tensor<3x2xf32> -> tensor<3x2xui8>
// CHECK: %[[NAN:.*]] = fuse.select %[[F]], %[[STEP]],
// CHECK: fuse.cast %[[ZERO]] : tensor<3xf32> -> tensor<3xi32>
// CHECK: %[[SUM:.*]] = fuse.contract %[[CODES]], %[[W]] {{.*}} : tensor<3x2xui8>, tensor<2x16xi8> -> tensor<3x16xi32>
// CHECK: fuse.broadcast %[[T]] dims = [1]
// CHECK: fuse.sub %[[SUM]],
// CHECK: fuse.broadcast %[[S]] dims = [1]
// CHECK: fuse.broadcast %[[NAN]] dims = [0]
// CHECK: fuse.tanh
// CHECK-NEXT: fuse.yield
func.func @product(%x: tensor<3x2xf32>) -> tensor<3x16xf32> {
  %w = fuse.constant dense<[
    [0.4, 1.0, 0x7FC00000, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [-127.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<2x16xf32>
  %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<3x2xf32>, tensor<2x16xf32> -> tensor<3x16xf32> loc("fc")
  %1 = fuse.tanh %0 : tensor<3x16xf32>
  return %1 : tensor<3x16xf32>
}

// -----

#x = affine_map<(b, n, h, m, k) -> (h, m, b, k)>
#w = affine_map<(b, n, h, m, k) -> (k, n)>
#y = affine_map<(b, n, h, m, k) -> (b, n, h, m)>

// Rows of what is computed stand in another order in the result.
// CHECK-LABEL: func.func @order
// CHECK: fuse.contract {{.*}} tensor<2x3x4x4xui8>, tensor<4x16xi8> -> tensor<4x16x2x3xi32>
// CHECK: %[[ROWS:.*]] = fuse.transpose %{{.*}} perm = [2, 0, 1] : tensor<2x3x4xi32> -> tensor<4x2x3xi32>
// CHECK-NEXT: fuse.broadcast %[[ROWS]] dims = [0, 2, 3] : tensor<4x2x3xi32> -> tensor<4x16x2x3xi32>
func.func @order(%x: tensor<2x3x4x4xf32>) -> tensor<4x16x2x3xf32> {
  %w = fuse.constant dense<1.0> : tensor<4x16xf32>
  %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<2x3x4x4xf32>, tensor<4x16xf32> -> tensor<4x16x2x3xf32>
  return %0 : tensor<4x16x2x3xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
#t = affine_map<(m, n, k) -> (n, k)>
#u = affine_map<(m, n, k) -> (k, m)>

// CHECK-LABEL: func.func @refused
// CHECK-NOT: int8_activations
func.func @refused(%x: tensor<4x32xf32>, %v: tensor<32x64xf32>, %u: tensor<32x4xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x8xf32>, tensor<4x64xf32>, tensor<4x64xf32>) {
  %one = fuse.constant dense<1.0> : tensor<f32>
  %w = fuse.broadcast %one dims = [] : tensor<f32> -> tensor<32x64xf32>
  %few = fuse.broadcast %one dims = [] : tensor<f32> -> tensor<32x8xf32>
  %other = fuse.broadcast %one dims = [] : tensor<f32> -> tensor<64x32xf32>
  // expected-remark@+2 {{is not computed with bf16: neither of its operands is a constant in f32}}
  // expected-remark@+1 {{is not computed with int8-activations: neither of its operands is a constant in f32}}
  %0 = fuse.contract %x, %v maps = [#x, #w, #y] : tensor<4x32xf32>, tensor<32x64xf32> -> tensor<4x64xf32>
  // expected-remark@+2 {{is not computed with bf16: a last bit of its result decides about something}}
  // expected-remark@+1 {{is not computed with int8-activations: a last bit of its result decides about something}}
  %1 = fuse.contract %x, %w maps = [#x, #w, #y] {fuse.precise} : tensor<4x32xf32>, tensor<32x64xf32> -> tensor<4x64xf32>
  // expected-remark@+1 {{is not computed with int8-activations: its constants have fewer channels than a vector has lanes}}
  %2 = fuse.contract %x, %few maps = [#x, #w, affine_map<(m, n, k) -> (m, n)>] : tensor<4x32xf32>, tensor<32x8xf32> -> tensor<4x8xf32>
  // expected-remark@+1 {{is not computed with int8-activations: the terms of a sum do not lie side by side in what is computed}}
  %3 = fuse.contract %u, %w maps = [#u, #w, #y] : tensor<32x4xf32>, tensor<32x64xf32> -> tensor<4x64xf32>
  // expected-remark@+1 {{is not computed with int8-activations: its constants do not lie as lanes read them}}
  %4 = fuse.contract %x, %other maps = [#x, #t, #y] : tensor<4x32xf32>, tensor<64x32xf32> -> tensor<4x64xf32>
  return %0, %1, %2, %3, %4 : tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x8xf32>, tensor<4x64xf32>, tensor<4x64xf32>
}

// -----

#x = affine_map<(n, p, o, r) -> (n, p, r)>
#w = affine_map<(n, p, o, r) -> (r, o)>
#y = affine_map<(n, p, o, r) -> (n, p, o)>
#long = affine_map<(m, n, k) -> (m, k)>
#weights = affine_map<(m, n, k) -> (k, n)>
#sums = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @larger
// CHECK-NOT: int8_activations
func.func @larger(%x: tensor<1x64xf32>, %l: tensor<1x66312xf32>) -> (tensor<1x64x16xf32>, tensor<1x16xf32>) {
  %one = fuse.constant dense<1.0> : tensor<f32>
  %w = fuse.constant dense<1.0> : tensor<3x16xf32>
  %0 = fuse.window %x sizes = [3] strides = [1] dilations = [1] pad_low = [1] fill = 0.0 : f32 : tensor<1x64xf32> -> tensor<1x64x3xf32>
  // expected-remark@+1 {{is not computed with int8-activations: an element of what is computed is read at several places, and would be made anew for each}}
  %1 = fuse.contract %0, %w maps = [#x, #w, #y] : tensor<1x64x3xf32>, tensor<3x16xf32> -> tensor<1x64x16xf32>
  %v = fuse.broadcast %one dims = [] : tensor<f32> -> tensor<66312x16xf32>
  // expected-remark@+1 {{is not computed with int8-activations: a sum has more than 66311 terms, and may not fit 32 bits}}
  %2 = fuse.contract %l, %v maps = [#long, #weights, #sums] : tensor<1x66312xf32>, tensor<66312x16xf32> -> tensor<1x16xf32>
  return %1, %2 : tensor<1x64x16xf32>, tensor<1x16xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

module attributes {fuse.target = "cuda-sm80"} {
  func.func @device(%x: tensor<4x32xf32>) -> tensor<4x64xf32> {
    %one = fuse.constant dense<1.0> : tensor<f32>
    %w = fuse.broadcast %one dims = [] : tensor<f32> -> tensor<32x64xf32>
    // expected-remark@+3 {{runs on at most 2 cores}}
    // expected-remark@+2 {{is not computed with bf16: the target is no CPU}}
    // expected-remark@+1 {{is not computed with int8-activations: the target is no CPU}}
    %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<4x32xf32>, tensor<32x64xf32> -> tensor<4x64xf32>
    return %0 : tensor<4x64xf32>
  }
}
