// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array of the stack with rows of two elements: a transposed copy of an input, whose
// stores count these rows, is loaded as 16 lanes of which the mask leaves two.
module @narrow_local attributes {fuse.stage = "model-plan-memory"} {
  func.func @main(%x: memref<2x4xf32> {fuse.name = "x"}, %y: memref<4x2xf32> {fuse.name = "y"})
      attributes {fuse.outputs = 1 : i64} {
    kernel.launch @transpose(%x, %y) : memref<2x4xf32>, memref<4x2xf32>
    return
  }

  kernel.func @transpose(%x: memref<2x4xf32>, %y: memref<4x2xf32>)
      attributes {group = "transpose", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64,
                  proposer = "isl", schedule = "vector = 16"} {
    %c0 = kernel.apply affine_map<() -> (0)>()
    %column = kernel.tail_mask %c0, affine_map<() -> (4)>() : vector<16xi1>
    %row = kernel.tail_mask %c0, affine_map<() -> (2)>() : vector<16xi1>
    %rows = kernel.local : memref<4x2xf32>
    kernel.for %j = 0 to 2 {
      %0 = kernel.load %x[%j, 0] mask %column : memref<2x4xf32>, vector<16xi1> -> vector<16xf32>
      kernel.store %0, %rows[0, %j] stride = 2 mask %column : vector<16xf32>, memref<4x2xf32>, vector<16xi1>
    }
    kernel.for %i = 0 to 4 {
      %0 = kernel.load %rows[%i, 0] mask %row : memref<4x2xf32>, vector<16xi1> -> vector<16xf32>
      kernel.store %0, %y[%i, 0] mask %row : vector<16xf32>, memref<4x2xf32>, vector<16xi1>
    }
    kernel.return
  }
}
