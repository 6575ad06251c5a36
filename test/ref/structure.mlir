// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// RUN: fusec-ref %s --trace | FileCheck --match-full-lines --check-prefix=TRACE %s
// RUN: fusec-ref %s --function square --input input0=%S/Inputs/two.npy \
// RUN:   | FileCheck --match-full-lines --check-prefix=SQUARE %s
// Weights, groups, calls, names of inputs and outputs; an observer sees the
// operations inside of groups and called functions.

fuse.weight @w = dense_resource<w> : tensor<2xf32>

func.func private @square(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = fuse.mul %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK: sum: f32[2] = [10, 36]
// CHECK-NEXT: output1: f32[2] = [3, 5]
// TRACE: fuse.add: f32[2] = [3, 5]
// TRACE-NEXT: fuse.mul: f32[2] = [9, 25]
// TRACE-NEXT: fuse.add: f32[2] = [10, 27]
// TRACE-NEXT: fuse.maximum: f32[2] = [10, 36]
// TRACE-NEXT: sum: f32[2] = [10, 36]
// SQUARE: output0: f32[2] = [4, 0.25]
func.func @main() -> (tensor<2xf32> {fuse.name = "sum"}, tensor<2xf32>) {
  %w = fuse.get_weight @w : tensor<2xf32>
  %two = fuse.constant dense<2.0> : tensor<2xf32>
  %high = fuse.constant dense<[0.0, 36.0]> : tensor<2xf32>
  %g:2 = fuse.group @first (%w, %two) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    %0 = fuse.add %a, %b : tensor<2xf32>
    fuse.yield %a, %0 : tensor<2xf32>, tensor<2xf32>
  }
  %s = call @square(%g#1) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = fuse.group @second (%s, %high, %g#0) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>):
    %one = fuse.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %0 = fuse.add %a, %one : tensor<2xf32>
    %2 = fuse.maximum %0, %b : tensor<2xf32>
    fuse.yield %2 : tensor<2xf32>
  }
  return %1, %g#1 : tensor<2xf32>, tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F00004040"
    }
  }
#-}
