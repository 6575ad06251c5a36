// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread of a GPU stores and others read is behind no restrict pointer, in front
// of whose loads no barrier would stand. Outputs that are only stored are.
// RUN: rm -rf %t && fusec compile %s -o %t/back
// RUN: FileCheck %s --input-file %t/back/back_kernels.cuh

// CHECK: back_rows_default(
// CHECK-NEXT: void *, const float *FUSEC_RESTRICT x_data, float *mean_data,
// CHECK-NEXT: float *FUSEC_RESTRICT y_data) {
module @back attributes {fuse.stage = "model-plan-memory", fuse.target = "cuda-sm80"} {
  func.func @main(%x: memref<32xf32> {fuse.name = "x"}, %mean: memref<1xf32> {fuse.name = "mean"},
                  %y: memref<32xf32> {fuse.name = "y"})
      attributes {fuse.outputs = 2 : i64} {
    kernel.launch @rows(%x, %mean, %y) : memref<32xf32>, memref<1xf32>, memref<32xf32>
    return
  }

  kernel.func @rows(%x: memref<32xf32> loc("x"), %mean: memref<1xf32> loc("mean"), %y: memref<32xf32> loc("y"))
      attributes {group = "rows", variant = "default", num_inputs = 1 : i64, num_outputs = 2 : i64,
                  threads = 32 : i64, schedule = "none"} {
    kernel.for %i = 0 to 1 map(thread) {
      %0 = kernel.load %x[%i] : memref<32xf32> -> f32
      kernel.store %0, %mean[%i] : f32, memref<1xf32>
    }
    kernel.barrier block
    kernel.for %i = 0 to 32 map(thread) {
      %0 = kernel.load %x[%i] : memref<32xf32> -> f32
      %1 = kernel.load %mean[0] : memref<1xf32> -> f32
      %2 = arith.subf %0, %1 : f32
      kernel.store %2, %y[%i] : f32, memref<32xf32>
    }
    kernel.return
  }
}
