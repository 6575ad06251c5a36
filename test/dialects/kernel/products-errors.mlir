// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

kernel.func @k(%x: memref<64x72xui8>, %w: memref<2x18x32x4xi8>, %f: memref<64x72xf16>, %y: memref<16xi32>)
    attributes {group = "k", variant = "default", num_inputs = 3 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<32x2xvector<16xi32>>
  // expected-error @+1 {{has 0 rows, expected one or more}}
  kernel.add_products %x[0, 0] row = 72, %w[0, 0, 0, 0] column = 64 step = 128 to %s[0, 0] width = 2 rows = 0 columns = 2 steps = 18 terms = 4 : memref<64x72xui8>, memref<2x18x32x4xi8>, memref<32x2xvector<16xi32>>
  kernel.return
}

// -----

kernel.func @k(%x: memref<64x72xui8>, %w: memref<2x18x32x4xi8>, %f: memref<64x72xf16>, %y: memref<16xi32>)
    attributes {group = "k", variant = "default", num_inputs = 3 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<32x2xvector<16xi32>>
  // expected-error @+1 {{needs 2 terms or 4, has 3}}
  kernel.add_products %x[0, 0] row = 72, %w[0, 0, 0, 0] column = 64 step = 128 to %s[0, 0] width = 2 rows = 32 columns = 2 steps = 18 terms = 3 : memref<64x72xui8>, memref<2x18x32x4xi8>, memref<32x2xvector<16xi32>>
  kernel.return
}

// -----

kernel.func @k(%x: memref<64x72xui8>, %w: memref<2x18x32x4xi8>, %f: memref<64x72xf16>, %y: memref<16xi32>)
    attributes {group = "k", variant = "default", num_inputs = 3 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<32x2xvector<16xi32>>
  // expected-error @+1 {{adds 2 terms to sums of type 'memref<32x2xvector<16xi32>>', expected an array of vectors of f32}}
  kernel.add_products %x[0, 0] row = 72, %w[0, 0, 0, 0] column = 64 step = 128 to %s[0, 0] width = 2 rows = 32 columns = 2 steps = 18 terms = 2 : memref<64x72xui8>, memref<2x18x32x4xi8>, memref<32x2xvector<16xi32>>
  kernel.return
}

// -----

kernel.func @k(%x: memref<64x72xui8>, %w: memref<2x18x32x4xi8>, %f: memref<64x72xf16>, %y: memref<16xi32>)
    attributes {group = "k", variant = "default", num_inputs = 3 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<32x2xvector<16xi32>>
  // expected-error @+1 {{multiplies elements of type 'f16', expected 8-bit integers}}
  kernel.add_products %f[0, 0] row = 72, %w[0, 0, 0, 0] column = 64 step = 128 to %s[0, 0] width = 2 rows = 32 columns = 2 steps = 18 terms = 4 : memref<64x72xf16>, memref<2x18x32x4xi8>, memref<32x2xvector<16xi32>>
  kernel.return
}

// -----

kernel.func @k(%x: memref<64x72xui8>, %w: memref<2x18x32x4xi8>, %f: memref<64x72xf16>, %y: memref<16xi32>)
    attributes {group = "k", variant = "default", num_inputs = 3 : i64, num_outputs = 1 : i64} {
  %s = kernel.local : memref<32x2xvector<16xi32>>
  // expected-error @+1 {{has 1 subscripts for 'memref<64x72xui8>'}}
  kernel.add_products %x[0] row = 72, %w[0, 0, 0, 0] column = 64 step = 128 to %s[0, 0] width = 2 rows = 32 columns = 2 steps = 18 terms = 4 : memref<64x72xui8>, memref<2x18x32x4xi8>, memref<32x2xvector<16xi32>>
  kernel.return
}

// -----

#own = #kernel.space<thread>
#shared = #kernel.space<shared>
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @distance(%x: memref<8xf16>, %y: memref<8xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %a = kernel.local : memref<4x2xf32, #own>
    %odd = kernel.local : memref<3x2xf32, #own>
    %rows = kernel.local : memref<16x40xf16, #shared>
    %columns = kernel.local : memref<16x40xbf16, #shared>
    %floats = kernel.local : memref<16x40xf32, #shared>
    // expected-error @below {{has a distance row = 36, expected a multiple of 8}}
    kernel.add_matrices %rows[0, 0] row = 36, %rows[0, 0] column = 40 term = 1 to %a : memref<16x40xf16, #shared>, memref<16x40xf16, #shared>, memref<4x2xf32, #own>
    kernel.return
  }
}

// -----

#own = #kernel.space<thread>
#shared = #kernel.space<shared>
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @apart(%x: memref<8xf16>, %y: memref<8xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %a = kernel.local : memref<4x2xf32, #own>
    %odd = kernel.local : memref<3x2xf32, #own>
    %rows = kernel.local : memref<16x40xf16, #shared>
    %columns = kernel.local : memref<16x40xbf16, #shared>
    %floats = kernel.local : memref<16x40xf32, #shared>
    // expected-error @below {{needs the terms of a row side by side, and those of a column, or of floats the columns}}
    kernel.add_matrices %rows[0, 0] row = 40, %rows[0, 0] column = 40 term = 8 to %a : memref<16x40xf16, #shared>, memref<16x40xf16, #shared>, memref<4x2xf32, #own>
    kernel.return
  }
}

// -----

