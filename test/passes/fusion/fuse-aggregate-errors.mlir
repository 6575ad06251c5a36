// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-aggregate --split-input-file --verify-diagnostics

func.func @composite(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'fuse.relu' op is a composite: run --fuse-expand-composites before forming groups}}
  %0 = fuse.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
