// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @count(%x: memref<4xf32>) {
  // expected-error @below {{'kernel.choice' op names 2 algorithms, it has 1 alternatives}}
  kernel.choice @same ["a", "b"] {
    kernel.fill %x with 0.0 : f32 : memref<4xf32>
  }
  return
}

// -----

func.func @twice(%x: memref<4xf32>) {
  // expected-error @below {{'kernel.choice' op has two alternatives "a"}}
  kernel.choice @same ["a", "a"] {
    kernel.fill %x with 0.0 : f32 : memref<4xf32>
  }, {
    kernel.fill %x with 0.0 : f32 : memref<4xf32>
  }
  return
}

// -----

func.func @words(%x: memref<4xf32>) {
  // expected-error @below {{has algorithms = ["a b"], which is no identifier}}
  kernel.choice @same ["a b"] attributes {} {
    kernel.fill %x with 0.0 : f32 : memref<4xf32>
  }
  return
}

// -----

func.func @words(%x: memref<4xf32>) {
  // expected-error @below {{has key = "a1", which is no hash; it needs 16 lower-case hexadecimal digits}}
  kernel.choice @same ["a"] attributes {key = "a1"} {
    kernel.fill %x with 0.0 : f32 : memref<4xf32>
  }
  return
}

// -----

func.func @words(%x: memref<4xf32>) {
  // expected-error @below {{has hash = ["0123456789abcdef }"], which is no hash}}
  kernel.choice @same ["a"] attributes {hash = ["0123456789abcdef }"]} {
    kernel.fill %x with 0.0 : f32 : memref<4xf32>
  }
  return
}

// -----

func.func @selected(%x: memref<4xf32>) {
  // expected-error @below {{has selected "a", expected an array of dictionaries with algorithm, isa and threads}}
  kernel.choice @same ["a"] attributes {selected = "a"} {
    kernel.fill %x with 0.0 : f32 : memref<4xf32>
  }
  return
}

// -----

func.func @selected(%x: memref<4xf32>) {
  // expected-error @below {{expected an array of dictionaries with algorithm, isa and threads}}
  kernel.choice @same ["a"] attributes {selected = [{algorithm = 3}]} {
    kernel.fill %x with 0.0 : f32 : memref<4xf32>
  }
  return
}

// -----

func.func @selected(%x: memref<4xf32>) {
  // expected-error @below {{expected an array of dictionaries}}
  kernel.choice @same ["a"] attributes {selected = [{algorithm = "a", isa = "avx2", threads = -1 : i64}]} {
    kernel.fill %x with 0.0 : f32 : memref<4xf32>
  }
  return
}

// -----

func.func @selected(%x: memref<4xf32>) {
  // expected-error @below {{has selected "b", which is no alternative of it}}
  kernel.choice @same ["a"] attributes {selected = [{algorithm = "b", isa = "avx2", threads = 0 : i64}]} {
    kernel.fill %x with 0.0 : f32 : memref<4xf32>
  }
  return
}

// -----

func.func @selected(%x: memref<4xf32>) {
  // expected-error @below {{has isa = "sse9", for which target generic has no tiles}}
  kernel.choice @same ["a"] attributes {selected = [{algorithm = "a", isa = "sse9", threads = 0 : i64}]} {
    kernel.fill %x with 0.0 : f32 : memref<4xf32>
  }
  return
}
