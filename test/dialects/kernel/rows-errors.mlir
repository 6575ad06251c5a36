// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @apart(%x: memref<8x32xf32>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.for %j = 0 to 8 map(thread) {
      %row = kernel.local : memref<4xf32, #kernel.space<thread>>
      // expected-error @below {{begins at no multiple of 4 elements}}
      kernel.load_row %x[%j, %j * 2] to %row : memref<8x32xf32>, memref<4xf32, #kernel.space<thread>>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @rest(%x: memref<8x33xf32>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.for %j = 0 to 8 map(thread) {
      %row = kernel.local : memref<4xf32, #kernel.space<thread>>
      // expected-error @below {{begins at no multiple of 4 elements}}
      kernel.load_row %x[%j, %j * 4] to %row : memref<8x33xf32>, memref<4xf32, #kernel.space<thread>>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @long(%x: memref<8x32xf32>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.for %j = 0 to 8 map(thread) {
      %row = kernel.local : memref<8xf32, #kernel.space<thread>>
      // expected-error @below {{has 8 elements of 4 bytes; an access has a power of two of them, and up to 16 bytes}}
      kernel.load_row %x[%j, %j * 8] to %row : memref<8x32xf32>, memref<8xf32, #kernel.space<thread>>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @types(%x: memref<8x32xf16>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.for %j = 0 to 8 map(thread) {
      %row = kernel.local : memref<4xi32, #kernel.space<thread>>
      // expected-error @below {{has the row 'memref<4xi32, #kernel.space<thread>>' for elements of 'f16', expected a thread's own array of their compute type, or of such, and the number of one}}
      kernel.load_row %x[%j, %j * 4] to %row : memref<8x32xf16>, memref<4xi32, #kernel.space<thread>>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @rank(%x: memref<8x32xf32>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.for %j = 0 to 8 map(thread) {
      %row = kernel.local : memref<4xf32, #kernel.space<thread>>
      // expected-error @below {{has 1 subscripts for 'memref<8x32xf32>'}}
      kernel.load_row %x[%j * 4] to %row : memref<8x32xf32>, memref<4xf32, #kernel.space<thread>>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @all(%x: memref<8x32xf32>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.for %j = 0 to 8 {
      %row = kernel.local : memref<4xf32, #kernel.space<thread>>
      // expected-error @below {{is done by each thread, as no loop around is mapped to threads}}
      kernel.store_row %y[%j, 0] from %row : memref<8x32xf32>, memref<4xf32, #kernel.space<thread>>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "zen4"} {
  kernel.func @cpu(%x: memref<8x32xf32>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
    kernel.for %j = 0 to 8 map(parallel) {
      %row = kernel.local : memref<4xf32>
      // expected-error @below {{is an access of one thread to several elements}}
      kernel.load_row %x[%j, 0] to %row : memref<8x32xf32>, memref<4xf32>
    }
    kernel.return
  }
}
