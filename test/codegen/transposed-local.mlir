// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array of the stack that a tile of vectors leaves for through a transpose: the
// lanes are rows apart, so that rows stay as long as they are, although vectors go over
// their end.
// RUN: rm -rf %t && mkdir %t && fusec compile %s -o %t/transposed_local
// RUN: FileCheck %s < %t/transposed_local/transposed_local_kernels.cpp

// CHECK: float rows[2][9];
// CHECK: store_transposed(&rows[0][0], 9, tile, mask_lt(0, 2));
module @transposed_local attributes {fuse.stage = "model-plan-memory"} {
  func.func @main(%x: memref<9x16xf32> {fuse.name = "x"}, %y: memref<2x9xf32> {fuse.name = "y"})
      attributes {fuse.outputs = 1 : i64} {
    kernel.launch @transpose(%x, %y) : memref<9x16xf32>, memref<2x9xf32>
    return
  }

  kernel.func @transpose(%x: memref<9x16xf32>, %y: memref<2x9xf32>)
      attributes {group = "transpose", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64,
                  proposer = "isl", schedule = "vector = 16"} {
    %c0 = kernel.apply affine_map<() -> (0)>()
    %column = kernel.tail_mask %c0, affine_map<() -> (2)>() : vector<16xi1>
    %row = kernel.tail_mask %c0, affine_map<() -> (9)>() : vector<16xi1>
    %rows = kernel.local : memref<2x9xf32> loc("rows")
    %tile = kernel.local : memref<9xvector<16xf32>> loc("tile")
    kernel.for %j = 0 to 9 {
      %0 = kernel.load %x[%j, 0] : memref<9x16xf32> -> vector<16xf32>
      kernel.store %0, %tile[%j] : vector<16xf32>, memref<9xvector<16xf32>>
    }
    kernel.store_transposed %tile[], %rows[0, 0] stride = 9 mask %column
      : memref<9xvector<16xf32>>, memref<2x9xf32>, vector<16xi1>
    kernel.for %i = 0 to 2 {
      %0 = kernel.load %rows[%i, 0] mask %row : memref<2x9xf32>, vector<16xi1> -> vector<16xf32>
      kernel.store %0, %y[%i, 0] mask %row : vector<16xf32>, memref<2x9xf32>, vector<16xi1>
    }
    kernel.return
  }
}
