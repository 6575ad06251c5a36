// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Gathers by maps: one element at a time, by two index tensors, by places of one
// tensor, with an offset, of nothing.
func.func @main() -> (tensor<2x2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x0xf32>) {
  %a = fuse.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %i = fuse.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi64>
  %r = fuse.constant dense<[0, 1, 1]> : tensor<3xi32>
  %c = fuse.constant dense<[2, 0, 1]> : tensor<3xi32>
  %p = fuse.constant dense<[[1, 2], [0, 1]]> : tensor<2x2xi64>
  %n = fuse.constant dense<[1, 0]> : tensor<2xi64>
  %e = fuse.constant dense<[]> : tensor<0xi64>

  // CHECK: output0: f32[2x2] = [3, 1, 5, 5]
  %0 = fuse.gather %a, %i maps = [affine_map<(d0, d1)[s0] -> (d0, s0)>, affine_map<(d0, d1) -> (d0, d1)>]
    : tensor<2x3xf32>, tensor<2x2xi64> -> tensor<2x2xf32>
  // CHECK-NEXT: output1: f32[3] = [3, 4, 5]
  %1 = fuse.gather %a, %r, %c maps = [affine_map<(d0)[s0, s1] -> (s0, s1)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
    : tensor<2x3xf32>, tensor<3xi32>, tensor<3xi32> -> tensor<3xf32>
  // CHECK-NEXT: output2: f32[2] = [6, 2]
  %2 = fuse.gather %a, %p, %p maps = [affine_map<(d0)[s0, s1] -> (s0, s1)>, affine_map<(d0) -> (d0, 0)>, affine_map<(d0) -> (d0, 1)>]
    : tensor<2x3xf32>, tensor<2x2xi64>, tensor<2x2xi64> -> tensor<2xf32>
  // CHECK-NEXT: output3: f32[2x2] = [2, 3, 4, 5]
  %3 = fuse.gather %a, %n maps = [affine_map<(d0, d1)[s0] -> (d0, s0 + d1)>, affine_map<(d0, d1) -> (d0)>]
    : tensor<2x3xf32>, tensor<2xi64> -> tensor<2x2xf32>
  // CHECK-NEXT: output4: f32[2x0] = []
  %4 = fuse.gather %a, %e maps = [affine_map<(d0, d1)[s0] -> (d0, s0)>, affine_map<(d0, d1) -> (d1)>]
    : tensor<2x3xf32>, tensor<0xi64> -> tensor<2x0xf32>
  return %0, %1, %2, %3, %4 : tensor<2x2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x0xf32>
}
