// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products, reductions and gathers of constants are constants, up to a number of
// steps.
// RUN: fusec-opt %s --fuse-expand-composites --fuse-simplify | FileCheck %s

// CHECK-LABEL: func.func @product
// CHECK-NEXT: %[[C:.*]] = fuse.constant dense<{{\[\[}}7.000000e+00, 1.000000e+01], [1.500000e+01, 2.200000e+01]]>
// CHECK-NEXT: return %[[C]]
func.func @product() -> tensor<2x2xf32> {
  %a = fuse.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = fuse.matmul %a, %a : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @softmax
// CHECK-NEXT: %[[C:.*]] = fuse.constant dense<{{\[\[}}2.500000e-01, {{0.7500|7.5000}}
// CHECK-NEXT: return %[[C]]
func.func @softmax() -> tensor<1x2xf32> {
  %a = fuse.constant dense<[[0.0, 1.09861231]]> : tensor<1x2xf32>
  %0 = fuse.softmax %a {axis = 1 : i64} : tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// Two accumulators, of which one is the result.
// CHECK-LABEL: func.func @position
// CHECK-NEXT: %[[C:.*]] = fuse.constant dense<{{\[\[}}2], [0]]> : tensor<2x1xi64>
// CHECK-NEXT: return %[[C]]
func.func @position() -> tensor<2x1xi64> {
  %a = fuse.constant dense<[[1.0, 2.0, 5.0], [4.0, 3.0, 2.0]]> : tensor<2x3xf32>
  %0 = fuse.arg_max %a {axis = 1 : i64} : tensor<2x3xf32> -> tensor<2x1xi64>
  return %0 : tensor<2x1xi64>
}

// The exact sum, rounded once. One addition after the other in f32 is off in the
// third place.
// CHECK-LABEL: func.func @long_sum
// CHECK-NEXT: fuse.constant dense<3.000000e+05> : tensor<f32>
// CHECK-NOT: fuse.reduce
func.func @long_sum() -> tensor<1xf32> {
  %a = fuse.constant dense<0.1> : tensor<f32>
  %b = fuse.broadcast %a dims = [] : tensor<f32> -> tensor<1000x1x3000xf32>
  %0 = fuse.reduction sum %b dims = [0, 2] : tensor<1000x1x3000xf32> -> tensor<1x1x1xf32>
  %1 = fuse.reshape %0 : tensor<1x1x1xf32> -> tensor<1xf32>
  return %1 : tensor<1xf32>
}

// CHECK-LABEL: func.func @gather
// CHECK-NEXT: %[[C:.*]] = fuse.constant dense<[3, 1, 3]> : tensor<3xi64>
// CHECK-NEXT: return %[[C]]
func.func @gather() -> tensor<3xi64> {
  %a = fuse.constant dense<[1, 2, 3]> : tensor<3xi64>
  %n = fuse.constant dense<[2, 0, 2]> : tensor<3xi64>
  %0 = fuse.gather %a, %n axis = 0 : tensor<3xi64>, tensor<3xi64> -> tensor<3xi64>
  return %0 : tensor<3xi64>
}

// More steps than the compiler takes.
// CHECK-LABEL: func.func @too_long
// CHECK: fuse.contract
func.func @too_long() -> tensor<64x64xf32> {
  %a = fuse.constant dense<1.0> : tensor<f32>
  %b = fuse.broadcast %a dims = [] : tensor<f32> -> tensor<64x100000xf32>
  %c = fuse.broadcast %a dims = [] : tensor<f32> -> tensor<100000x64xf32>
  %0 = fuse.matmul %b, %c : tensor<64x100000xf32>, tensor<100000x64xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Casts of what has no integer are those of the kernels: the nearest number of
// the type that computes, whose last byte is kept of a byte, and 0 of NaN.
// CHECK-LABEL: func.func @saturate
// CHECK-DAG: fuse.constant dense<[0, 2147483647, -2147483648, 2147483647]> : tensor<4xi32>
// CHECK-DAG: fuse.constant dense<[0, 9223372036854775807, -9223372036854775808, 30000001024]> : tensor<4xi64>
// CHECK-DAG: fuse.constant dense<[0, 255, 0, 255]> : tensor<4xui8>
func.func @saturate() -> (tensor<4xi32>, tensor<4xi64>, tensor<4xui8>) {
  %a = fuse.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 3.0e10]> : tensor<4xf32>
  %0 = fuse.cast %a : tensor<4xf32> -> tensor<4xi32>
  %1 = fuse.cast %a : tensor<4xf32> -> tensor<4xi64>
  %2 = fuse.cast %a : tensor<4xf32> -> tensor<4xui8>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi64>, tensor<4xui8>
}
