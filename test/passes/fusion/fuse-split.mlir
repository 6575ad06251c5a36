// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-split="max-operands=4" --split-input-file | FileCheck %s
// RUN: fusec-opt %s --fuse-split="max-operands=4 remarks" --split-input-file \
// RUN:   --verify-diagnostics -o /dev/null

// A sum over everything, and what scales by it: the first runs over a band of one
// point, the second should not.
// CHECK-LABEL: func.func @long_reduction
// CHECK: %[[S:[0-9]+]] = fuse.group @reduce({{.*}} -> tensor<f32>
// CHECK: fuse.reduce
// CHECK: fuse.group @div(%[[S]], 
// CHECK: fuse.div
func.func @long_reduction(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  // expected-remark @below {{@sum_and_scale cut into 2 groups: what follows a long reduction would run over a band of 1 points}}
  %0 = fuse.group @sum_and_scale (%x) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  ^bb0(%a: tensor<1024x1024xf32>):
    %s = fuse.reduce (%a) inits = [0.0 : f32] dims = [0, 1] : (tensor<1024x1024xf32>) -> tensor<f32> {
    ^bb1(%acc: f32, %e: f32):
      %r = arith.addf %acc, %e : f32
      fuse.yield %r : f32
    }
    %1 = fuse.broadcast %s dims = [] : tensor<f32> -> tensor<1024x1024xf32>
    %2 = fuse.div %a, %1 : tensor<1024x1024xf32>
    fuse.yield %2 : tensor<1024x1024xf32>
  }
  return %0 : tensor<1024x1024xf32>
}

// -----

// The refusal: one operation with too many operands stays.
// CHECK-LABEL: func.func @wide
// CHECK: fuse.group @concat
// CHECK-NOT: fuse.group
func.func @wide(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<16xf32> {
  // expected-remark @below {{@all not cut although the group would have 5 operands and results, more than 4: no part of it can stand alone}}
  %0 = fuse.group @all (%a, %b, %c, %d) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<16xf32> {
  ^bb0(%0: tensor<4xf32>, %1: tensor<4xf32>, %2: tensor<4xf32>, %3: tensor<4xf32>):
    %4 = fuse.concat %0, %1, %2, %3 axis = 0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<16xf32>
    fuse.yield %4 : tensor<16xf32>
  }
  return %0 : tensor<16xf32>
}

// -----

// What was independent is fused horizontally again, as far as the limits allow.
// CHECK-LABEL: func.func @small
// CHECK: fuse.group {{.*}} -> (tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK: fuse.group {{.*}} -> tensor<4x8xf32>
// CHECK-NOT: fuse.group
func.func @small(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  // expected-remark @below {{@three cut into 2 groups: the group would have 6 operands and results, more than 4}}
  %0:3 = fuse.group @three (%x, %y, %z) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<4x8xf32>):
    %1 = fuse.exp %a : tensor<4x8xf32>
    %2 = fuse.tanh %b : tensor<4x8xf32>
    %3 = fuse.sqrt %c : tensor<4x8xf32>
    fuse.yield %1, %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Threads get tiles of 64 columns: here there is one of them, and the loop over rows
// is not of the band. Apart, all cores take part.
// CHECK-LABEL: func.func @narrow_windows
// CHECK-COUNT-2: fuse.group
func.func @narrow_windows(%arg0: tensor<4000x64xf32>) -> tensor<3996x64xf32> {
  // expected-remark @below {{@a_b cut into 2 groups: windows of reduced values would leave a band of 64 points, with which it is expected to take 57556 ns, not 36198}}
  %0 = fuse.group @a_b(%arg0) : (tensor<4000x64xf32>) -> tensor<3996x64xf32> {
  ^bb0(%arg1: tensor<4000x64xf32>):
    %1 = fuse.transpose %arg1 perm = [1, 0] : tensor<4000x64xf32> -> tensor<64x4000xf32>
    %2 = fuse.window %1 sizes = [3] strides = [1] dilations = [1] pad_low = [0] fill = 0xFF800000 : f32 : tensor<64x4000xf32> -> tensor<64x3998x3xf32>
    %3 = fuse.transpose %2 perm = [1, 0, 2] : tensor<64x3998x3xf32> -> tensor<3998x64x3xf32>
    %4 = fuse.reduce(%3) inits = [0xFF800000 : f32] dims = [2] : (tensor<3998x64x3xf32>) -> tensor<3998x64xf32> {
    ^bb0(%arg2: f32, %arg3: f32):
      %9 = arith.maximumf %arg2, %arg3 : f32
      fuse.yield %9 : f32
    }
    %5 = fuse.transpose %4 perm = [1, 0] : tensor<3998x64xf32> -> tensor<64x3998xf32>
    %6 = fuse.window %5 sizes = [3] strides = [1] dilations = [1] pad_low = [0] fill = 0xFF800000 : f32 : tensor<64x3998xf32> -> tensor<64x3996x3xf32>
    %7 = fuse.transpose %6 perm = [1, 0, 2] : tensor<64x3996x3xf32> -> tensor<3996x64x3xf32>
    %8 = fuse.reduce(%7) inits = [0xFF800000 : f32] dims = [2] : (tensor<3996x64x3xf32>) -> tensor<3996x64xf32> {
    ^bb0(%arg2: f32, %arg3: f32):
      %9 = arith.maximumf %arg2, %arg3 : f32
      fuse.yield %9 : f32
    }
    fuse.yield %8 : tensor<3996x64xf32>
  }
  return %0 : tensor<3996x64xf32>
}
