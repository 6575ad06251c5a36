// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What picks or mixes elements by position: gathers and weights.
// RUN: fusec-opt %s --fuse-expand-composites --split-input-file | FileCheck %s

// A reduction of pairs: an element and its index. Of equal ones the first
// counts, and NaN more than any number.
// CHECK-LABEL: func.func @arg_max
// CHECK: %[[I:.*]] = fuse.iota axis = 1 : tensor<4x8xi32>
// CHECK: %[[R:.*]]:2 = fuse.reduce(%{{.*}}, %[[I]]) inits = [0xFF800000 : f32, 8 : i32] dims = [1]
// CHECK-NEXT: ^bb0(%[[BEST:.*]]: f32, %[[AT:.*]]: i32, %[[E:.*]]: f32, %[[J:.*]]: i32):
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %[[J]], %[[AT]]
// CHECK: arith.cmpf ogt, %[[E]], %[[BEST]]
// CHECK: %[[EQUAL:.*]] = arith.cmpf oeq, %[[E]], %[[BEST]]
// CHECK: arith.cmpf une, %[[E]], %[[E]]
// CHECK: arith.andi %[[EQUAL]], %[[FIRST]]
// CHECK: %[[C:.*]] = fuse.cast %[[R]]#1 : tensor<4xi32> -> tensor<4xi64>
// CHECK: fuse.reshape %[[C]] : tensor<4xi64> -> tensor<4x1xi64>
func.func @arg_max(%x: tensor<4x8xf32>) -> tensor<4x1xi64> {
  %0 = fuse.arg_max %x {axis = 1 : i64} : tensor<4x8xf32> -> tensor<4x1xi64>
  return %0 : tensor<4x1xi64>
}

// -----

// The last of the smallest: both comparisons turn around, and the start is
// before every index.
// CHECK-LABEL: func.func @last_arg_min
// CHECK: fuse.reduce(%{{.*}}, %{{.*}}) inits = [0x7F800000 : f32, -1 : i32] dims = [0]
// CHECK: arith.cmpi sgt
// CHECK: arith.cmpf olt
func.func @last_arg_min(%x: tensor<4x8xf32>) -> tensor<1x8xi64> {
  %0 = fuse.arg_min %x {axis = 0 : i64, last} : tensor<4x8xf32> -> tensor<1x8xi64>
  return %0 : tensor<1x8xi64>
}

// -----

// Each element twice: no gather, and the other dimensions stay as they are.
// CHECK-LABEL: func.func @repeat
// CHECK: %[[B:.*]] = fuse.broadcast %{{.*}} dims = [0, 1, 2] : tensor<1x2x4xf32> -> tensor<1x2x4x2xf32>
// CHECK-NEXT: %[[Y:.*]] = fuse.reshape %[[B]] : tensor<1x2x4x2xf32> -> tensor<1x2x8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @repeat(%x: tensor<1x2x4xf32>) -> tensor<1x2x8xf32> {
  %0 = fuse.resize nearest %x asymmetric lengths = [1.0, 2.0, 8.0] {rounding = #fuse<nearest_rounding floor>} : tensor<1x2x4xf32> -> tensor<1x2x8xf32>
  return %0 : tensor<1x2x8xf32>
}

// -----

// Positions and weights are constants: two neighbours each, and at the ends the
// nearest one inside.
// CHECK-LABEL: func.func @linear
// CHECK: %[[LOW:.*]] = fuse.constant dense<[0, 0, 0, 1, 1, 2, 2, 3]> : tensor<8xi32>
// CHECK: %[[A:.*]] = fuse.gather %{{.*}}, %[[LOW]] axis = 2
// CHECK: fuse.constant dense<[1.000000e+00, 7.500000e-01, 2.500000e-01, 7.500000e-01, 2.500000e-01, 7.500000e-01, 2.500000e-01, 1.000000e+00]>
// CHECK: %[[WA:.*]] = fuse.mul %[[A]],
// CHECK: %[[HIGH:.*]] = fuse.constant dense<[0, 1, 1, 2, 2, 3, 3, 3]> : tensor<8xi32>
// CHECK: %[[B:.*]] = fuse.gather %{{.*}}, %[[HIGH]] axis = 2
// CHECK: %[[WB:.*]] = fuse.mul %[[B]],
// CHECK: fuse.add %[[WA]], %[[WB]]
func.func @linear(%x: tensor<1x2x4xf32>) -> tensor<1x2x8xf32> {
  %0 = fuse.resize linear %x half_pixel lengths = [1.0, 2.0, 8.0] : tensor<1x2x4xf32> -> tensor<1x2x8xf32>
  return %0 : tensor<1x2x8xf32>
}

