// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @rank(%q: tensor<4x5x8xf32>) {
  // expected-error @below {{'fuse.attention' op needs query, key and value of rank 4}}
  %0 = fuse.attention %q, %q, %q {scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<4x5x8xf32>, tensor<4x5x8xf32>, tensor<4x5x8xf32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @keys(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x6x7xf32>) {
  // expected-error @below {{'fuse.attention' op has keys of shape [1, 4, 6, 7] for queries of shape [1, 4, 5, 8]}}
  %0 = fuse.attention %q, %k, %k {scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x4x5x8xf32>, tensor<1x4x6x7xf32>, tensor<1x4x6x7xf32>) -> tensor<1x4x5x7xf32>
  return
}

// -----

func.func @values(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x6x8xf32>) {
  // expected-error @below {{'fuse.attention' op has values of shape [1, 4, 5, 8] for keys of shape [1, 4, 6, 8]}}
  %0 = fuse.attention %q, %k, %q {scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x4x5x8xf32>, tensor<1x4x6x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @heads(%q: tensor<1x4x5x8xf32>, %k: tensor<1x3x6x8xf32>) {
  // expected-error @below {{'fuse.attention' op cannot share 3 heads of keys among 4 heads of queries}}
  %0 = fuse.attention %q, %k, %k {scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x4x5x8xf32>, tensor<1x3x6x8xf32>, tensor<1x3x6x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @shape(%q: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'fuse.attention' op has result shape [1, 4, 5, 9] but computes [1, 4, 5, 8]}}
  %0 = fuse.attention %q, %q, %q {scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x9xf32>
  return
}

// -----

func.func @mask(%q: tensor<1x4x5x8xf32>, %m: tensor<1x1x5x6xf32>) {
  // expected-error @below {{'fuse.attention' op cannot repeat a mask of shape [1, 1, 5, 6] to [1, 4, 5, 5]}}
  %0 = fuse.attention %q, %q, %q bias %m {scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x1x5x6xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @allowed(%q: tensor<1x4x5x8xf32>, %m: tensor<1x1x5x5xf32>) {
  // expected-error @below {{'fuse.attention' op needs booleans that say what is allowed}}
  %0 = fuse.attention %q, %q, %q allowed %m {scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x1x5x5xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @scores(%q: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'fuse.attention' op has scores of shape [1, 4, 5, 8] but computes [1, 4, 5, 5]}}
  %0:2 = fuse.attention %q, %q, %q {scale = 1.0 : f64, softcap = 0.0 : f64} : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>)
  return
}

// -----

func.func @rotary_rank(%x: tensor<5x4x8xf32>, %a: tensor<1x5x4xf32>) {
  // expected-error @below {{'fuse.rotary_embedding' op needs an input of rank 4, and cosines and sines of rank 3 and one shape}}
  %0 = fuse.rotary_embedding %x, %a, %a : (tensor<5x4x8xf32>, tensor<1x5x4xf32>, tensor<1x5x4xf32>) -> tensor<5x4x8xf32>
  return
}

// -----

func.func @rotary_angles(%x: tensor<1x5x4x8xf32>, %a: tensor<1x5x5xf32>) {
  // expected-error @below {{'fuse.rotary_embedding' op has angles of shape [1, 5, 5] for an input of shape [1, 5, 4, 8]}}
  %0 = fuse.rotary_embedding %x, %a, %a : (tensor<1x5x4x8xf32>, tensor<1x5x5xf32>, tensor<1x5x5xf32>) -> tensor<1x5x4x8xf32>
  return
}

// -----

func.func @loss_rank(%x: tensor<5xf32>, %t: tensor<5xi64>) {
  // expected-error @below {{'fuse.nll_loss' op needs an input of rank 2 or more}}
  %0 = fuse.nll_loss none %x, %t : (tensor<5xf32>, tensor<5xi64>) -> tensor<5xf32>
  return
}

// -----

func.func @loss_target(%x: tensor<5x3xf32>, %t: tensor<4xi64>) {
  // expected-error @below {{'fuse.nll_loss' op needs integer targets of shape [5]}}
  %0 = fuse.nll_loss none %x, %t : (tensor<5x3xf32>, tensor<4xi64>) -> tensor<5xf32>
  return
}

// -----

func.func @loss_weight(%x: tensor<5x3xf32>, %t: tensor<5xi64>, %w: tensor<5xf32>) {
  // expected-error @below {{'fuse.nll_loss' op needs weights for 3 classes}}
  %0 = fuse.nll_loss none %x, %t, %w : (tensor<5x3xf32>, tensor<5xi64>, tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @loss_result(%x: tensor<5x3xf32>, %t: tensor<5xi64>) {
  // expected-error @below {{'fuse.nll_loss' op has result shape [5] but computes []}}
  %0 = fuse.nll_loss mean %x, %t : (tensor<5x3xf32>, tensor<5xi64>) -> tensor<5xf32>
  return
}

// -----

func.func @wider_bias(%q: tensor<1x2x5x8xf32>, %k: tensor<1x2x7x8xf32>, %bias: tensor<1x1x5x7xf64>) {
  // expected-error @below {{'fuse.attention' op computes in 'f32', and has an operand that is computed in 'f64'}}
  %0 = fuse.attention %q, %k, %k bias %bias {scale = 0.5 : f64, softcap = 0.0 : f64} : (tensor<1x2x5x8xf32>, tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32>, tensor<1x1x5x7xf64>) -> tensor<1x2x5x8xf32>
  return
}
