// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-aggregate --fuse-split | FileCheck %s

// Values that use their operand twice, one after another: the rules look at as
// much of such a chain as decides, not at each of its 2^40 paths. Repeated to more
// rows, the sums would be computed again in each of them.
// CHECK-LABEL: func.func @main
// CHECK:         fuse.group
// CHECK-COUNT-40: fuse.add
// CHECK:         fuse.group
// CHECK:           fuse.broadcast
// CHECK:           fuse.mul
func.func @main(%x: tensor<64xf32>, %y: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = fuse.add %x, %x : tensor<64xf32>
  %1 = fuse.add %0, %0 : tensor<64xf32>
  %2 = fuse.add %1, %1 : tensor<64xf32>
  %3 = fuse.add %2, %2 : tensor<64xf32>
  %4 = fuse.add %3, %3 : tensor<64xf32>
  %5 = fuse.add %4, %4 : tensor<64xf32>
  %6 = fuse.add %5, %5 : tensor<64xf32>
  %7 = fuse.add %6, %6 : tensor<64xf32>
  %8 = fuse.add %7, %7 : tensor<64xf32>
  %9 = fuse.add %8, %8 : tensor<64xf32>
  %10 = fuse.add %9, %9 : tensor<64xf32>
  %11 = fuse.add %10, %10 : tensor<64xf32>
  %12 = fuse.add %11, %11 : tensor<64xf32>
  %13 = fuse.add %12, %12 : tensor<64xf32>
  %14 = fuse.add %13, %13 : tensor<64xf32>
  %15 = fuse.add %14, %14 : tensor<64xf32>
  %16 = fuse.add %15, %15 : tensor<64xf32>
  %17 = fuse.add %16, %16 : tensor<64xf32>
  %18 = fuse.add %17, %17 : tensor<64xf32>
  %19 = fuse.add %18, %18 : tensor<64xf32>
  %20 = fuse.add %19, %19 : tensor<64xf32>
  %21 = fuse.add %20, %20 : tensor<64xf32>
  %22 = fuse.add %21, %21 : tensor<64xf32>
  %23 = fuse.add %22, %22 : tensor<64xf32>
  %24 = fuse.add %23, %23 : tensor<64xf32>
  %25 = fuse.add %24, %24 : tensor<64xf32>
  %26 = fuse.add %25, %25 : tensor<64xf32>
  %27 = fuse.add %26, %26 : tensor<64xf32>
  %28 = fuse.add %27, %27 : tensor<64xf32>
  %29 = fuse.add %28, %28 : tensor<64xf32>
  %30 = fuse.add %29, %29 : tensor<64xf32>
  %31 = fuse.add %30, %30 : tensor<64xf32>
  %32 = fuse.add %31, %31 : tensor<64xf32>
  %33 = fuse.add %32, %32 : tensor<64xf32>
  %34 = fuse.add %33, %33 : tensor<64xf32>
  %35 = fuse.add %34, %34 : tensor<64xf32>
  %36 = fuse.add %35, %35 : tensor<64xf32>
  %37 = fuse.add %36, %36 : tensor<64xf32>
  %38 = fuse.add %37, %37 : tensor<64xf32>
  %39 = fuse.add %38, %38 : tensor<64xf32>
  %rows = fuse.broadcast %39 dims = [1] : tensor<64xf32> -> tensor<512x64xf32>
  %z = fuse.mul %rows, %y : tensor<512x64xf32>
  return %z : tensor<512x64xf32>
}
