// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Alternatives compute the same; the first one is evaluated, values from outside
// included.

// CHECK: y: f32[2] = [2, 4]
func.func @main() -> (tensor<2xf32> {fuse.name = "y"}) {
  %x = fuse.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %two = fuse.constant dense<2.0> : tensor<2xf32>
  %y = fuse.choice @twice ["add", "mul"] : tensor<2xf32> {
    %0 = fuse.add %x, %x : tensor<2xf32>
    fuse.yield %0 : tensor<2xf32>
  }, {
    %0 = fuse.mul %x, %two : tensor<2xf32>
    fuse.yield %0 : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}
