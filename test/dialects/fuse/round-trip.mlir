// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is printed parses to the same text.
// RUN: fusec-opt %s -o %t.first && fusec-opt %t.first -o %t.second
// RUN: diff %t.first %t.second && FileCheck %s --input-file %t.second

// CHECK: fuse.weight @w = dense_resource<w> : tensor<2x32xf32>
fuse.weight @w = dense_resource<w> : tensor<2x32xf32>

// CHECK-LABEL: func.func @primitives
func.func @primitives(%x: tensor<4x8xf32>, %i: tensor<2xi64>, %c: tensor<4x8xi1>) {
  // CHECK: fuse.get_weight @w : tensor<2x32xf32>
  %w = fuse.get_weight @w : tensor<2x32xf32>
  // CHECK: fuse.broadcast %{{.*}} dims = [0, 2] : tensor<4x8xf32> -> tensor<4x3x8xf32>
  %0 = fuse.broadcast %x dims = [0, 2] : tensor<4x8xf32> -> tensor<4x3x8xf32>
  // CHECK: fuse.transpose %{{.*}} perm = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = fuse.transpose %x perm = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: fuse.slice %{{.*}} offsets = [3, 0] strides = [-1, 2] : tensor<4x8xf32> -> tensor<4x4xf32>
  %2 = fuse.slice %x offsets = [3, 0] strides = [-1, 2] : tensor<4x8xf32> -> tensor<4x4xf32>
  // CHECK: fuse.pad %{{.*}} low = [0, 1] high = [2, 0] fill = 1.000000e+00 : f32 : tensor<4x8xf32> -> tensor<6x9xf32>
  %3 = fuse.pad %x low = [0, 1] high = [2, 0] fill = 1.0 : f32 : tensor<4x8xf32> -> tensor<6x9xf32>
  // CHECK: fuse.concat %{{.*}}, %{{.*}} axis = 0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  %4 = fuse.concat %x, %x axis = 0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  // CHECK: fuse.gather %{{.*}}, %{{.*}} axis = 1 : tensor<4x8xf32>, tensor<2xi64> -> tensor<4x2xf32>
  %5 = fuse.gather %x, %i axis = 1 : tensor<4x8xf32>, tensor<2xi64> -> tensor<4x2xf32>
  // CHECK: fuse.gather %{{.*}}, %{{.*}}, %{{.*}} maps = [#{{.*}}, #{{.*}}, #{{.*}}] : tensor<4x8xf32>, tensor<2xi64>, tensor<2xi64> -> tensor<2x3xf32>
  %picked = fuse.gather %x, %i, %i maps = [affine_map<(d0, d1)[s0, s1] -> (s0, s1 + d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (1 - d0)>] : tensor<4x8xf32>, tensor<2xi64>, tensor<2xi64> -> tensor<2x3xf32>
  // CHECK: fuse.cumulate sum %{{.*}} axis = 1 exclusive reverse : tensor<4x8xf32>
  %sums = fuse.cumulate sum %x axis = 1 exclusive reverse : tensor<4x8xf32>
  // CHECK: fuse.iota axis = 1 : tensor<4x8xi32>
  %6 = fuse.iota axis = 1 : tensor<4x8xi32>
  // CHECK: fuse.cast %{{.*}} : tensor<4x8xf32> -> tensor<4x8xf8E4M3FN>
  %code = fuse.cast %x : tensor<4x8xf32> -> tensor<4x8xf8E4M3FN>
  // CHECK: fuse.bitcast %{{.*}} : tensor<4x8xf8E4M3FN> -> tensor<4x8xui8>
  %bits = fuse.bitcast %code : tensor<4x8xf8E4M3FN> -> tensor<4x8xui8>
  // CHECK: fuse.constant dense<[-8, 7]> : tensor<2xi4>
  %part = fuse.constant dense<[-8, 7]> : tensor<2xi4>
  // CHECK: fuse.cmp le %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xi1>
  %7 = fuse.cmp le %x, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xi1>
  // CHECK: fuse.select
  %8 = fuse.select %c, %x, %x : tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: %{{.*}}:2 = fuse.reduce(%{{.*}}, %{{.*}}) inits = [0xFF800000 : f32, -1 : i32] dims = [1]
  %9:2 = fuse.reduce (%x, %6) inits = [0xFF800000 : f32, -1 : i32] dims = [1] : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%best: f32, %at: i32, %e: f32, %j: i32):
    %less = arith.cmpf olt, %best, %e : f32
    %b = arith.select %less, %e, %best : f32
    %k = arith.select %less, %j, %at : i32
    fuse.yield %b, %k : f32, i32
  }
  return
}

// CHECK-LABEL: func.func @group
// CHECK: fuse.group @g(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32> {
func.func @group(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.group @g (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = fuse.exp %a : tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F"
    }
  }
#-}
