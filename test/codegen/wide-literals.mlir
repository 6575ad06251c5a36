// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A literal of 64 bits that becomes a vector says its type: `broadcast(0)` has lanes
// of 32 bits, which no store of 64 bits takes.
// RUN: rm -rf %t && fusec compile %s -o %t --runtime=installed
// RUN: FileCheck %s < %t/wide_literals_kernels.cpp

// CHECK: store(&y(0), broadcast(int64_t(0)));
// CHECK: store(&z(0), broadcast(0));

module @wide_literals attributes {fuse.stage = "model-plan-memory"} {
  func.func @main(%y: memref<16xi64> {fuse.name = "y"}, %z: memref<16xi32> {fuse.name = "z"})
      attributes {fuse.outputs = 2 : i64} {
    kernel.launch @zeros(%y, %z) : memref<16xi64>, memref<16xi32>
    return
  }

  kernel.func @zeros(%y: memref<16xi64> loc("y"), %z: memref<16xi32> loc("z"))
      attributes {group = "zeros", variant = "default", num_inputs = 0 : i64,
                  num_outputs = 2 : i64, proposer = "isl", schedule = "none"} {
    %0 = arith.constant dense<0> : vector<16xi64>
    %1 = arith.constant dense<0> : vector<16xi32>
    kernel.store %0, %y[0] : vector<16xi64>, memref<16xi64>
    kernel.store %1, %z[0] : vector<16xi32>, memref<16xi32>
    kernel.return
  }
}
