// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --convert-fuse-to-sched --split-input-file --verify-diagnostics

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{is outside of a fusion group; run --fuse-aggregate before --convert-fuse-to-sched}}
  %0 = fuse.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.group @g (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error@+1 {{cannot be part of a fusion group: it is no primitive; run --fuse-expand-composites before --fuse-aggregate}}
    %1 = fuse.relu %a : tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{takes a 'i32'; a network takes and returns tensors}}
func.func @main(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = fuse.group @g (%x) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    // expected-error@+1 {{is neither a scalar nor a splat; it has to be an operand of the group}}
    %c = fuse.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = fuse.add %a, %c : tensor<2xf32>
    fuse.yield %1 : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<4x8xf32>, %n: tensor<2xi64>) -> tensor<2xf32> {
  %0 = fuse.group @g (%x, %n) : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<2xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<2xi64>):
    // expected-error@+1 {{is reduced and then read at a data-dependent index in one group; split the group between them}}
    %1 = fuse.reduce (%a) inits = [0.0 : f32] dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32> {
    ^bb0(%acc: f32, %e: f32):
      %t = arith.addf %acc, %e : f32
      fuse.yield %t : f32
    }
    %2 = fuse.gather %1, %b axis = 0 : tensor<4xf32>, tensor<2xi64> -> tensor<2xf32>
    fuse.yield %2 : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}
