// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers are divided by functions that never trap, in every variant, and kernels
// are compiled so that signed overflow wraps.
// RUN: rm -rf %t && mkdir %t
// RUN: fusec compile %s -o %t/quotient
// RUN: FileCheck %s < %t/quotient/quotient_kernels.cpp
// RUN: FileCheck %s --check-prefix=NAIVE < %t/quotient/quotient_kernels_naive.h
// RUN: cmake -S %t/quotient -B %t/build -G Ninja -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
// RUN: grep -c "_kernels.cpp.o -c" %t/build/compile_commands.json > %t/kernels
// RUN: grep -c -- "-fwrapv .*_kernels.cpp.o -c" %t/build/compile_commands.json > %t/wrapping
// RUN: diff %t/kernels %t/wrapping

// CHECK: void div_0_default(
// CHECK: div(
// NAIVE: void div_0_naive(
// NAIVE: div(
module @quotient {
  func.func @main(%a: tensor<19xi32> {fuse.name = "a"}, %b: tensor<19xi32> {fuse.name = "b"}) -> (tensor<19xi32> {fuse.name = "quotient"}) {
    %quotient = fuse.div %a, %b : tensor<19xi32>
    return %quotient : tensor<19xi32>
  }
}
