// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that is filled: by bytes where they are equal, else by elements.
// RUN: rm -rf %t && fusec compile %s -o %t --runtime=installed
// RUN: FileCheck %s --input-file %t/fill.cpp
// RUN: fusec verify %s

// CHECK:      #include <algorithm>
// CHECK-NEXT: #include <cstring>
// CHECK-NEXT: #include <limits>
// CHECK-DAG:  std::memset(zero_0, 0, 204);
// CHECK-DAG:  std::fill_n(f32, 51, 2.5f);
// CHECK-DAG:  std::fill_n(f64, 51, 0.125);
// CHECK-DAG:  std::fill_n(f16_0, 51, f16{15872});
// CHECK-DAG:  std::fill_n(infinite, 51, -std::numeric_limits<float>::infinity());
// CHECK-DAG:  std::fill_n(i64, 51, -3);
// CHECK-DAG:  std::memset(minus, 255, 408);
// CHECK-DAG:  std::fill_n(ui32, 51, 4000000000u);
// CHECK-DAG:  std::memset(ui8, 200, 51);
// CHECK-DAG:  std::memset(i1, 1, 51);
module @fill {
  func.func @main(%x: tensor<3xf32> {fuse.name = "x"})
      -> (tensor<3xf32> {fuse.name = "y"}, tensor<3x17xf32> {fuse.name = "zero"}, tensor<3x17xf32> {fuse.name = "f32"},
          tensor<3x17xf64> {fuse.name = "f64"}, tensor<3x17xf16> {fuse.name = "f16"}, tensor<3x17xf32> {fuse.name = "infinite"},
          tensor<3x17xi64> {fuse.name = "i64"}, tensor<3x17xi64> {fuse.name = "minus"}, tensor<3x17xui32> {fuse.name = "ui32"},
          tensor<3x17xui8> {fuse.name = "ui8"}, tensor<3x17xi1> {fuse.name = "i1"}) {
    %y = fuse.exp %x : tensor<3xf32>
    %0 = fuse.constant dense<0.0> : tensor<3x17xf32>
    %1 = fuse.constant dense<2.5> : tensor<3x17xf32>
    %2 = fuse.constant dense<0.125> : tensor<3x17xf64>
    %3 = fuse.constant dense<1.5> : tensor<3x17xf16>
    %4 = fuse.constant dense<0xFF800000> : tensor<3x17xf32>
    %5 = fuse.constant dense<-3> : tensor<3x17xi64>
    %6 = fuse.constant dense<-1> : tensor<3x17xi64>
    %7 = fuse.constant dense<4000000000> : tensor<3x17xui32>
    %8 = fuse.constant dense<200> : tensor<3x17xui8>
    %9 = fuse.constant dense<true> : tensor<3x17xi1>
    return %y, %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<3xf32>, tensor<3x17xf32>, tensor<3x17xf32>, tensor<3x17xf64>,
        tensor<3x17xf16>, tensor<3x17xf32>, tensor<3x17xi64>, tensor<3x17xi64>, tensor<3x17xui32>, tensor<3x17xui8>, tensor<3x17xi1>
  }
}
