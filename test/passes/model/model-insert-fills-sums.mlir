// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What blocks of a GPU add their sums to: one fill before each launch, whichever
// variants there are, also in a loop.
// RUN: fusec-opt %s --model-insert-fills=sums | FileCheck %s

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @sum(%x: memref<300xf32>, %y: memref<1xf64> {kernel.zeroed}, %z: memref<1xf64>)
      attributes {group = "sum", variant = "default", num_inputs = 1 : i64, num_outputs = 2 : i64, threads = 64 : i64} {
    kernel.return
  }
  kernel.func @sum_rows(%x: memref<300xf32>, %y: memref<1xf64>, %z: memref<1xf64>)
      attributes {group = "sum", variant = "rows", num_inputs = 1 : i64, num_outputs = 2 : i64, threads = 64 : i64} {
    kernel.return
  }
  kernel.func @sum_naive(%x: memref<300xf32>, %y: memref<1xf64> {kernel.zeroed}, %z: memref<1xf64>)
      attributes {group = "sum", variant = "naive", num_inputs = 1 : i64, num_outputs = 2 : i64, threads = 64 : i64} {
    kernel.return
  }
  kernel.func @plain(%x: memref<300xf32>, %y: memref<300xf32>)
      attributes {group = "plain", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    kernel.return
  }

  // CHECK-LABEL: func.func @main
  // CHECK-SAME:    (%[[X:.*]]: memref<300xf32>, %[[Y:.*]]: memref<1xf64>, %[[Z:.*]]: memref<1xf64>)
  // CHECK-NEXT:    %[[B:.*]] = kernel.buffer : memref<300xf32>
  // CHECK-NEXT:    kernel.launch @plain
  // CHECK-NEXT:    kernel.fill %[[Y]] with 0.000000e+00 : f64
  // CHECK-NEXT:    kernel.launch @sum(%[[B]], %[[Y]], %[[Z]])
  // CHECK-NEXT:    kernel.fill %[[Z]] with 0.000000e+00 : f64
  // CHECK-NEXT:    kernel.launch @sum(%[[X]], %[[Z]], %[[Y]])
  // CHECK-NEXT:    return
  func.func @main(%x: memref<300xf32>, %y: memref<1xf64>, %z: memref<1xf64>) attributes {fuse.outputs = 2 : i64} {
    %b = kernel.buffer : memref<300xf32>
    kernel.launch @plain(%x, %b) : memref<300xf32>, memref<300xf32>
    kernel.launch @sum(%b, %y, %z) : memref<300xf32>, memref<1xf64>, memref<1xf64>
    kernel.launch @sum(%x, %z, %y) : memref<300xf32>, memref<1xf64>, memref<1xf64>
    return
  }
}