#own = #kernel.space<thread>
#shared = #kernel.space<shared>
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @sums(%x: memref<8xf16>, %y: memref<8xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %a = kernel.local : memref<4x2xf32, #own>
    %odd = kernel.local : memref<3x2xf32, #own>
    %rows = kernel.local : memref<16x40xf16, #shared>
    %columns = kernel.local : memref<16x40xbf16, #shared>
    %floats = kernel.local : memref<16x40xf32, #shared>
    // expected-error @below {{adds to sums of type 'memref<3x2xf32, #kernel.space<thread>>', expected a thread's own array of f32 with a multiple of 4 rows and of 2 columns}}
    kernel.add_matrices %rows[0, 0] row = 40, %rows[0, 0] column = 40 term = 1 to %odd : memref<16x40xf16, #shared>, memref<16x40xf16, #shared>, memref<3x2xf32, #own>
    kernel.return
  }
}

// -----

#own = #kernel.space<thread>
#shared = #kernel.space<shared>
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @types(%x: memref<8xf16>, %y: memref<8xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %a = kernel.local : memref<4x2xf32, #own>
    %odd = kernel.local : memref<3x2xf32, #own>
    %rows = kernel.local : memref<16x40xf16, #shared>
    %columns = kernel.local : memref<16x40xbf16, #shared>
    %floats = kernel.local : memref<16x40xf32, #shared>
    // expected-error @below {{multiplies matrices of two element types}}
    kernel.add_matrices %rows[0, 0] row = 40, %columns[0, 0] column = 40 term = 1 to %a : memref<16x40xf16, #shared>, memref<16x40xbf16, #shared>, memref<4x2xf32, #own>
    kernel.return
  }
}

// -----

#own = #kernel.space<thread>
#shared = #kernel.space<shared>
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @wide(%x: memref<8xf16>, %y: memref<8xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %a = kernel.local : memref<4x2xf32, #own>
    %odd = kernel.local : memref<3x2xf32, #own>
    %rows = kernel.local : memref<16x40xf16, #shared>
    %columns = kernel.local : memref<16x40xbf16, #shared>
    %floats = kernel.local : memref<16x40xf64, #shared>
    // expected-error @below {{multiplies elements of type 'f64', expected f16, bf16, f32 or 8-bit integers}}
    kernel.add_matrices %floats[0, 0] row = 40, %floats[0, 0] column = 40 term = 1 to %a : memref<16x40xf64, #shared>, memref<16x40xf64, #shared>, memref<4x2xf32, #own>
    kernel.return
  }
}

// -----

#own = #kernel.space<thread>
#shared = #kernel.space<shared>
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @memory(%x: memref<8xf16>, %y: memref<8xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %a = kernel.local : memref<4x2xf32, #own>
    %odd = kernel.local : memref<3x2xf32, #own>
    %rows = kernel.local : memref<16x40xf16, #shared>
    %columns = kernel.local : memref<16x40xbf16, #shared>
    %floats = kernel.local : memref<16x40xf32, #shared>
    // expected-error @below {{loads a matrix from 'memref<8xf16>', expected an array in shared memory}}
    kernel.add_matrices %x[0] row = 40, %rows[0, 0] column = 40 term = 1 to %a : memref<8xf16>, memref<16x40xf16, #shared>, memref<4x2xf32, #own>
    kernel.return
  }
}

// -----

#own = #kernel.space<thread>
#shared = #kernel.space<shared>
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @rank(%x: memref<8xf16>, %y: memref<8xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %a = kernel.local : memref<4x2xf32, #own>
    %odd = kernel.local : memref<3x2xf32, #own>
    %rows = kernel.local : memref<16x40xf16, #shared>
    %columns = kernel.local : memref<16x40xbf16, #shared>
    %floats = kernel.local : memref<16x40xf32, #shared>
    // expected-error @below {{has 1 subscripts for }}
    kernel.add_matrices %rows[0] row = 40, %rows[0, 0] column = 40 term = 1 to %a : memref<16x40xf16, #shared>, memref<16x40xf16, #shared>, memref<4x2xf32, #own>
    kernel.return
  }
}

// -----

#own = #kernel.space<thread>
#shared = #kernel.space<shared>
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @bytes(%x: memref<8xui8>, %y: memref<8xi32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %a = kernel.local : memref<4x2xf32, #own>
    %rows = kernel.local : memref<16x48xui8, #shared>
    // expected-error @below {{adds to sums of type 'memref<4x2xf32, #kernel.space<thread>>', expected a thread's own array of i32}}
    kernel.add_matrices %rows[0, 0] row = 48, %rows[0, 0] column = 48 term = 1 to %a : memref<16x48xui8, #shared>, memref<16x48xui8, #shared>, memref<4x2xf32, #own>
    kernel.return
  }
}

// -----

#own = #kernel.space<thread>
#shared = #kernel.space<shared>
module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @bytes_apart(%x: memref<8xui8>, %y: memref<8xi32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %a = kernel.local : memref<4x2xi32, #own>
    %rows = kernel.local : memref<16x48xui8, #shared>
    // expected-error @below {{needs the terms of a row side by side, and those of a column, or of floats the columns}}
    kernel.add_matrices %rows[0, 0] row = 48, %rows[0, 0] column = 1 term = 48 to %a : memref<16x48xui8, #shared>, memref<16x48xui8, #shared>, memref<4x2xi32, #own>
    kernel.return
  }
}
