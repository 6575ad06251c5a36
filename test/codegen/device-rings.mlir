// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that go round arrays of a thread are unrolled by what all of these have
// come round after, so that they are registers; others are left to the compiler, but
// long ones, which ptxas would unroll once more.
// RUN: rm -rf %t && fusec compile %s -o %t/rings
// RUN: FileCheck %s --input-file %t/rings/rings_kernels.cuh

// CHECK: rings_taps_default(
// CHECK: float four[4];
// CHECK-NEXT: float six[6];
// CHECK-NEXT: FUSEC_UNROLL_BY(12) for (int64_t j = 0; j < 40; ++j) {
// CHECK-NEXT: four[j % 4] = x(j, i);
// CHECK-NEXT: six[(j + 1) % 6] = x(j, i);
// CHECK: {{^ *}}for (int64_t k = 0; k < 64; ++k)
// CHECK: {{^ *}}FUSEC_UNROLL_BY(16) for (int64_t l = 0; l < 80; ++l)
module @rings attributes {fuse.stage = "model-plan-memory", fuse.target = "cuda-sm80"} {
  func.func @main(%x: memref<40x32xf32> {fuse.name = "x"}, %y: memref<80x32xf32> {fuse.name = "y"})
      attributes {fuse.outputs = 1 : i64} {
    kernel.launch @taps(%x, %y) : memref<40x32xf32>, memref<80x32xf32>
    return
  }

  kernel.func @taps(%x: memref<40x32xf32> loc("x"), %y: memref<80x32xf32> loc("y"))
      attributes {group = "taps", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64,
                  threads = 32 : i64, schedule = "none"} {
    kernel.for %i = 0 to 32 map(thread) {
      %four = kernel.local : memref<4xf32, #kernel.space<thread>> loc("four")
      %six = kernel.local : memref<6xf32, #kernel.space<thread>> loc("six")
      kernel.for %j = 0 to 40 {
        %0 = kernel.load %x[%j, %i] : memref<40x32xf32> -> f32
        kernel.store %0, %four[%j mod 4] : f32, memref<4xf32, #kernel.space<thread>>
        %1 = kernel.load %x[%j, %i] : memref<40x32xf32> -> f32
        kernel.store %1, %six[%j - ((%j + 1) floordiv 6) * 6 + 1] : f32, memref<6xf32, #kernel.space<thread>>
        %2 = kernel.load %four[%j - ((%j + 2) floordiv 4) * 4 + 2] : memref<4xf32, #kernel.space<thread>> -> f32
        %3 = kernel.load %six[%j mod 6] : memref<6xf32, #kernel.space<thread>> -> f32
        %4 = arith.addf %2, %3 : f32
        kernel.store %4, %y[%j, %i] : f32, memref<80x32xf32>
      }
      kernel.for %k = 0 to 64 {
        %5 = kernel.load %four[%i mod 4] : memref<4xf32, #kernel.space<thread>> -> f32
        kernel.store %5, %y[%k, %i] : f32, memref<80x32xf32>
      }
      kernel.for %l = 0 to 80 {
        %6 = kernel.load %six[%i mod 6] : memref<6xf32, #kernel.space<thread>> -> f32
        kernel.store %6, %y[%l, %i] : f32, memref<80x32xf32>
      }
    }
    kernel.return
  }
}
