// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-expand-algorithms=numerics=fast --split-input-file | FileCheck %s
// RUN: fusec-opt %s --fuse-expand-algorithms --split-input-file \
// RUN:   | FileCheck %s --check-prefix=REPRODUCIBLE
// RUN: fusec-opt %s --fuse-expand-algorithms="numerics=fast remarks" --split-input-file \
// RUN:   --verify-diagnostics -o /dev/null
// REPRODUCIBLE-NOT: fuse.choice

#w = affine_map<(m, n, k) -> (m, k)>
#x = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// Rows have as many entries as the longest; what a shorter one has is halved until it has
// as many, and an empty one multiplies by zeros.
// CHECK-LABEL: func.func @rows
// CHECK:      fuse.choice @contract ["direct", "sparse"]
// CHECK:      }, {
// CHECK-DAG:  %[[V:.*]] = fuse.constant dense<{{\[}}[2.000000e+00, 5.000000e+00], [1.500000e+00, 1.500000e+00], [0.000000e+00, 0.000000e+00]]>
// CHECK-DAG:  %[[T:.*]] = fuse.constant dense<{{\[}}[1, 3], [4, 4], [0, 0]]> : tensor<3x2xi32>
// CHECK:      %[[G:.*]] = fuse.gather %{{.*}}, %[[T]] axis = 0
// CHECK:      fuse.contract %[[V]], %[[G]]
func.func @rows(%x: tensor<6x64xf32>) -> tensor<3x64xf32> {
  %w = fuse.constant dense<[[0.0, 2.0, 0.0, 5.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 3.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<3x6xf32>
  %0 = fuse.contract %w, %x maps = [#w, #x, #y] : tensor<3x6xf32>, tensor<6x64xf32> -> tensor<3x64xf32>
  return %0 : tensor<3x64xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// Terms that lie side by side are copied: columns do then. What one long row has beyond
// the others is a product of its own, which is added where that row is.
// CHECK-LABEL: func.func @long_row
// CHECK:      }, {
// CHECK:      %[[X:.*]] = fuse.transpose %{{.*}} perm = [1, 0] {{[{]}}stored}
// CHECK:      fuse.gather %[[X]], %{{.*}} axis = 0 : tensor<6x64xf32>, tensor<8x1xi32>
// CHECK:      %[[SUM:.*]] = fuse.contract
// CHECK:      fuse.gather %[[X]], %{{.*}} axis = 0 : tensor<6x64xf32>, tensor<1x5xi32>
// CHECK:      %[[MORE:.*]] = fuse.contract {{.*}} -> tensor<1x64xf32>
// CHECK:      %[[THERE:.*]] = fuse.gather %[[MORE]]
// CHECK:      %[[ADDED:.*]] = fuse.select %{{.*}}, %[[THERE]]
// CHECK:      fuse.add %[[SUM]], %[[ADDED]]
func.func @long_row(%x: tensor<64x6xf32>) -> tensor<64x8xf32> {
  %w = fuse.constant dense<[
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0],
    [1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 0.0, 3.0, 0.0, 0.0, 0.0, 8.0, 0.0],
    [1.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0, 0.0, 0.0, 6.0, 0.0, 0.0]]> : tensor<6x8xf32>
  %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<64x6xf32>, tensor<6x8xf32> -> tensor<64x8xf32>
  return %0 : tensor<64x8xf32>
}

// -----

#x = affine_map<(b, m, n, k) -> (b, m, k)>
#w = affine_map<(b, m, n, k) -> (k, n)>
#y = affine_map<(b, m, n, k) -> (b, m, n)>

// Of many columns panels are copied, in which those of a term are a few cache lines.
// CHECK-LABEL: func.func @panels
// CHECK:      }, {
// CHECK:      %[[P:.*]] = fuse.reshape %{{.*}} : tensor<3x128x6xf32> -> tensor<3x2x64x6xf32>
// CHECK:      %[[X:.*]] = fuse.transpose %[[P]] perm = [0, 1, 3, 2] {{[{]}}stored} : {{.*}} -> tensor<3x2x6x64xf32>
// CHECK:      fuse.gather %[[X]]
// CHECK:      %[[SUM:.*]] = fuse.contract {{.*}} -> tensor<8x3x2x64xf32>
// CHECK:      %[[ALL:.*]] = fuse.reshape %[[SUM]] : {{.*}} -> tensor<8x3x128xf32>
// CHECK:      fuse.transpose %[[ALL]] perm = [1, 2, 0] {{[{]}}turned}
func.func @panels(%x: tensor<3x128x6xf32>) -> tensor<3x128x8xf32> {
  %w = fuse.constant dense<[
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 7.0],
    [0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 6.0, 1.0, 0.0]]> : tensor<6x8xf32>
  %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<3x128x6xf32>, tensor<6x8xf32> -> tensor<3x128x8xf32>
  return %0 : tensor<3x128x8xf32>
}

// -----

#w = affine_map<(m, n, k) -> (m, k)>
#x = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @refused
// CHECK-NOT: fuse.choice
func.func @refused(%x: tensor<4x64xf32>, %f: tensor<4x63xf32>, %u: tensor<4x100xf32>) -> (tensor<2x64xf32>, tensor<2x63xf32>, tensor<2x100xf32>) {
  %dense = fuse.constant dense<[[1.0, 2.0, 0.0, 0.0], [3.0, 4.0, 5.0, 0.0]]> : tensor<2x4xf32>
  %w = fuse.constant dense<[[0.0, 2.0, 4.0, 0.0], [3.0, 1.0, 0.0, 0.0]]> : tensor<2x4xf32>
  // expected-remark @below {{is no sparse product: 6 of its 8 constant elements would be multiplied, with those that fill rows up}}
  %0 = fuse.contract %dense, %x maps = [#w, #x, #y] : tensor<2x4xf32>, tensor<4x64xf32> -> tensor<2x64xf32>
  // expected-remark @below {{is no sparse product: a row of its terms serves 63 columns that lie side by side, and less than 64 do not pay}}
  %1 = fuse.contract %w, %f maps = [#w, #x, #y] : tensor<2x4xf32>, tensor<4x63xf32> -> tensor<2x63xf32>
  // expected-remark @below {{in vectors that lie in two cache lines each}}
  %2 = fuse.contract %w, %u maps = [#w, #x, #y] : tensor<2x4xf32>, tensor<4x100xf32> -> tensor<2x100xf32>
  return %0, %1, %2 : tensor<2x64xf32>, tensor<2x63xf32>, tensor<2x100xf32>
}

// -----

#w = affine_map<(m, n, k) -> (m, k)>
#x = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

module attributes {fuse.target = "cuda-sm80"} {
// CHECK-LABEL: func.func @gpu
// CHECK-NOT: fuse.choice
func.func @gpu(%x: tensor<4x128xf32>) -> tensor<2x128xf32> {
  %w = fuse.constant dense<[[0.0, 2.0, 0.0, 0.0], [3.0, 0.0, 0.0, 0.0]]> : tensor<2x4xf32>
  // expected-remark @below {{is no sparse product: threads of a GPU copy tiles, and pick no rows}}
  %0 = fuse.contract %w, %x maps = [#w, #x, #y] : tensor<2x4xf32>, tensor<4x128xf32> -> tensor<2x128xf32>
  return %0 : tensor<2x128xf32>
}
}
