// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s | fusec-opt | FileCheck %s

// CHECK-LABEL: func.func @routines
func.func @routines(%x: tensor<4x9xf16>, %i: tensor<2x3xi32>, %u: tensor<2x3xf16>, %n: tensor<5x2xi64>, %v: tensor<5xf16>,
    %boxes: tensor<1x6x4xf32>, %scores: tensor<1x2x6xf32>, %limit: tensor<i64>, %t: tensor<f32>,
    %a: tensor<2x8x3x4xf32>, %b: tensor<3x4x5xf32>,
    %images: tensor<2x3x5x7xf16>, %corners: tensor<6x4xf32>, %numbers: tensor<6xi64>, %regions: tensor<6x5xf32>) {
  // CHECK: fuse.call @top_k(%{{.*}}) {axis = 1 : i64, k = 3 : i64, largest = true} : (tensor<4x9xf16>) -> (tensor<4x3xf16>, tensor<4x3xi64>)
  %0:2 = fuse.call @top_k(%x) {axis = 1, k = 3, largest = true} : (tensor<4x9xf16>) -> (tensor<4x3xf16>, tensor<4x3xi64>)
  // CHECK: fuse.call @scatter_elements(%{{.*}}, %{{.*}}, %{{.*}}) {axis = 0 : i64, reduction = "add"} :
  %1 = fuse.call @scatter_elements(%x, %i, %u) {axis = 0, reduction = "add"} : (tensor<4x9xf16>, tensor<2x3xi32>, tensor<2x3xf16>) -> tensor<4x9xf16>
  // CHECK: fuse.call @scatter_nd(%{{.*}}, %{{.*}}, %{{.*}}) {reduction = "none"} attributes {note = "kept"} :
  %2 = fuse.call @scatter_nd(%x, %n, %v) {reduction = "none"} attributes {note = "kept"} : (tensor<4x9xf16>, tensor<5x2xi64>, tensor<5xf16>) -> tensor<4x9xf16>
  // CHECK: fuse.call @non_max_suppression(
  %3 = fuse.call @non_max_suppression(%boxes, %scores, %limit, %t, %t) {center_point_box = false}
      : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<4x3xi64>
  // CHECK: fuse.call @roi_align(%{{.*}}, %{{.*}}, %{{.*}}) {half_pixel = true, maximum = false} : (tensor<2x3x5x7xf16>, tensor<6x4xf32>, tensor<6xi64>) -> tensor<6x3x2x1xf16>
  %4 = fuse.call @roi_align(%images, %corners, %numbers) {half_pixel = true, maximum = false} : (tensor<2x3x5x7xf16>, tensor<6x4xf32>, tensor<6xi64>) -> tensor<6x3x2x1xf16>
  // CHECK: fuse.call @max_roi_pool(%{{.*}}, %{{.*}}) {} : (tensor<2x3x5x7xf16>, tensor<6x5xf32>) -> tensor<6x3x2x1xf16>
  %5 = fuse.call @max_roi_pool(%images, %regions) {} : (tensor<2x3x5x7xf16>, tensor<6x5xf32>) -> tensor<6x3x2x1xf16>
  // A product for each head, of what lies between others' rows.
  // CHECK: fuse.call @openblas_gemm(%{{.*}}, %{{.*}}) {terms = "bmhk,hkn->bhmn"} : (tensor<2x8x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x8x5xf32>
  %6 = fuse.call @openblas_gemm(%a, %b) {terms = "bmhk,hkn->bhmn"} : (tensor<2x8x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x8x5xf32>
  // CHECK: fuse.call @onednn_gemm(%{{.*}}, %{{.*}}) {terms = "bmhk,hkn->bmhn"} :
  %7 = fuse.call @onednn_gemm(%a, %b) {terms = "bmhk,hkn->bmhn"} : (tensor<2x8x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x8x3x5xf32>
  return
}
