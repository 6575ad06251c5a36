// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-expand-algorithms=vendors=openblas --split-input-file | FileCheck %s
// RUN: fusec-opt %s --fuse-expand-algorithms=vendors=openblas,onednn --split-input-file | FileCheck %s --check-prefix=BOTH
// RUN: fusec-opt %s --fuse-expand-algorithms="vendors=openblas remarks=true" --split-input-file --verify-diagnostics -o /dev/null
// RUN: fusec-opt %s --fuse-expand-algorithms --split-input-file | FileCheck %s --check-prefix=NONE
// RUN: not fusec-opt %s --fuse-expand-algorithms=vendors=openblas,mkl --split-input-file 2>&1 | FileCheck %s --check-prefix=MKL

// NONE-NOT: fuse.choice
// NONE-NOT: fuse.call
// MKL: error: there is no vendor 'mkl'; take some of onednn, openblas

// What is computed from the result goes along, in each alternative. The weight lies as the
// model has it.
// CHECK-LABEL: func.func @layer
// CHECK: fuse.choice @layer ["direct", "openblas"] : tensor<67x45xf32> {
// CHECK-NEXT: fuse.contract %arg0, %arg1
// CHECK: fuse.maximum
// CHECK: }, {
// CHECK-NEXT: %[[P:.*]] = fuse.call @openblas_gemm(%arg0, %arg1) {terms = "ac,bc->ab"} : (tensor<67x131xf32>, tensor<45x131xf32>) -> tensor<67x45xf32>
// CHECK-NEXT: fuse.maximum %[[P]],
// BOTH-LABEL: func.func @layer
// BOTH: fuse.choice @layer ["direct", "onednn", "openblas"]
// BOTH: fuse.call @onednn_gemm(%arg0, %arg1) {terms = "ac,bc->ab"}
// BOTH: fuse.call @openblas_gemm
func.func @layer(%x: tensor<67x131xf32>, %w: tensor<45x131xf32>, %z: tensor<67x45xf32>) -> tensor<67x45xf32> {
  %0 = fuse.contract %x, %w maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      : tensor<67x131xf32>, tensor<45x131xf32> -> tensor<67x45xf32> loc("layer")
  %1 = fuse.maximum %0, %z : tensor<67x45xf32>
  return %1 : tensor<67x45xf32>
}

// -----

// The rows of the result are of the second operand, which becomes the first: what a
// convolution of one tap is. Images are a loop around.
// CHECK-LABEL: func.func @channels
// CHECK: fuse.call @openblas_gemm(%arg1, %arg0) {terms = "be,aecd->abcd"} : (tensor<32x24xf32>, tensor<2x24x9x11xf32>) -> tensor<2x32x9x11xf32>
func.func @channels(%x: tensor<2x24x9x11xf32>, %w: tensor<32x24xf32>) -> tensor<2x32x9x11xf32> {
  %0 = fuse.contract %x, %w maps = [affine_map<(n, o, p, q, c) -> (n, c, p, q)>, affine_map<(n, o, p, q, c) -> (o, c)>,
      affine_map<(n, o, p, q, c) -> (n, o, p, q)>] : tensor<2x24x9x11xf32>, tensor<32x24xf32> -> tensor<2x32x9x11xf32>
  return %0 : tensor<2x32x9x11xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// What is no call, each for another reason.
// CHECK-LABEL: func.func @others
// CHECK-NOT: fuse.choice
func.func @others(%x: tensor<8x32xf32>, %w: tensor<32x16xf32>, %h: tensor<8x32xf16>, %v: tensor<32x16xf16>, %l: tensor<16x32xf32>)
    -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<8xf32>, tensor<8x16xf32>) {
  // expected-remark @below {{is no call of @openblas_gemm: it multiplies f32, and not elements of another type}}
  %0 = fuse.contract %h, %v maps = [#x, #w, #y] : tensor<8x32xf16>, tensor<32x16xf16> -> tensor<8x16xf32>
  %part = fuse.slice %l offsets = [0, 0] strides = [2, 1] : tensor<16x32xf32> -> tensor<8x32xf32>
  // expected-remark @below {{is no call of @openblas_gemm: an operand is computed as it is read, and would have to be stored first}}
  %1 = fuse.contract %part, %w maps = [#x, #w, #y] : tensor<8x32xf32>, tensor<32x16xf32> -> tensor<8x16xf32>
  %top = fuse.slice %l offsets = [0, 0] strides = [1, 1] : tensor<16x32xf32> -> tensor<8x32xf32>
  // expected-remark @below {{is no call of @openblas_gemm: an operand is computed as it is read, and would have to be stored first}}
  %6 = fuse.contract %top, %w maps = [#x, #w, #y] : tensor<8x32xf32>, tensor<32x16xf32> -> tensor<8x16xf32>
  // expected-remark @below {{is no call of @openblas_gemm: it is no product of matrices}}
  %2 = fuse.contract %x, %x maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>]
      : tensor<8x32xf32>, tensor<8x32xf32> -> tensor<8xf32>
  // Scores, whose rows one kernel may reduce.
  // expected-remark @below {{is no call of @openblas_gemm: its rows may be reduced in one kernel with it}}
  %3 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<8x32xf32>, tensor<32x16xf32> -> tensor<8x16xf32>
  %4 = fuse.exp %3 : tensor<8x16xf32>
  %5 = fuse.reduce (%4) inits = [0.0 : f32] dims = [1] : (tensor<8x16xf32>) -> tensor<8xf32> {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    fuse.yield %r : f32
  }
  return %0, %1, %2, %4, %5, %6 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8xf32>, tensor<8x16xf32>, tensor<8xf32>, tensor<8x16xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// A gate and what it lets through are one kernel. Where the two products meet in nothing,
// they are none.
// CHECK-LABEL: func.func @gate
// CHECK-NOT: fuse.choice
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-2: fuse.choice
func.func @gate(%x: tensor<8x32xf32>, %w: tensor<32x16xf32>, %v: tensor<32x16xf32>) -> tensor<8x16xf32> {
  // expected-remark @below {{another product may be computed in one kernel with it}}
  %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<8x32xf32>, tensor<32x16xf32> -> tensor<8x16xf32>
  // expected-remark @below {{another product may be computed in one kernel with it}}
  %1 = fuse.contract %x, %v maps = [#x, #w, #y] : tensor<8x32xf32>, tensor<32x16xf32> -> tensor<8x16xf32>
  %2 = fuse.exp %0 : tensor<8x16xf32>
  %3 = fuse.mul %2, %1 : tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}
func.func @apart(%x: tensor<8x32xf32>, %w: tensor<32x16xf32>, %v: tensor<32x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %0 = fuse.contract %x, %w maps = [#x, #w, #y] : tensor<8x32xf32>, tensor<32x16xf32> -> tensor<8x16xf32>
  %1 = fuse.contract %x, %v maps = [#x, #w, #y] : tensor<8x32xf32>, tensor<32x16xf32> -> tensor<8x16xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<8x16xf32>
}
