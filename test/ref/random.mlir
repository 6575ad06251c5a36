// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs without a file are random: the same for the same seed on every machine
// (the first values are SplitMix64's, worked out in Python), others for another.
// RUN: fusec-ref %s --seed 7 --print-limit 2 | FileCheck --match-full-lines %s
// RUN: fusec-ref %s --seed 7 --output all=%t.one.npy
// RUN: fusec-ref %s --seed 7 --output all=%t.two.npy
// RUN: cmp %t.one.npy %t.two.npy
// RUN: fusec-ref %s --seed 8 --output all=%t.three.npy
// RUN: not cmp %t.one.npy %t.three.npy
// A written output is an input again, in every format.
// RUN: fusec-ref %s --input f=%t.one.npy --output all=%t.four.pb
// RUN: fusec-ref %s --input f=%t.four.pb --output all=%t.five.raw
// RUN: fusec-ref %s --input f=%t.five.raw --output all=%t.six.npy
// RUN: cmp %t.one.npy %t.six.npy

// CHECK: all: f32[1000] = [0.443016291, 0.299408555, ...]
// CHECK-NEXT: output1: f32[1] = [1]
// CHECK-NEXT: output2: i32[3] = [3, 4, ...]
// CHECK-NEXT: output3: bool[3] = [false, false, ...]
func.func @main(%f: tensor<1000xf32> {fuse.name = "f"}, %i: tensor<3xi32>, %b: tensor<3xi1>)
    -> (tensor<1000xf32> {fuse.name = "all"}, tensor<1xf32>, tensor<3xi32>, tensor<3xi1>) {
  // All lie in [-1, 1), so the largest rounds up to 1 and never beyond.
  %a = fuse.abs %f : tensor<1000xf32>
  %max = fuse.reduction max %a dims = [0] : tensor<1000xf32> -> tensor<1xf32>
  %up = fuse.ceil %max : tensor<1xf32>
  return %f, %up, %i, %b : tensor<1000xf32>, tensor<1xf32>, tensor<3xi32>, tensor<3xi1>
}
