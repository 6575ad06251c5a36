// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --verify-diagnostics
// RUN: echo "module {}" | not fusec-opt --fuse-mark-precise=precision=exact 2>&1 | FileCheck %s
// CHECK: error: --fuse-mark-precise has no precision 'exact'; there are auto, strict and relaxed

func.func @value(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'fuse.exp' op has fuse.precise = true, which has no value}}
  %0 = fuse.exp %x {fuse.precise = true} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
