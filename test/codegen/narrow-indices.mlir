// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices of 32 bits (`narrow_indices`), and what is computed with them.
// RUN: rm -rf %t && fusec compile %s -o %t/narrow
// RUN: FileCheck %s --input-file %t/narrow/narrow_kernels.cuh

// CHECK: narrow_turn_default(
// CHECK: const View32<const int64_t, 96> rows{rows_data};
// CHECK: const View32<const int32_t, 96> columns{columns_data};
// CHECK: const View32<const float, 96, 100> x{x_data};
// CHECK: const int32_t b = block();
// CHECK: FUSEC_UNROLL for (Unrolled32 v = 0; v < 2; ++v) {
// CHECK-NEXT: const int64_t rows_bt = rows(b * 32 + t);
// CHECK-NEXT: const float sum_of =
// CHECK-NEXT: x(rows_bt, (t * 2 + v) % 5) + x(0, columns(b * 32 + t) + v);
// CHECK-NEXT: y(b * 32 + t, v) = sum_of + x(b + int32_t(rows_bt), mod(t - 7, 5));
// What the model computes keeps its type.
// CHECK-NEXT: n(b * 32 + t, v) = to<int64_t>(int32_t(v));
// CHECK: for (int32_t iteration = thread(); iteration < 96; iteration += 32) {
// CHECK-NEXT: const int32_t i = iteration / 3;
// CHECK: for (int32_t j = b * 64 + thread(); j < min(b * 64 + 64, 90); j += 32)

// And as they are without it.
// CHECK: narrow_plain_default(
// CHECK: const View<float, 96> z{z_data};
// CHECK: for (int64_t iteration = thread(); iteration < 96; iteration += 32) {
// CHECK-NEXT: const int64_t i = iteration / 3;
module @narrow attributes {fuse.stage = "model-plan-memory", fuse.target = "cuda-sm80"} {
  func.func @main(%rows: memref<96xi64> {fuse.name = "rows"}, %columns: memref<96xi32> {fuse.name = "columns"},
                  %x: memref<96x100xf32> {fuse.name = "x"}, %y: memref<96x2xf32> {fuse.name = "y"},
                  %n: memref<96x2xi64> {fuse.name = "n"}, %z: memref<96xf32> {fuse.name = "z"})
      attributes {fuse.outputs = 3 : i64} {
    kernel.launch @turn(%rows, %columns, %x, %y, %n) : memref<96xi64>, memref<96xi32>, memref<96x100xf32>, memref<96x2xf32>, memref<96x2xi64>
    kernel.launch @plain(%z) : memref<96xf32>
    return
  }

  kernel.func @turn(%rows: memref<96xi64> loc("rows"), %columns: memref<96xi32> loc("columns"), %x: memref<96x100xf32> loc("x"),
                    %y: memref<96x2xf32> loc("y"), %n: memref<96x2xi64> loc("n"))
      attributes {group = "turn", variant = "default", num_inputs = 3 : i64, num_outputs = 2 : i64,
                  narrow_indices, threads = 32 : i64, schedule = "none"} {
    kernel.for %b = 0 to 3 map(block) {
      kernel.for %t = 0 to 32 map(thread) {
        kernel.for %v = 0 to 2 map(unroll) {
          %row = kernel.load %rows[%b * 32 + %t] : memref<96xi64> -> i64
          %column = kernel.load %columns[%b * 32 + %t] : memref<96xi32> -> i32
          %at = kernel.apply affine_map<(d0, d1) -> (d0 * 2 + d1)>(%t, %v)
          %0 = kernel.gather %x, affine_map<(d0)[s0] -> (s0, (d0 mod 5))>(%at)[%row] : memref<96x100xf32>, i64 -> f32
          %1 = kernel.gather %x, affine_map<(d0)[s0] -> (0, s0 + d0)>(%v)[%column] : memref<96x100xf32>, i32 -> f32
          %2 = kernel.gather %x, affine_map<(d0, d1)[s0] -> (s0 + d0, (d1 - 7) mod 5)>(%b, %t)[%row] : memref<96x100xf32>, i64 -> f32
          %3 = arith.addf %0, %1 : f32
          %4 = arith.addf %3, %2 : f32
          kernel.store %4, %y[%b * 32 + %t, %v] : f32, memref<96x2xf32>
          %5 = arith.index_cast %v : index to i64
          kernel.store %5, %n[%b * 32 + %t, %v] : i64, memref<96x2xi64>
        }
      }
      kernel.for %i = 0 to 32 map(thread) {
        kernel.for %j = 0 to 3 map(thread) {
          %row = kernel.load %rows[%i * 3 + %j] : memref<96xi64> -> i64
          kernel.store %row, %n[%i * 3 + %j, 0] : i64, memref<96x2xi64>
        }
      }
      kernel.for %j = affine_map<(d0) -> (d0 * 64)>(%b) to min affine_map<(d0) -> (d0 * 64 + 64, 90)>(%b) map(thread) {
        %row = kernel.load %rows[%j] : memref<96xi64> -> i64
        kernel.store %row, %n[%j, 1] : i64, memref<96x2xi64>
      }
    }
    kernel.return
  }

  kernel.func @plain(%z: memref<96xf32> loc("z"))
      attributes {group = "plain", variant = "default", num_inputs = 0 : i64, num_outputs = 1 : i64,
                  threads = 32 : i64, schedule = "none"} {
    %one = arith.constant 1.0 : f32
    kernel.for %i = 0 to 32 map(thread) {
      kernel.for %j = 0 to 3 map(thread) {
        kernel.store %one, %z[%i * 3 + %j] : f32, memref<96xf32>
      }
    }
    kernel.return
  }
}
