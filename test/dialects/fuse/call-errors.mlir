// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @sort is not in the library, which has @max_roi_pool, @non_max_suppression, @onednn_gemm, @openblas_gemm, @roi_align, @scatter_elements, @scatter_nd, @top_k}}
  %0 = fuse.call @sort(%x) {} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @top_k has 2 operands, needs 1}}
  %0:2 = fuse.call @top_k(%x, %x) {axis = 0, k = 2, largest = true} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @top_k has 1 results, needs 2}}
  %0 = fuse.call @top_k(%x) {axis = 0, k = 2, largest = true} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @top_k needs the parameter 'k', a 64-bit integer}}
  %0:2 = fuse.call @top_k(%x) {axis = 0, largest = true} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @top_k needs the parameter 'k', a 64-bit integer}}
  %0:2 = fuse.call @top_k(%x) {axis = 0, k = 2 : i32, largest = true} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @top_k needs the parameter 'largest', a boolean}}
  %0:2 = fuse.call @top_k(%x) {axis = 0, k = 2, largest = 1} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @top_k has no parameter 'sorted'}}
  %0:2 = fuse.call @top_k(%x) {axis = 0, k = 2, largest = true, sorted = true} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @top_k has the axis 1 for rank 1}}
  %0:2 = fuse.call @top_k(%x) {axis = 1, k = 2, largest = true} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @top_k picks 5 of 4 elements}}
  %0:2 = fuse.call @top_k(%x) {axis = 0, k = 5, largest = true} : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return
}

// -----

func.func @case(%x: tensor<4xi1>) {
  // expected-error @below {{'fuse.call' op of @top_k orders numbers, not booleans}}
  %0:2 = fuse.call @top_k(%x) {axis = 0, k = 2, largest = true} : (tensor<4xi1>) -> (tensor<2xi1>, tensor<2xi64>)
  return
}

// -----

func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @top_k the first result is f32[3], expected f32[2]}}
  %0:2 = fuse.call @top_k(%x) {axis = 0, k = 2, largest = true} : (tensor<4xf32>) -> (tensor<3xf32>, tensor<2xi64>)
  return
}

// -----

func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @top_k the second result is i32[2], expected i64[2]}}
  %0:2 = fuse.call @top_k(%x) {axis = 0, k = 2, largest = true} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// -----

