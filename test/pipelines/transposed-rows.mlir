// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys that are laid out anew for a product are stored in tiles that registers transpose,
// also where something else is stored beside them: what a cache holds, with new rows
// behind those of before, or with what a mask chooses.
// RUN: rm -rf %t
// RUN: fusec compile %s --cpu=zen4 -o %t
// RUN: FileCheck %s < %t/transposed_rows_kernels.cpp

// Rows of two inputs have no loop in common but that over heads: each is cut in tiles.
// CHECK-LABEL: void present_keys_default(
// CHECK: store(&present(
// CHECK: for (int64_t k = 0; k < 48; k += 16) {
// CHECK: f32x16 tile[16];
// CHECK: store_transposed(&keys(i, j, k), keys.stride(1), tile);
// CHECK: f32x16 tile[8];
// CHECK: store_transposed(&keys(i, j, 48), keys.stride(1), tile);
// CHECK-NOT: store_strided

// Loops of one tile have both statements.
// CHECK-LABEL: void chosen_turned_default(
// CHECK: parallel_for
// CHECK: FUSEC_UNROLL for (Unrolled j = 0; j < 14; ++j)
// CHECK-NEXT: store(&chosen(
// CHECK: f32x16 tile[14];
// CHECK: store_transposed(&turned(
// CHECK-NOT: store_strided
module @transposed_rows {
  func.func @main(%past: tensor<4x50x64xf32> {fuse.name = "past"}, %new: tensor<4x6x64xf32> {fuse.name = "new"}, %x: tensor<3x70x64xf32> {fuse.name = "x"}, %y: tensor<3x70x64xf32> {fuse.name = "y"})
      -> (tensor<4x56x64xf32> {fuse.name = "present"}, tensor<4x64x56xf32> {fuse.name = "keys"}, tensor<3x70x64xf32> {fuse.name = "chosen"}, tensor<3x64x70xf32> {fuse.name = "turned"}) {
    %0 = fuse.concat %past, %new axis = 1 : tensor<4x50x64xf32>, tensor<4x6x64xf32> -> tensor<4x56x64xf32> loc("present")
    %1 = fuse.transpose %0 perm = [0, 2, 1] : tensor<4x56x64xf32> -> tensor<4x64x56xf32> loc("keys")
    %2 = fuse.maximum %x, %y : tensor<3x70x64xf32> loc("chosen")
    %3 = fuse.transpose %2 perm = [0, 2, 1] : tensor<3x70x64xf32> -> tensor<3x64x70xf32> loc("turned")
    return %0, %1, %2, %3 : tensor<4x56x64xf32>, tensor<4x64x56xf32>, tensor<3x70x64xf32>, tensor<3x64x70xf32>
  }
}
