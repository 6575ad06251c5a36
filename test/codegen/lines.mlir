// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines break where what stands there binds weakest: after commas, before operators;
// and what goes on stands below its beginning.
// RUN: rm -rf %t && fusec compile %s -o %t --runtime=installed
// RUN: FileCheck %s --match-full-lines --strict-whitespace < %t/lines_kernels.cpp
// RUN: not grep -E '.{81}' %t/lines_kernels.cpp

//      CHECK:void sums_default(const fusec_kernel_ctx *,
// CHECK-NEXT:                  const float *FUSEC_RESTRICT input_picture_data,
// CHECK-NEXT:                  float *FUSEC_RESTRICT y_data) {
// CHECK-NEXT:  const View<const float, 9, 300, 300> input_picture{input_picture_data};
// CHECK-NEXT:  const View<float, 9, 300, 300> y{y_data};
// CHECK-NEXT:  for (int64_t row = 0; row < 100; ++row) {
// CHECK-NEXT:    for (int64_t column = 0; column < 100; ++column) {
// CHECK-NEXT:      for (int64_t tap = 0; tap < 3; ++tap) {
// CHECK-NEXT:        const bool inside =
// CHECK-NEXT:            row * 3 + tap >= 3 && row * 3 + tap < 293 && column * 2 + tap >= 3;
// CHECK-NEXT:        const float input_picture_value =
// CHECK-NEXT:            inside ? input_picture(tap * 2 + 1, row * 3 + tap - 3,
// CHECK-NEXT:                                   column * 2 + tap - 3)
// CHECK-NEXT:                   : 0.0f;
// CHECK-NEXT:        const float input_picture_value_2 =
// CHECK-NEXT:            input_picture(tap * 2 + 1, row * 2 + tap, column * 2 + tap);
// CHECK-NEXT:        y(tap, row, column) = fma(input_picture_value, input_picture_value_2,
// CHECK-NEXT:                                  input_picture_value_2);

module @lines attributes {fuse.stage = "model-plan-memory"} {
  func.func @main(%a: memref<9x300x300xf32> {fuse.name = "a"}, %y: memref<9x300x300xf32> {fuse.name = "y"})
      attributes {fuse.outputs = 1 : i64} {
    kernel.launch @sums(%a, %y) : memref<9x300x300xf32>, memref<9x300x300xf32>
    return
  }

  kernel.func @sums(%a: memref<9x300x300xf32> loc("input_picture"), %y: memref<9x300x300xf32> loc("y"))
      attributes {group = "sums", variant = "default",
                  num_inputs = 1 : i64, num_outputs = 1 : i64, proposer = "isl", schedule = "none"} {
    kernel.for %row = 0 to 100 {
      kernel.for %column = 0 to 100 {
        kernel.for %tap = 0 to 3 {
          %inside = kernel.in_bounds affine_set<(d0, d1, d2) : (d0 * 3 + d2 - 3 >= 0, d0 * -3 - d2 + 292 >= 0, d1 * 2 + d2 - 3 >= 0)>(%row, %column, %tap) : i1
          %0 = kernel.load %a[%tap * 2 + 1, %row * 3 + %tap - 3, %column * 2 + %tap - 3] mask %inside : memref<9x300x300xf32>, i1 -> f32
          %1 = kernel.load %a[%tap * 2 + 1, %row * 2 + %tap, %column * 2 + %tap] : memref<9x300x300xf32> -> f32
          %2 = math.fma %0, %1, %1 : f32
          kernel.store %2, %y[%tap, %row, %column] : f32, memref<9x300x300xf32>
          kernel.store %0, %y[%tap, %row, %column] : f32, memref<9x300x300xf32>
        }
      }
    }
    kernel.return
  }
}
