// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extents that no tile divides.
module @product {
  func.func @main(%a: tensor<3x100x72xf32>, %b: tensor<72x200xf32>, %c: tensor<200xf32>) -> tensor<3x100x200xf32> {
    %0 = fuse.matmul %a, %b : tensor<3x100x72xf32>, tensor<72x200xf32> -> tensor<3x100x200xf32>
    %1 = fuse.broadcast %c dims = [2] : tensor<200xf32> -> tensor<3x100x200xf32>
    %2 = fuse.add %0, %1 : tensor<3x100x200xf32>
    %3 = fuse.relu %2 : tensor<3x100x200xf32>
    return %3 : tensor<3x100x200xf32>
  }
}