func.func @case(%x: tensor<4x5xf32>, %i: tensor<2x3xi64>, %u: tensor<2x3xf32>, %f: tensor<2x3xf32>, %w: tensor<2x6xi64>, %v: tensor<6xi64>) {
  // expected-error @below {{'fuse.call' op of @scatter_elements needs i32 or i64 indices}}
  %0 = fuse.call @scatter_elements(%x, %f, %u) {axis = 0, reduction = "none"} : (tensor<4x5xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x5xf32>, %i: tensor<2x3xi64>, %u: tensor<2x3xf32>, %f: tensor<2x3xf32>, %w: tensor<2x6xi64>, %v: tensor<6xi64>) {
  // expected-error @below {{'fuse.call' op of @scatter_elements has the unknown reduction 'sub'}}
  %0 = fuse.call @scatter_elements(%x, %i, %u) {axis = 0, reduction = "sub"} : (tensor<4x5xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x5xf32>, %i: tensor<2x3xi64>, %u: tensor<2x3xf32>, %f: tensor<2x3xf32>, %w: tensor<2x6xi64>, %v: tensor<6xi64>) {
  // expected-error @below {{'fuse.call' op of @scatter_elements the result is f32[5, 4], expected f32[4, 5]}}
  %0 = fuse.call @scatter_elements(%x, %i, %u) {axis = 0, reduction = "none"} : (tensor<4x5xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @case(%x: tensor<4x5xf32>, %i: tensor<2x3xi64>, %u: tensor<2x3xf32>, %f: tensor<2x3xf32>, %w: tensor<2x6xi64>, %v: tensor<6xi64>) {
  // expected-error @below {{'fuse.call' op of @scatter_elements has the axis 2 for rank 2}}
  %0 = fuse.call @scatter_elements(%x, %i, %u) {axis = 2, reduction = "none"} : (tensor<4x5xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x5xf32>, %i: tensor<2x3xi64>, %u: tensor<2x3xf32>, %f: tensor<2x3xf32>, %w: tensor<2x6xi64>, %v: tensor<6xi64>) {
  // expected-error @below {{'fuse.call' op of @scatter_elements has indices of rank 1 for data of rank 2}}
  %0 = fuse.call @scatter_elements(%x, %v, %u) {axis = 0, reduction = "none"} : (tensor<4x5xf32>, tensor<6xi64>, tensor<2x3xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x5xf32>, %i: tensor<2x3xi64>, %u: tensor<2x3xf32>, %f: tensor<2x3xf32>, %w: tensor<2x6xi64>, %v: tensor<6xi64>) {
  // expected-error @below {{'fuse.call' op of @scatter_elements has indices [2, 6] that lead out of the data [4, 5]}}
  %0 = fuse.call @scatter_elements(%x, %w, %u) {axis = 0, reduction = "none"} : (tensor<4x5xf32>, tensor<2x6xi64>, tensor<2x3xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x5xf32>, %i: tensor<2x3xi64>, %u: tensor<2x3xf32>, %f: tensor<2x3xf32>, %w: tensor<2x6xi64>, %v: tensor<6xi64>) {
  // expected-error @below {{'fuse.call' op of @scatter_elements the tensor of updates is f32[2, 3], expected f32[2, 6]}}
  %0 = fuse.call @scatter_elements(%x, %w, %u) {axis = 1, reduction = "none"} : (tensor<4x5xf32>, tensor<2x6xi64>, tensor<2x3xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x5xf32>, %s: tensor<f32>, %i: tensor<2x3xi64>, %r: tensor<2x1xi64>, %u: tensor<2x4xf32>) {
  // expected-error @below {{'fuse.call' op of @scatter_nd has indices [2, 3] whose last dimension is not 1 to 2}}
  %0 = fuse.call @scatter_nd(%x, %i, %u) {reduction = "none"} : (tensor<4x5xf32>, tensor<2x3xi64>, tensor<2x4xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x5xf32>, %s: tensor<f32>, %i: tensor<2x3xi64>, %r: tensor<2x1xi64>, %u: tensor<2x4xf32>) {
  // expected-error @below {{'fuse.call' op of @scatter_nd the tensor of updates is f32[2, 4], expected f32[2, 5]}}
  %0 = fuse.call @scatter_nd(%x, %r, %u) {reduction = "none"} : (tensor<4x5xf32>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @case(%x: tensor<4x5xf32>, %s: tensor<f32>, %i: tensor<2x3xi64>, %r: tensor<2x1xi64>, %u: tensor<2x4xf32>) {
  // expected-error @below {{'fuse.call' op of @scatter_nd has data without dimensions}}
  %0 = fuse.call @scatter_nd(%s, %r, %u) {reduction = "none"} : (tensor<f32>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<f32>
  return
}

// -----

func.func @case(%b: tensor<2x6x4xf32>, %s: tensor<2x3x6xf32>, %l: tensor<i64>, %t: tensor<f32>) {
  // expected-error @below {{'fuse.call' op of @non_max_suppression has boxes [2, 3, 6], expected [batches, boxes, 4]}}
  %0 = fuse.call @non_max_suppression(%s, %s, %l, %t, %t) {center_point_box = true} : (tensor<2x3x6xf32>, tensor<2x3x6xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<4x3xi64>
  return
}

// -----

func.func @case(%b: tensor<2x6x4xf32>, %s: tensor<2x3x6xf32>, %l: tensor<i64>, %t: tensor<f32>) {
  // expected-error @below {{'fuse.call' op of @non_max_suppression has scores [], expected [batches, classes, boxes]}}
  %0 = fuse.call @non_max_suppression(%b, %t, %l, %t, %t) {center_point_box = true} : (tensor<2x6x4xf32>, tensor<f32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<4x3xi64>
  return
}

// -----

func.func @case(%b: tensor<2x6x4xf32>, %s: tensor<2x3x6xf32>, %l: tensor<i64>, %t: tensor<f32>) {
  // expected-error @below {{'fuse.call' op of @non_max_suppression the operand of scores is f32[2, 6, 4], expected f32[2, 6, 6]}}
  %0 = fuse.call @non_max_suppression(%b, %b, %l, %t, %t) {center_point_box = true} : (tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<4x3xi64>
  return
}

// -----

func.func @case(%b: tensor<2x6x4xf32>, %s: tensor<2x3x6xf32>, %l: tensor<i64>, %t: tensor<f32>) {
  // expected-error @below {{'fuse.call' op of @non_max_suppression the score threshold is i64[], expected f32[]}}
  %0 = fuse.call @non_max_suppression(%b, %s, %l, %t, %l) {center_point_box = true} : (tensor<2x6x4xf32>, tensor<2x3x6xf32>, tensor<i64>, tensor<f32>, tensor<i64>) -> tensor<4x3xi64>
  return
}

// -----

func.func @case(%b: tensor<2x6x4xf32>, %s: tensor<2x3x6xf32>, %l: tensor<i64>, %t: tensor<f32>) {
  // expected-error @below {{'fuse.call' op of @non_max_suppression the limit of boxes is f32[], expected i64[]}}
  %0 = fuse.call @non_max_suppression(%b, %s, %t, %t, %t) {center_point_box = true} : (tensor<2x6x4xf32>, tensor<2x3x6xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4x3xi64>
  return
}

// -----

func.func @case(%b: tensor<2x6x4xf32>, %s: tensor<2x3x6xf32>, %l: tensor<i64>, %t: tensor<f32>) {
  // expected-error @below {{'fuse.call' op of @non_max_suppression has the result [12], expected [rows, 3]}}
  %0 = fuse.call @non_max_suppression(%b, %s, %l, %t, %t) {center_point_box = true} : (tensor<2x6x4xf32>, tensor<2x3x6xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<12xi64>
  return
}

// -----

func.func @case(%b: tensor<2x6x4xf32>, %s: tensor<2x3x6xf32>, %l: tensor<i64>, %t: tensor<f32>) {
  // expected-error @below {{'fuse.call' op of @non_max_suppression the result is i32[4, 3], expected i64[4, 3]}}
  %0 = fuse.call @non_max_suppression(%b, %s, %l, %t, %t) {center_point_box = true} : (tensor<2x6x4xf32>, tensor<2x3x6xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<4x3xi32>
  return
}

// -----

func.func @case(%x: tensor<2x3x5x7xf32>, %r: tensor<6x5xf32>, %c: tensor<6x4xf32>, %n: tensor<6xi64>, %h: tensor<6x5xf16>, %i: tensor<2x3x5x7xi32>, %e: tensor<2x3x0x7xf32>, %l: tensor<6x1x2147483648x7xf32>) {
  // expected-error @below {{'fuse.call' op of @max_roi_pool has images [6, 5], expected [images, channels, height, width]}}
  %0 = fuse.call @max_roi_pool(%r, %r) {} : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x3x2x2xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3x5x7xf32>, %r: tensor<6x5xf32>, %c: tensor<6x4xf32>, %n: tensor<6xi64>, %h: tensor<6x5xf16>, %i: tensor<2x3x5x7xi32>, %e: tensor<2x3x0x7xf32>, %l: tensor<6x1x2147483648x7xf32>) {
  // expected-error @below {{'fuse.call' op of @max_roi_pool has regions [6], expected [regions, 5]}}
  %0 = fuse.call @max_roi_pool(%x, %n) {} : (tensor<2x3x5x7xf32>, tensor<6xi64>) -> tensor<6x3x2x2xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3x5x7xf32>, %r: tensor<6x5xf32>, %c: tensor<6x4xf32>, %n: tensor<6xi64>, %h: tensor<6x5xf16>, %i: tensor<2x3x5x7xi32>, %e: tensor<2x3x0x7xf32>, %l: tensor<6x1x2147483648x7xf32>) {
  // expected-error @below {{'fuse.call' op of @max_roi_pool has the result [6, 3], expected [regions, channels, bins, bins]}}
  %0 = fuse.call @max_roi_pool(%x, %r) {} : (tensor<2x3x5x7xf32>, tensor<6x5xf32>) -> tensor<6x3xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3x5x7xf32>, %r: tensor<6x5xf32>, %c: tensor<6x4xf32>, %n: tensor<6xi64>, %h: tensor<6x5xf16>, %i: tensor<2x3x5x7xi32>, %e: tensor<2x3x0x7xf32>, %l: tensor<6x1x2147483648x7xf32>) {
  // expected-error @below {{'fuse.call' op of @max_roi_pool needs images of f16, bf16, f32 or f64}}
  %0 = fuse.call @max_roi_pool(%i, %r) {} : (tensor<2x3x5x7xi32>, tensor<6x5xf32>) -> tensor<6x3x2x2xi32>
  return
}

// -----

func.func @case(%x: tensor<2x3x5x7xf32>, %r: tensor<6x5xf32>, %c: tensor<6x4xf32>, %n: tensor<6xi64>, %h: tensor<6x5xf16>, %i: tensor<2x3x5x7xi32>, %e: tensor<2x3x0x7xf32>, %l: tensor<6x1x2147483648x7xf32>) {
  // expected-error @below {{'fuse.call' op of @max_roi_pool the operand of regions is f32[6, 4], expected f32[6, 5]}}
  %0 = fuse.call @max_roi_pool(%x, %c) {} : (tensor<2x3x5x7xf32>, tensor<6x4xf32>) -> tensor<6x3x2x2xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3x5x7xf32>, %r: tensor<6x5xf32>, %c: tensor<6x4xf32>, %n: tensor<6xi64>, %h: tensor<6x5xf16>, %i: tensor<2x3x5x7xi32>, %e: tensor<2x3x0x7xf32>, %l: tensor<6x1x2147483648x7xf32>) {
  // expected-error @below {{'fuse.call' op of @max_roi_pool the operand of regions is f16[6, 5], expected f32[6, 5]}}
  %0 = fuse.call @max_roi_pool(%x, %h) {} : (tensor<2x3x5x7xf32>, tensor<6x5xf16>) -> tensor<6x3x2x2xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3x5x7xf32>, %r: tensor<6x5xf32>, %c: tensor<6x4xf32>, %n: tensor<6xi64>, %h: tensor<6x5xf16>, %i: tensor<2x3x5x7xi32>, %e: tensor<2x3x0x7xf32>, %l: tensor<6x1x2147483648x7xf32>) {
  // expected-error @below {{'fuse.call' op of @max_roi_pool the result is f32[5, 3, 2, 2], expected f32[6, 3, 2, 2]}}
  %0 = fuse.call @max_roi_pool(%x, %r) {} : (tensor<2x3x5x7xf32>, tensor<6x5xf32>) -> tensor<5x3x2x2xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3x5x7xf32>, %r: tensor<6x5xf32>, %c: tensor<6x4xf32>, %n: tensor<6xi64>, %h: tensor<6x5xf16>, %i: tensor<2x3x5x7xi32>, %e: tensor<2x3x0x7xf32>, %l: tensor<6x1x2147483648x7xf32>) {
  // expected-error @below {{'fuse.call' op of @max_roi_pool has a dimension of 2147483648}}
  %0 = fuse.call @max_roi_pool(%l, %r) {} : (tensor<6x1x2147483648x7xf32>, tensor<6x5xf32>) -> tensor<6x1x2x2xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3x5x7xf32>, %r: tensor<6x5xf32>, %c: tensor<6x4xf32>, %n: tensor<6xi64>, %h: tensor<6x5xf16>, %i: tensor<2x3x5x7xi32>, %e: tensor<2x3x0x7xf32>, %l: tensor<6x1x2147483648x7xf32>) {
  // expected-error @below {{'fuse.call' op of @max_roi_pool reads images without elements, [2, 3, 0, 7]}}
  %0 = fuse.call @max_roi_pool(%e, %r) {} : (tensor<2x3x0x7xf32>, tensor<6x5xf32>) -> tensor<6x3x2x2xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3x5x7xf32>, %r: tensor<6x5xf32>, %c: tensor<6x4xf32>, %n: tensor<6xi64>, %h: tensor<6x5xf16>, %i: tensor<2x3x5x7xi32>, %e: tensor<2x3x0x7xf32>, %l: tensor<6x1x2147483648x7xf32>) {
  // expected-error @below {{'fuse.call' op of @roi_align the operand of regions is f32[6, 5], expected f32[6, 4]}}
  %0 = fuse.call @roi_align(%x, %r, %n) {half_pixel = true, maximum = false} : (tensor<2x3x5x7xf32>, tensor<6x5xf32>, tensor<6xi64>) -> tensor<6x3x2x2xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3x5x7xf32>, %r: tensor<6x5xf32>, %c: tensor<6x4xf32>, %n: tensor<6xi64>, %h: tensor<6x5xf16>, %i: tensor<2x3x5x7xi32>, %e: tensor<2x3x0x7xf32>, %l: tensor<6x1x2147483648x7xf32>) {
  // expected-error @below {{'fuse.call' op of @roi_align the operand of images' numbers is f32[6, 4], expected i64[6]}}
  %0 = fuse.call @roi_align(%x, %c, %c) {half_pixel = true, maximum = false} : (tensor<2x3x5x7xf32>, tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x3x2x2xf32>
  return
}

// -----

func.func @case(%x: tensor<2x3x5x7xf32>, %r: tensor<6x5xf32>, %c: tensor<6x4xf32>, %n: tensor<6xi64>, %h: tensor<6x5xf16>, %i: tensor<2x3x5x7xi32>, %e: tensor<2x3x0x7xf32>, %l: tensor<6x1x2147483648x7xf32>) {
  // expected-error @below {{'fuse.call' op of @roi_align needs the parameter 'maximum', a boolean}}
  %0 = fuse.call @roi_align(%x, %c, %n) {half_pixel = true} : (tensor<2x3x5x7xf32>, tensor<6x4xf32>, tensor<6xi64>) -> tensor<6x3x2x2xf32>
  return
}