// -----

// The grid holds x, then y; both are rounded to even, moved inside, and one
// gather reads all channels.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3)[s0, s1] -> (d0, d1, s0, s1)>
// CHECK-DAG: #[[AT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
// CHECK-LABEL: func.func @nearest_samples
// CHECK: fuse.slice %{{.*}} offsets = [0, 0, 0, 1] strides = [1, 1, 1, 1]
// CHECK: fuse.round
// CHECK: %[[Y:.*]] = fuse.minimum %{{.*}} : tensor<1x1x3x5xi32>
// CHECK: fuse.slice %{{.*}} offsets = [0, 0, 0, 0] strides = [1, 1, 1, 1]
// CHECK: fuse.round
// CHECK: %[[XS:.*]] = fuse.minimum %{{.*}} : tensor<1x1x3x5xi32>
// CHECK: fuse.gather %{{.*}}, %[[Y]], %[[XS]] maps = [#[[X]], #[[AT]], #[[AT]]]
// CHECK-NOT: fuse.gather
// CHECK: return
func.func @nearest_samples(%x: tensor<1x2x4x6xf32>, %g: tensor<1x3x5x2xf32>) -> tensor<1x2x3x5xf32> {
  %0 = fuse.grid_sample nearest %x, %g border {align_corners} : (tensor<1x2x4x6xf32>, tensor<1x3x5x2xf32>) -> tensor<1x2x3x5xf32>
  return %0 : tensor<1x2x3x5xf32>
}

// -----

// Four neighbours of 2 x 2 points in each bin, whose mean is a sum over the
// points. The image of a region is an index like the positions.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5)[s0, s1, s2] -> (s0, d1, s1, s2)>
// CHECK-LABEL: func.func @regions
// CHECK-COUNT-4: fuse.gather %{{.*}} maps = [#[[X]],{{.*}} -> tensor<3x2x2x3x2x2xf32>
// CHECK: %[[S:.*]] = fuse.reduce(%{{.*}}) inits = [0.000000e+00 : f32] dims = [4, 5]
// CHECK: arith.addf
// CHECK: fuse.constant dense<4.000000e+00>
// CHECK: fuse.div %[[S]],
func.func @regions(%x: tensor<1x2x4x6xf32>, %r: tensor<3x4xf32>, %n: tensor<3xi64>) -> tensor<3x2x2x3xf32> {
  %0 = fuse.roi_align %x, %r, %n {points = 2 : i64, scale = 0.5 : f64} : (tensor<1x2x4x6xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x2x2x3xf32>
  return %0 : tensor<3x2x2x3xf32>
}

// -----

// The maximum is that of the weighted elements, of all neighbours.
// CHECK-LABEL: func.func @maximum_of_regions
// CHECK-COUNT-3: fuse.maximum %{{.*}} : tensor<3x2x2x3x1x1xf32>
// CHECK: fuse.reduce(%{{.*}}) inits = [0xFF800000 : f32] dims = [4, 5]
// CHECK: arith.maximumf
func.func @maximum_of_regions(%x: tensor<1x2x4x6xf32>, %r: tensor<3x4xf32>, %n: tensor<3xi64>) -> tensor<3x2x2x3xf32> {
  %0 = fuse.roi_align %x, %r, %n {points = 1 : i64, scale = 0.5 : f64, maximum} : (tensor<1x2x4x6xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x2x2x3xf32>
  return %0 : tensor<3x2x2x3xf32>
}

// -----

// Of one element, the first is the greatest.
// CHECK-LABEL: func.func @arg_of_one
// CHECK: fuse.constant dense<0> : tensor<i64>
// CHECK-NOT: fuse.reduce
// CHECK: return
func.func @arg_of_one(%x: tensor<4x1xf32>) -> tensor<4x1xi64> {
  %0 = fuse.arg_max %x {axis = 1 : i64, last} : tensor<4x1xf32> -> tensor<4x1xi64>
  return %0 : tensor<4x1xi64>
}
