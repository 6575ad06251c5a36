// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that are long: parameters go below, intermediate values are named after
// whole words, and no line has more than 80 columns.
// RUN: rm -rf %t && fusec compile %s -o %t --runtime=installed
// RUN: FileCheck %s < %t/wrapping_kernels.cpp
// RUN: not grep -E '.{81}' %t/wrapping_kernels.cpp

// CHECK: void encoder_attention_batchnormalization_relu_default(
// CHECK-NEXT: {{^}}    const fusec_kernel_ctx *{{.*}},
// CHECK: const float output_projection_value = output_projection(row_number);

module @wrapping attributes {fuse.stage = "model-plan-memory"} {
  func.func @main(%a: memref<6xf32> {fuse.name = "a"}, %b: memref<6xf32> {fuse.name = "b"},
                  %y: memref<6x6xf32> {fuse.name = "y"})
      attributes {fuse.outputs = 1 : i64} {
    kernel.launch @encoder_attention_batchnormalization_relu(%a, %b, %y) : memref<6xf32>, memref<6xf32>, memref<6x6xf32>
    return
  }

  kernel.func @encoder_attention_batchnormalization_relu(
      %attention_output_projection: memref<6xf32> loc("attention_output_projection"),
      %attention_residual_values: memref<6xf32> loc("attention_residual_values"),
      %y: memref<6x6xf32> loc("y"))
      attributes {group = "encoder_attention_batchnormalization_relu", variant = "default",
                  num_inputs = 2 : i64, num_outputs = 1 : i64, proposer = "isl", schedule = "none"} {
    kernel.for %row_number = 0 to 6 {
      %0 = kernel.load %attention_output_projection[%row_number] : memref<6xf32> -> f32
      kernel.for %j = 0 to 6 {
        %1 = kernel.load %attention_residual_values[%j] : memref<6xf32> -> f32
        %2 = arith.addf %0, %1 : f32
        kernel.store %2, %y[%row_number, %j] : f32, memref<6x6xf32>
      }
    }
    kernel.return
  }
}
