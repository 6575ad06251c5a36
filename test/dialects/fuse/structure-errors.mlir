// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @large_constant() {
  // expected-error @below {{'fuse.constant' op has 65 elements; more than 64 are a fuse.weight}}
  %0 = fuse.constant dense<0.0> : tensor<65xf32>
  return
}

// -----

// expected-error @below {{'fuse.weight' op needs a dense_resource; element attributes are uniqued and never freed}}
fuse.weight @w = dense<0.0> : tensor<4xf32>

// -----

// expected-error @below {{'fuse.weight' op has unsupported type 'tensor<4xf80>'}}
fuse.weight @w = dense_resource<w> : tensor<4xf80>

// -----

func.func @no_weight() {
  // expected-error @below {{'fuse.get_weight' op names @nowhere, which is no fuse.weight}}
  %0 = fuse.get_weight @nowhere : tensor<4xf32>
  return
}

// -----

// expected-note @below {{but the weight is 'tensor<4xf32>'}}
fuse.weight @w = dense_resource<w> : tensor<4xf32>
func.func @weight_type() {
  // expected-error @below {{'fuse.get_weight' op has type 'tensor<5xf32>'}}
  %0 = fuse.get_weight @w : tensor<5xf32>
  return
}

// -----

func.func @group_arguments(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.group' op needs one body argument of the same type per operand}}
  %0 = fuse.group @g (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<5xf32>):
    %1 = fuse.constant dense<0.0> : tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @group_results(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.group' op needs a body that yields one value of the same type per result}}
  %0 = fuse.group @g (%x) : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%a: tensor<4xf32>):
    fuse.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @isolated(%x: tensor<4xf32>) {
  // expected-note @below {{required by region isolation constraints}}
  %0 = fuse.group @g () : () -> tensor<4xf32> {
    // expected-error @below {{'fuse.exp' op using value defined outside the region}}
    %1 = fuse.exp %x : tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  return
}
