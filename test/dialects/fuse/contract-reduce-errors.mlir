// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @two_maps(%x: tensor<4x4xf32>) {
  // expected-error @below {{'fuse.contract' op needs three maps: lhs, rhs, result}}
  %0 = fuse.contract %x, %x maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>] : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @not_a_permutation(%x: tensor<4x4xf32>) {
  // expected-error @below {{'fuse.contract' op needs map 0 to be a projected permutation of 3 iterators}}
  %0 = fuse.contract %x, %x maps = [affine_map<(m, n, k) -> (m, k + n)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @rank(%x: tensor<4x4xf32>) {
  // expected-error @below {{'fuse.contract' op has map 0 with 1 results for a tensor of rank 2}}
  %0 = fuse.contract %x, %x maps = [affine_map<(m, n, k) -> (m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @extents(%x: tensor<4x8xf32>, %y: tensor<7x4xf32>) {
  // expected-error @below {{'fuse.contract' op has iterator 2 with extents 8 and 7}}
  %0 = fuse.contract %x, %y maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] : tensor<4x8xf32>, tensor<7x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @unused_iterator(%x: tensor<4x4xf32>) {
  // expected-error @below {{'fuse.contract' op has an iterator that no tensor uses}}
  %0 = fuse.contract %x, %x maps = [affine_map<(m, n, k, l) -> (m, k)>, affine_map<(m, n, k, l) -> (k, n)>, affine_map<(m, n, k, l) -> (m, n)>] : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @order(%x: tensor<4x4xf32>) {
  // expected-error @below {{'fuse.contract' op needs parallel iterators before reduction iterators}}
  %0 = fuse.contract %x, %x maps = [affine_map<(k, m, n) -> (m, k)>, affine_map<(k, m, n) -> (k, n)>, affine_map<(k, m, n) -> (m, n)>] : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @reduce_dims(%x: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.reduce' op needs increasing dims below the rank 2, has [2]}}
  %0 = fuse.reduce (%x) inits = [0.0 : f32] dims = [2] : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %e: f32):
    fuse.yield %a : f32
  }
  return
}

// -----

func.func @reduce_shape(%x: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.reduce' op has result shape [8] but computes [4]}}
  %0 = fuse.reduce (%x) inits = [0.0 : f32] dims = [1] : (tensor<4x8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %e: f32):
    fuse.yield %a : f32
  }
  return
}

// -----

func.func @reduce_inits(%x: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.reduce' op needs one init for each of its 1 results, has 2}}
  %0 = fuse.reduce (%x) inits = [0.0 : f32, 1.0 : f32] dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %e: f32):
    fuse.yield %a : f32
  }
  return
}

// -----

func.func @reduce_init_type(%x: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.reduce' op needs an init of type 'f32', has 0 : i32}}
  %0 = fuse.reduce (%x) inits = [0 : i32] dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %e: f32):
    fuse.yield %a : f32
  }
  return
}

// -----

func.func @reduce_arguments(%x: tensor<4x8xf16>) {
  // expected-error @below {{'fuse.reduce' op needs combiner arguments 'f32', 'f32', has 'f32', 'f16'}}
  %0 = fuse.reduce (%x) inits = [0.0 : f32] dims = [1] : (tensor<4x8xf16>) -> tensor<4xf32> {
  ^bb0(%a: f32, %e: f16):
    fuse.yield %a : f32
  }
  return
}

// -----

func.func @reduce_yield(%x: tensor<4x8xf32>) {
  // expected-error @below {{'fuse.reduce' op needs a combiner that yields one value per result}}
  %0 = fuse.reduce (%x) inits = [0.0 : f32] dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %e: f32):
    fuse.yield %a, %e : f32, f32
  }
  return
}

// -----

func.func @reduce_shapes(%x: tensor<4x8xf32>, %y: tensor<4x7xf32>) {
  // expected-error @below {{'fuse.reduce' op has inputs of different shapes}}
  %0 = fuse.reduce (%x, %y) inits = [0.0 : f32] dims = [1] : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %e: f32, %f: f32):
    fuse.yield %a : f32
  }
  return
}
