// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-apply-choices --split-input-file --verify-diagnostics
// RUN: not fusec-opt %s --model-apply-choices=choices=max=direct 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not fusec-opt %s --model-apply-choices=choices=sum=fast 2>&1 | FileCheck %s --check-prefix=ALGORITHM
// RUN: not fusec-opt %s --model-apply-choices=choices=sum=direct,sum=fast 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not fusec-opt %s --model-apply-choices=choices=sum 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: echo "module {}" | not fusec-opt --model-apply-choices=numerics=exact 2>&1 | FileCheck %s --check-prefix=NUMERICS

// NUMERICS: error: --model-apply-choices has no numerics 'exact'; there are reproducible and fast
// NAME: 'max' names no choice; there are @sum
// ALGORITHM: no choice 'sum' has an algorithm 'fast'; take one of direct
// TWICE: choice 'sum' is forced to be 'direct' and 'fast'; keep one of them
// FORM: 'sum' forces no choice: expected name=algorithm
func.func @main(%x: memref<8xf32>, %y: memref<8xf32>) attributes {fuse.outputs = 1 : i64} {
  kernel.choice @sum ["direct"] {
    // expected-error @below {{in a choice runs @made, which is no sched.scop; run --model-apply-choices before kernels are made}}
    kernel.launch @made(%x, %y) : memref<8xf32>, memref<8xf32>
  }
  return
}
kernel.func @made(%x: memref<8xf32>, %y: memref<8xf32>) attributes {group = "made", num_inputs = 1 : i64, num_outputs = 1 : i64, variant = "default"} {
  kernel.return
}
