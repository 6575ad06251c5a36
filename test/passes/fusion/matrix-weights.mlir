// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-aggregate --split-input-file | FileCheck %s

// Of many rows a unit of a GPU multiplies matrices, which come from memory: codes of four
// bits are expanded once. Of few rows they are where they are multiplied.
// CHECK-LABEL: func.func @many
// CHECK: %[[W:.*]] = fuse.group @{{.*}} -> tensor<4x4xf16>
// CHECK: fuse.group @{{.*}}(%{{.*}}, %[[W]])
// CHECK: fuse.contract
// CHECK: return
// CHECK-LABEL: func.func @few
// CHECK: fuse.group
// CHECK-NOT: fuse.group
// CHECK: fuse.contract
// CHECK: return
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
module attributes {fuse.target = "cuda-sm80"} {
  fuse.weight @codes = dense_resource<codes> : tensor<4x4xi4>
  func.func @many(%x: tensor<96x4xf16>) -> tensor<96x4xf32> {
    %0 = fuse.get_weight @codes : tensor<4x4xi4>
    %1 = fuse.cast %0 : tensor<4x4xi4> -> tensor<4x4xf16>
    %2 = fuse.contract %x, %1 maps = [#x, #w, #y] : tensor<96x4xf16>, tensor<4x4xf16> -> tensor<96x4xf32>
    return %2 : tensor<96x4xf32>
  }
  func.func @few(%x: tensor<8x4xf16>) -> tensor<8x4xf32> {
    %0 = fuse.get_weight @codes : tensor<4x4xi4>
    %1 = fuse.cast %0 : tensor<4x4xi4> -> tensor<4x4xf16>
    %2 = fuse.contract %x, %1 maps = [#x, #w, #y] : tensor<8x4xf16>, tensor<4x4xf16> -> tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }
}
{-#
  dialect_resources: {
    builtin: {
      codes: "0x010000000102030405060708F9FAFBFCFDFEFF07"
    }
  }
#-}

// -----

// So they are for vectors of a CPU.
// CHECK-LABEL: func.func @cpu
// CHECK: fuse.group
// CHECK-NOT: fuse.group
// CHECK: fuse.contract
// CHECK: return
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
module attributes {fuse.target = "generic"} {
  fuse.weight @codes = dense_resource<codes> : tensor<4x4xi4>
  func.func @cpu(%x: tensor<96x4xf16>) -> tensor<96x4xf32> {
    %0 = fuse.get_weight @codes : tensor<4x4xi4>
    %1 = fuse.cast %0 : tensor<4x4xi4> -> tensor<4x4xf16>
    %2 = fuse.contract %x, %1 maps = [#x, #w, #y] : tensor<96x4xf16>, tensor<4x4xf16> -> tensor<96x4xf32>
    return %2 : tensor<96x4xf32>
  }
}
{-#
  dialect_resources: {
    builtin: {
      codes: "0x010000000102030405060708F9FAFBFCFDFEFF07"
    }
  }
#-}
