// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-expand-algorithms --split-input-file --verify-diagnostics
// RUN: echo "module {}" | not fusec-opt --fuse-expand-algorithms=numerics=exact 2>&1 | FileCheck %s
// CHECK: error: --fuse-expand-algorithms has no numerics 'exact'; there are reproducible and fast

func.func @composite(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{is a composite: run --fuse-expand-composites before looking for algorithms}}
  %0 = fuse.softmax %x {axis = 1 : i64} : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
