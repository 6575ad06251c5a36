// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-simplify --verify-diagnostics

// expected-error @below {{'fuse.weight' op has no data: the resource that it names is missing from the file}}
fuse.weight @w = dense_resource<nowhere> : tensor<128xf32>
func.func @use() -> tensor<128xf32> {
  %0 = fuse.get_weight @w : tensor<128xf32>
  return %0 : tensor<128xf32>
}
