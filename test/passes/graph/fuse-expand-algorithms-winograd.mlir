// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-expand-algorithms=numerics=fast --split-input-file | FileCheck %s
// RUN: fusec-opt %s --fuse-expand-algorithms --split-input-file | FileCheck %s --check-prefix=EXACT
// RUN: fusec-opt %s --fuse-expand-algorithms="numerics=fast remarks=true" --split-input-file --verify-diagnostics -o /dev/null
// EXACT-NOT: winograd

#x = affine_map<(n, o, p, q, c, r, s) -> (n, c, p, q, r, s)>
#w = affine_map<(n, o, p, q, c, r, s) -> (c, r, s, o)>
#y = affine_map<(n, o, p, q, c, r, s) -> (n, o, p, q)>

// 7 rows are 2 tiles of 4, of which the last row is dropped; with what is around the
// input, the tiles read 10 rows. Tiles of 2 would take 16 products for 21, those of 4 take
// 12. Weights: the taps 1, 1, 1 become 1/4, -1/2, -1/6, 7/24 (of rounded factors), 1/8, 1.
// CHECK-LABEL: func.func @rows
// CHECK: fuse.choice @conv ["direct", "winograd_2", "winograd_4"] : tensor<1x2x7x5xf32> {
// CHECK-NEXT: %[[D:.*]] = fuse.window %arg0 sizes = [3, 1]
// CHECK-NEXT: fuse.contract %[[D]],
// CHECK: }, {
// CHECK: }, {
// CHECK-NEXT: %[[P:.*]] = fuse.pad %arg0 low = [0, 0, 1, 0] high = [0, 0, 2, 0] fill = 0.0{{.*}} : tensor<1x1x7x5xf32> -> tensor<1x1x10x5xf32>
// CHECK-NEXT: %[[R0:.*]] = fuse.slice %[[P]] offsets = [0, 0, 0, 0] strides = [1, 1, 4, 1] : tensor<1x1x10x5xf32> -> tensor<1x1x2x5xf32>
// CHECK-COUNT-4: fuse.slice %[[P]]
// CHECK: %[[R5:.*]] = fuse.slice %[[P]] offsets = [0, 0, 5, 0] strides = [1, 1, 4, 1]
// CHECK: %[[V:.*]] = fuse.concat {{.*}} axis = 0 {{.*}} -> tensor<6x1x2x5xf32>
// CHECK-NEXT: %[[V1:.*]] = fuse.reshape %[[V]] : tensor<6x1x2x5xf32> -> tensor<6x1x1x2x5xf32>
// CHECK: %[[U:.*]] = fuse.constant dense<{{\[\[\[}}[2.500000e-01, 5.000000e-01]]], {{\[\[\[}}-5.000000e-01, -1.000000e+00]]], {{\[\[\[}}-0.166666672, -0.333333343]]], {{\[\[\[}}0.291666687, 0.583333373]]], {{\[\[\[}}1.250000e-01, 2.500000e-01]]], {{\[\[\[}}1.000000e+00, 2.000000e+00]]]]> : tensor<6x1x1x2xf32>
// CHECK: %[[W:.*]] = fuse.window %[[V1]] sizes = [1] strides = [1] dilations = [1] pad_low = [0] {{.*}} -> tensor<6x1x1x2x5x1xf32>
// CHECK-NEXT: %[[M:.*]] = fuse.contract %[[W]], %[[U]] {{.*}} -> tensor<6x1x2x2x5xf32>
// CHECK-NEXT: fuse.reshape %[[M]] : tensor<6x1x2x2x5xf32> -> tensor<6x2x2x5xf32>
// CHECK: %[[Y:.*]] = fuse.concat {{.*}} axis = 3 {{.*}} -> tensor<1x2x2x20xf32>
// CHECK-NEXT: %[[Z:.*]] = fuse.reshape %[[Y]] : tensor<1x2x2x20xf32> -> tensor<1x2x8x5xf32>
// CHECK-NEXT: %[[S:.*]] = fuse.slice %[[Z]] offsets = [0, 0, 0, 0] {{.*}} -> tensor<1x2x7x5xf32>
// CHECK-NEXT: fuse.yield %[[S]]
func.func @rows(%x: tensor<1x1x7x5xf32>) -> tensor<1x2x7x5xf32> {
  %w = fuse.constant dense<[[[[1.0, 2.0]], [[1.0, 2.0]], [[1.0, 2.0]]]]> : tensor<1x3x1x2xf32>
  %0 = fuse.window %x sizes = [3, 1] strides = [1, 1] dilations = [1, 1] pad_low = [1, 0] fill = 0.0 : f32 : tensor<1x1x7x5xf32> -> tensor<1x1x7x5x3x1xf32>
  %1 = fuse.contract %0, %w maps = [#x, #w, #y] : tensor<1x1x7x5x3x1xf32>, tensor<1x3x1x2xf32> -> tensor<1x2x7x5xf32> loc("conv")
  return %1 : tensor<1x2x7x5xf32>
}

// -----

#x = affine_map<(n, o, p, q, c, r, s) -> (n, c, p, q, r, s)>
#w = affine_map<(n, o, p, q, c, r, s) -> (c, r, s, o)>
#y = affine_map<(n, o, p, q, c, r, s) -> (n, o, p, q)>

// Three rows: a tile of 4 takes 6 products for 9, two of 2 take 8. Two rows would be 4 for
// 6; one row 4 for 3.
// CHECK-LABEL: func.func @few
// CHECK: fuse.choice @three ["direct", "winograd_2", "winograd_4"]
// CHECK: fuse.choice @two ["direct", "winograd_2"]
// CHECK-NOT: fuse.choice
func.func @few(%x: tensor<1x1x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2x1x4xf32>) {
  %w = fuse.constant dense<[[[[1.0, 2.0]], [[1.0, 2.0]], [[1.0, 2.0]]]]> : tensor<1x3x1x2xf32>
  %0 = fuse.window %x sizes = [3, 1] strides = [1, 1] dilations = [1, 1] pad_low = [1, 0] fill = 0.0 : f32 : tensor<1x1x3x4xf32> -> tensor<1x1x3x4x3x1xf32>
  %1 = fuse.contract %0, %w maps = [#x, #w, #y] : tensor<1x1x3x4x3x1xf32>, tensor<1x3x1x2xf32> -> tensor<1x2x3x4xf32> loc("three")
  %2 = fuse.window %x sizes = [3, 1] strides = [1, 1] dilations = [1, 1] pad_low = [1, 0] fill = 0.0 : f32 : tensor<1x1x3x4xf32> -> tensor<1x1x2x4x3x1xf32>
  %3 = fuse.contract %2, %w maps = [#x, #w, #y] : tensor<1x1x2x4x3x1xf32>, tensor<1x3x1x2xf32> -> tensor<1x2x2x4xf32> loc("two")
  %4 = fuse.window %x sizes = [3, 1] strides = [1, 1] dilations = [1, 1] pad_low = [0, 0] fill = 0.0 : f32 : tensor<1x1x3x4xf32> -> tensor<1x1x1x4x3x1xf32>
  %5 = fuse.contract %4, %w maps = [#x, #w, #y] : tensor<1x1x1x4x3x1xf32>, tensor<1x3x1x2xf32> -> tensor<1x2x1x4xf32> loc("one")
  return %1, %3, %5 : tensor<1x2x3x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2x1x4xf32>
}

// -----

#x = affine_map<(n, o, p, q, c, r, s) -> (n, c, p, q, r, s)>
#w = affine_map<(n, o, p, q, c, r, s) -> (c, r, s, o)>
#y = affine_map<(n, o, p, q, c, r, s) -> (n, o, p, q)>

// What is no convolution that can be filtered, each for another reason.
// CHECK-LABEL: func.func @refused
// CHECK-NOT: fuse.choice
func.func @refused(%x: tensor<1x1x9x9xf32>, %v: tensor<1x3x3x2xf32>)
    -> (tensor<1x2x7x7xf32>, tensor<1x2x9x9xf32>, tensor<1x2x4x9xf32>, tensor<1x2x5x9xf32>) {
  %0 = fuse.window %x sizes = [3, 3] strides = [1, 1] dilations = [1, 1] pad_low = [0, 0] fill = 0.0 : f32 : tensor<1x1x9x9xf32> -> tensor<1x1x7x7x3x3xf32>
  // expected-remark @below {{is not filtered as Winograd does: its weights are computed}}
  %1 = fuse.contract %0, %v maps = [#x, #w, #y] : tensor<1x1x7x7x3x3xf32>, tensor<1x3x3x2xf32> -> tensor<1x2x7x7xf32>
  %w = fuse.constant dense<1.0> : tensor<1x3x1x2xf32>
  %2 = fuse.window %x sizes = [3, 1] strides = [1, 1] dilations = [1, 1] pad_low = [1, 0] fill = 1.0 : f32 : tensor<1x1x9x9xf32> -> tensor<1x1x9x9x3x1xf32>
  // expected-remark @below {{what surrounds its input is not 0}}
  %3 = fuse.contract %2, %w maps = [#x, #w, #y] : tensor<1x1x9x9x3x1xf32>, tensor<1x3x1x2xf32> -> tensor<1x2x9x9xf32>
  %4 = fuse.window %x sizes = [3, 1] strides = [2, 1] dilations = [1, 1] pad_low = [0, 0] fill = 0.0 : f32 : tensor<1x1x9x9xf32> -> tensor<1x1x4x9x3x1xf32>
  // expected-remark @below {{the first windowed dimension has not three taps side by side, or steps over some}}
  %5 = fuse.contract %4, %w maps = [#x, #w, #y] : tensor<1x1x4x9x3x1xf32>, tensor<1x3x1x2xf32> -> tensor<1x2x4x9xf32>
  %6 = fuse.window %x sizes = [3, 1] strides = [1, 1] dilations = [2, 1] pad_low = [0, 0] fill = 0.0 : f32 : tensor<1x1x9x9xf32> -> tensor<1x1x5x9x3x1xf32>
  // expected-remark @below {{the first windowed dimension has not three taps side by side, or steps over some}}
  %7 = fuse.contract %6, %w maps = [#x, #w, #y] : tensor<1x1x5x9x3x1xf32>, tensor<1x3x1x2xf32> -> tensor<1x2x5x9xf32>
  return %1, %3, %5, %7 : tensor<1x2x7x7xf32>, tensor<1x2x9x9xf32>, tensor<1x2x4x9xf32>, tensor<1x2x5x9xf32>
}

// -----

// A signal has no rows; a depthwise convolution one channel for each; a half is computed
// in another type.
// CHECK-LABEL: func.func @others
// CHECK-NOT: fuse.choice
func.func @others(%x: tensor<1x1x9xf32>, %z: tensor<1x3x9x9xf32>, %h: tensor<1x1x9x9xf16>)
    -> (tensor<1x2x7xf32>, tensor<1x3x7x9xf32>, tensor<1x2x7x9xf32>) {
  %w = fuse.constant dense<1.0> : tensor<1x3x2xf32>
  %0 = fuse.window %x sizes = [3] strides = [1] dilations = [1] pad_low = [0] fill = 0.0 : f32 : tensor<1x1x9xf32> -> tensor<1x1x7x3xf32>
  // expected-remark @below {{it has one windowed dimension, along which elements lie side by side}}
  %1 = fuse.contract %0, %w maps = [affine_map<(n, o, p, c, r) -> (n, c, p, r)>, affine_map<(n, o, p, c, r) -> (c, r, o)>, affine_map<(n, o, p, c, r) -> (n, o, p)>] : tensor<1x1x7x3xf32>, tensor<1x3x2xf32> -> tensor<1x2x7xf32>
  %v = fuse.constant dense<1.0> : tensor<3x3x1xf32>
  %2 = fuse.window %z sizes = [3, 1] strides = [1, 1] dilations = [1, 1] pad_low = [0, 0] fill = 0.0 : f32 : tensor<1x3x9x9xf32> -> tensor<1x3x7x9x3x1xf32>
  // expected-remark @below {{what is computed of a row serves one channel only}}
  %3 = fuse.contract %2, %v maps = [affine_map<(n, g, p, q, r, s) -> (n, g, p, q, r, s)>, affine_map<(n, g, p, q, r, s) -> (g, r, s)>, affine_map<(n, g, p, q, r, s) -> (n, g, p, q)>] : tensor<1x3x7x9x3x1xf32>, tensor<3x3x1xf32> -> tensor<1x3x7x9xf32>
  %u = fuse.constant dense<1.0> : tensor<1x3x1x2xf16>
  %4 = fuse.window %h sizes = [3, 1] strides = [1, 1] dilations = [1, 1] pad_low = [0, 0] fill = 0.0 : f16 : tensor<1x1x9x9xf16> -> tensor<1x1x7x9x3x1xf16>
  // expected-remark @below {{its elements are not what it computes in}}
  %5 = fuse.contract %4, %u maps = [affine_map<(n, o, p, q, c, r, s) -> (n, c, p, q, r, s)>, affine_map<(n, o, p, q, c, r, s) -> (c, r, s, o)>, affine_map<(n, o, p, q, c, r, s) -> (n, o, p, q)>] : tensor<1x1x7x9x3x1xf16>, tensor<1x3x1x2xf16> -> tensor<1x2x7x9xf32>
  return %1, %3, %5 : tensor<1x2x7xf32>, tensor<1x3x7x9xf32>, tensor<1x2x7x9xf32>
}
