// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Routines of the library: order and ties, duplicates, indices from the end and
// outside, rows that are left.

// CHECK: values: f32[2x3] = [3, 3, 1, nan, 5, 4]
// CHECK-NEXT: indices: i64[2x3] = [1, 2, 0, 0, 3, 1]
// CHECK-NEXT: least: f32[1x4] = [1, 3, 2, 0]
// CHECK-NEXT: where: i64[1x4] = [0, 0, 1, 0]
// CHECK-NEXT: added: i8[2x3] = [110, 20, 30, 40, 50, 100]
// CHECK-NEXT: last: i8[2x3] = [100, 20, 30, 40, 50, 40]
// CHECK-NEXT: slices: i8[2x3] = [10, 20, 30, 4, 5, 6]
// CHECK-NEXT: larger: i8[2x3] = [10, 20, 30, 40, 50, 60]
// CHECK-NEXT: rows: i64[3x3] = [0, 0, 2, 0, 0, 1, -1, -1, -1]
// CHECK-NEXT: product: f32[2x3] = [17, 16, 15, 46, 44, 42]
// CHECK-NEXT: transposed: f32[2x2x2] = [6, 17, 8, 22, 10, 27, 12, 32]
func.func @main() -> (tensor<2x3xf32> {fuse.name = "values"}, tensor<2x3xi64> {fuse.name = "indices"},
    tensor<1x4xf32> {fuse.name = "least"}, tensor<1x4xi64> {fuse.name = "where"}, tensor<2x3xi8> {fuse.name = "added"},
    tensor<2x3xi8> {fuse.name = "last"}, tensor<2x3xi8> {fuse.name = "slices"}, tensor<2x3xi8> {fuse.name = "larger"},
    tensor<3x3xi64> {fuse.name = "rows"}, tensor<2x3xf32> {fuse.name = "product"}, tensor<2x2x2xf32> {fuse.name = "transposed"}) {
  %x = fuse.constant dense<[[1.0, 3.0, 3.0, 0.0], [0x7FC00000, 4.0, 2.0, 5.0]]> : tensor<2x4xf32>
  %values, %indices = fuse.call @top_k(%x) {axis = 1, k = 3, largest = true} : (tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  %least, %where = fuse.call @top_k(%x) {axis = 0, k = 1, largest = false} : (tensor<2x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xi64>)
  %d = fuse.constant dense<[[10, 20, 30], [40, 50, 60]]> : tensor<2x3xi8>
  %i = fuse.constant dense<[[0, 7, 0], [-1, -4, 2]]> : tensor<2x3xi32>
  %u = fuse.constant dense<[[50, 1, 50], [2, 3, 38]]> : tensor<2x3xi8>
  %added = fuse.call @scatter_elements(%d, %i, %u) {axis = 1, reduction = "add"} : (tensor<2x3xi8>, tensor<2x3xi32>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %j = fuse.constant dense<[[0, 0], [1, 2], [0, 0], [-1, -1]]> : tensor<4x2xi64>
  %v = fuse.constant dense<[1, 2, 100, 40]> : tensor<4xi8>
  %last = fuse.call @scatter_nd(%d, %j, %v) {reduction = "none"} : (tensor<2x3xi8>, tensor<4x2xi64>, tensor<4xi8>) -> tensor<2x3xi8>
  %k = fuse.constant dense<[[5], [-1]]> : tensor<2x1xi64>
  %w = fuse.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %slices = fuse.call @scatter_nd(%d, %k, %w) {reduction = "none"} : (tensor<2x3xi8>, tensor<2x1xi64>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %larger = fuse.call @scatter_nd(%d, %k, %w) {reduction = "max"} : (tensor<2x3xi8>, tensor<2x1xi64>, tensor<2x3xi8>) -> tensor<2x3xi8>
  %boxes = fuse.constant dense<[[[0.0, 0.0, 1.0, 1.0], [0.0, 5.0, 1.0, 6.0], [0.0, 0.1, 1.0, 1.1]]]> : tensor<1x3x4xf32>
  %scores = fuse.constant dense<[[[0.5, 0.4, 0.6]]]> : tensor<1x1x3xf32>
  %limit = fuse.constant dense<3> : tensor<i64>
  %half = fuse.constant dense<0.5> : tensor<f32>
  %zero = fuse.constant dense<0.0> : tensor<f32>
  %rows = fuse.call @non_max_suppression(%boxes, %scores, %limit, %half, %zero) {center_point_box = false}
      : (tensor<1x3x4xf32>, tensor<1x1x3xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<3x3xi64>
  %a = fuse.constant dense<[[1.0, 2.0], [3.0, 5.0]]> : tensor<2x2xf32>
  %b = fuse.constant dense<[[7.0, 8.0, 9.0], [5.0, 4.0, 3.0]]> : tensor<2x3xf32>
  %product = fuse.call @openblas_gemm(%a, %b) {terms = "mk,kn->mn"} : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = fuse.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32>
  %e = fuse.constant dense<[[1.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf32>
  %transposed = fuse.call @onednn_gemm(%c, %e) {terms = "kbm,nk->bmn"} : (tensor<2x2x2xf32>, tensor<2x2xf32>) -> tensor<2x2x2xf32>
  return %values, %indices, %least, %where, %added, %last, %slices, %larger, %rows, %product, %transposed
      : tensor<2x3xf32>, tensor<2x3xi64>, tensor<1x4xf32>, tensor<1x4xi64>, tensor<2x3xi8>, tensor<2x3xi8>, tensor<2x3xi8>, tensor<2x3xi8>, tensor<3x3xi64>, tensor<2x3xf32>, tensor<2x2x2xf32>
}
