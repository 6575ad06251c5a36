// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subscripts are the tensor's own, and what is a distance between elements is named by
// the subscript that makes it. An index that was split only to be put together again
// stands for a place.
// RUN: rm -rf %t && mkdir %t && fusec compile %s -o %t/subscripts
// RUN: FileCheck %s < %t/subscripts/subscripts_kernels.cpp
// RUN: g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -DFUSEC_ISA=baseline -I%t/subscripts -I%t/subscripts/runtime/include %t/subscripts/subscripts_kernels.cpp
// RUN: clang++-22 -std=c++17 -Wall -Wextra -Werror -fsyntax-only -DFUSEC_ISA=baseline -I%t/subscripts -I%t/subscripts/runtime/include %t/subscripts/subscripts_kernels.cpp

// CHECK:      const View<const float, 6, 8> x{x_data};
// CHECK-NEXT: const View<const uint8_t, 6, 8> bytes{bytes_data};
// CHECK-NEXT: const View<const int32_t, 16> rows{rows_data};
// CHECK-NEXT: const View<const uint8_t, 3, 1073741824> far{far_data};
// CHECK-NEXT: const View<float, 6, 8> y{y_data};
// CHECK-NEXT: for (int64_t i = 0; i < 6; ++i) {
// CHECK-NEXT:   for (int64_t j = 0; j < 5; ++j)
// CHECK-NEXT:     y(i, j) = x(i, 4 - j);
// CHECK-NEXT: }
// One index over all of a tensor.
// CHECK-NEXT: for (int64_t i = 0; i < 48; ++i)
// CHECK-NEXT:   y[i] = x[i];
// Of a byte a function makes a number.
// CHECK-NEXT: y(0, 0) = to<float>(load(&bytes(5, 7)));
// A row for each lane, and every other row for the result.
// CHECK-NEXT: const i32x16 rows_value = load<i32x16>(&rows(0));
// CHECK-NEXT: store_strided(&y(0, 1), 2 * y.stride(0),
// CHECK-NEXT: gather<f32x16>(&x(0, 3), rows_value * int32_t(x.stride(0))));
// Distances in a tensor of more than 2^31 elements have 64 bits.
// CHECK-NEXT: store(&y(2, 0),
// CHECK-NEXT: to<f32x16>(gather<i32x16>(&far(0, 7),
// CHECK-NEXT: to<i64x16>(rows_value) * far.stride(0))));
// The index of an unrolled loop is a number where a template takes it.
// CHECK-NEXT: FUSEC_UNROLL for (Unrolled i = 0; i < 2; ++i)
// CHECK-NEXT:   y(i, 0) = to<float>(max(int64_t(i), int64_t(i + 1)));
module @subscripts attributes {fuse.stage = "model-plan-memory"} {
  func.func @main(%x: memref<6x8xf32> {fuse.name = "x"}, %bytes: memref<6x8xui8> {fuse.name = "bytes"},
                  %rows: memref<16xi32> {fuse.name = "rows"}, %far: memref<3x1073741824xui8> {fuse.name = "far"},
                  %y: memref<6x8xf32> {fuse.name = "y"})
      attributes {fuse.outputs = 1 : i64} {
    kernel.launch @pick(%x, %bytes, %rows, %far, %y) : memref<6x8xf32>, memref<6x8xui8>, memref<16xi32>, memref<3x1073741824xui8>, memref<6x8xf32>
    return
  }

  kernel.func @pick(%x: memref<6x8xf32> loc("x"), %bytes: memref<6x8xui8> loc("bytes"),
                    %rows: memref<16xi32> loc("rows"), %far: memref<3x1073741824xui8> loc("far"),
                    %y: memref<6x8xf32> loc("y"))
      attributes {group = "pick", variant = "default", num_inputs = 4 : i64, num_outputs = 1 : i64,
                  proposer = "isl", schedule = "none"} {
    kernel.for %i = 0 to 6 {
      kernel.for %j = 0 to 5 {
        %0 = kernel.load %x[%i, 4 - %j] : memref<6x8xf32> -> f32
        kernel.store %0, %y[%i, %j] : f32, memref<6x8xf32>
      }
    }
    kernel.for %i = 0 to 48 {
      %0 = kernel.load %x[%i floordiv 8, %i mod 8] : memref<6x8xf32> -> f32
      kernel.store %0, %y[%i floordiv 8, %i mod 8] : f32, memref<6x8xf32>
    }
    %1 = kernel.load %bytes[5, 7] : memref<6x8xui8> -> i32
    %2 = arith.sitofp %1 : i32 to f32
    kernel.store %2, %y[0, 0] : f32, memref<6x8xf32>
    %3 = kernel.load %rows[0] : memref<16xi32> -> vector<16xi32>
    %4 = kernel.gather %x, affine_map<()[s0] -> (s0, 3)>()[%3] : memref<6x8xf32>, vector<16xi32> -> vector<16xf32>
    kernel.store %4, %y[0, 1] {stride = 16 : i64} : vector<16xf32>, memref<6x8xf32>
    %9 = kernel.gather %far, affine_map<()[s0] -> (s0, 7)>()[%3] : memref<3x1073741824xui8>, vector<16xi32> -> vector<16xi32>
    %10 = arith.sitofp %9 : vector<16xi32> to vector<16xf32>
    kernel.store %10, %y[2, 0] : vector<16xf32>, memref<6x8xf32>
    kernel.for %i = 0 to 2 map(unroll) {
      %5 = kernel.apply affine_map<(d0) -> (d0 + 1)>(%i)
      %6 = arith.maxsi %i, %5 : index
      %7 = arith.index_cast %6 : index to i64
      %8 = arith.sitofp %7 : i64 to f32
      kernel.store %8, %y[%i, 0] : f32, memref<6x8xf32>
    }
    kernel.return
  }
}
