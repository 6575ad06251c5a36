// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --fuse-expand-algorithms --split-input-file --verify-diagnostics
// RUN: echo "module {}" | not fusec-opt --fuse-expand-algorithms=numerics=exact 2>&1 | FileCheck %s
// CHECK: error: --fuse-expand-algorithms has no numerics 'exact'; there are reproducible and fast

func.func @composite(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{is a composite: run --fuse-expand-composites before looking for algorithms}}
  %0 = fuse.softmax %x {axis = 1 : i64} : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

fuse.op @custom.Sum version 1 inputs ["x"] outputs ["y"] parameters {} of "sums" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @varying(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'fuse.call' op of @custom.Sum has no algorithm that is reproducible; --numerics=fast takes others}}
  %0 = fuse.call @custom.Sum(%x) {op.algorithms = [{name = "atomic", reproducible = false}]}
      : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
