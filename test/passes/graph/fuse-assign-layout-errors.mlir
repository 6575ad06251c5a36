// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-assign-layout --verify-diagnostics

fuse.weight @w = dense_resource<lost> : tensor<33x2xf32>

func.func @main(%x: tensor<3x2xf32>) -> tensor<3x33xf32> {
  %w = fuse.get_weight @w : tensor<33x2xf32>
  // expected-error @below {{reads weight @w, whose data is missing; keep the resource section of the text}}
  %0 = fuse.contract %x, %w maps = [affine_map<(m, n, k) -> (m, k)>,
    affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    : tensor<3x2xf32>, tensor<33x2xf32> -> tensor<3x33xf32>
  return %0 : tensor<3x33xf32>
}
