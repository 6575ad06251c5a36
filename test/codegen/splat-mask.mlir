// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A condition that is one for all lanes is a mask where it has a name: no scalar
// converts to masks.
// RUN: rm -rf %t && mkdir %t && fusec compile %s -o %t/mask
// RUN: FileCheck %s < %t/mask/mask_kernels.cpp
// RUN: g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -DFUSEC_ISA=baseline -I%t/mask -I%t/mask/runtime/include %t/mask/mask_kernels.cpp
// RUN: clang++-22 -std=c++17 -Wall -Wextra -Werror -fsyntax-only -DFUSEC_ISA=baseline -I%t/mask -I%t/mask/runtime/include %t/mask/mask_kernels.cpp

// CHECK: const mask16 [[MASK:[a-z_]+]] = broadcast({{.*}} < 0);
// CHECK: select([[MASK]],
// CHECK: select([[MASK]],
// CHECK: [[KEPT:[a-z_0-9]+]] = broadcast(true);
// CHECK: select([[KEPT]],
module @mask attributes {fuse.stage = "model-plan-memory"} {
  func.func @main(%k: memref<1xi32> {fuse.name = "k"}, %x: memref<32xf32> {fuse.name = "x"}, %y: memref<48xf32> {fuse.name = "y"})
      attributes {fuse.outputs = 1 : i64} {
    kernel.launch @pick(%k, %x, %y) : memref<1xi32>, memref<32xf32>, memref<48xf32>
    return
  }

  kernel.func @pick(%k: memref<1xi32> loc("k"), %x: memref<32xf32> loc("x"), %y: memref<48xf32> loc("y"))
      attributes {group = "pick", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64,
                  proposer = "isl", schedule = "none"} {
    %0 = kernel.load %k[0] : memref<1xi32> -> i32
    %1 = kernel.broadcast %0 : i32 -> vector<16xi32>
    %zeros = arith.constant dense<0> : vector<16xi32>
    %holds = arith.cmpi slt, %1, %zeros : vector<16xi32>
    %2 = kernel.load %x[0] : memref<32xf32> -> vector<16xf32>
    %3 = kernel.load %x[16] : memref<32xf32> -> vector<16xf32>
    %4 = arith.select %holds, %2, %3 : vector<16xi1>, vector<16xf32>
    kernel.store %4, %y[0] : vector<16xf32>, memref<48xf32>
    %5 = arith.select %holds, %3, %2 : vector<16xi1>, vector<16xf32>
    kernel.store %5, %y[16] : vector<16xf32>, memref<48xf32>
    %kept = kernel.local : memref<vector<16xi1>>
    %all = arith.constant dense<true> : vector<16xi1>
    kernel.store %all, %kept[] : vector<16xi1>, memref<vector<16xi1>>
    %6 = kernel.load %kept[] : memref<vector<16xi1>> -> vector<16xi1>
    %7 = arith.select %6, %3, %2 : vector<16xi1>, vector<16xf32>
    kernel.store %7, %y[32] : vector<16xf32>, memref<48xf32>
    kernel.return
  }
}
