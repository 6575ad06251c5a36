// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @count(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'fuse.choice' op names 2 algorithms, it has 1 alternatives}}
  %0 = fuse.choice @same ["a", "b"] : tensor<4xf32> {
    fuse.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'fuse.choice' op has two alternatives "a"}}
  %0 = fuse.choice @same ["a", "a"] : tensor<4xf32> {
    fuse.yield %x : tensor<4xf32>
  }, {
    fuse.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @none() -> tensor<4xf32> {
  // expected-error @below {{'fuse.choice' op has no alternative}}
  %0 = fuse.choice @same [] : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @types(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  // expected-error @below {{'fuse.choice' op needs alternative "b" to yield one value of the same type per result}}
  %0 = fuse.choice @same ["a", "b"] : tensor<4xf32> {
    fuse.yield %x : tensor<4xf32>
  }, {
    fuse.yield %c : tensor<i1>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @words(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{has algorithms = ["a\0A"], which is no identifier; it needs letters, digits and underscores, and no digit first}}
  %0 = fuse.choice @same ["a\0A"] : tensor<4xf32> {
    fuse.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
