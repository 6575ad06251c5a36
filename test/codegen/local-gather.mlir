// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers from local arrays: a run-time subscript of a scalar stands where it belongs,
// that of a vector is a distance from the first element.
// RUN: rm -rf %t && mkdir %t && fusec compile %s -o %t/local_gather
// RUN: FileCheck %s < %t/local_gather/local_gather_kernels.cpp
// RUN: g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -DFUSEC_ISA=baseline -I%t/local_gather -I%t/local_gather/runtime/include %t/local_gather/local_gather_kernels.cpp

// CHECK: rows[i][at_j] + row[at_j]
module @local_gather attributes {fuse.stage = "model-plan-memory"} {
  func.func @main(%at: memref<6xi64> {fuse.name = "at"}, %y: memref<4x6xf32> {fuse.name = "y"})
      attributes {fuse.outputs = 1 : i64} {
    kernel.launch @pick(%at, %y) : memref<6xi64>, memref<4x6xf32>
    return
  }

  kernel.func @pick(%at: memref<6xi64> loc("at"), %y: memref<4x6xf32> loc("y"))
      attributes {group = "pick", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64,
                  proposer = "isl", schedule = "none"} {
    %rows = kernel.local : memref<4x6xf32> loc("rows")
    %row = kernel.local : memref<6xf32> loc("row")
    kernel.for %j = 0 to 6 {
      %0 = kernel.load %at[%j] : memref<6xi64> -> i64
      %1 = arith.sitofp %0 : i64 to f32
      kernel.store %1, %row[%j] : f32, memref<6xf32>
      kernel.for %i = 0 to 4 {
        kernel.store %1, %rows[%i, %j] : f32, memref<4x6xf32>
      }
    }
    kernel.for %i = 0 to 4 {
      kernel.for %j = 0 to 6 {
        %0 = kernel.load %at[%j] : memref<6xi64> -> i64
        %1 = kernel.gather %rows, affine_map<(d0)[s0] -> (d0, s0)>(%i)[%0] : memref<4x6xf32>, i64 -> f32
        %2 = kernel.gather %row, affine_map<()[s0] -> (s0)>()[%0] : memref<6xf32>, i64 -> f32
        %3 = arith.addf %1, %2 : f32
        kernel.store %3, %y[%i, %j] : f32, memref<4x6xf32>
      }
    }
    kernel.return
  }
}
