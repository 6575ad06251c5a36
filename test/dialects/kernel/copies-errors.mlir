// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

module attributes {fuse.target = "generic"} {
  kernel.func @cpu(%x: memref<8x32xf32>, %h: memref<8x32xf16>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64} {
    // expected-error @below {{is of copies while threads go on, which target generic, a CPU, does not have}}
    kernel.commit_copies
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm75"} {
  kernel.func @turing(%x: memref<8x32xf32>, %h: memref<8x32xf16>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    // expected-error @below {{is of copies while threads go on, which target cuda-sm75 does not have; load and store the elements}}
    kernel.wait_copies most = 0
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @apart(%x: memref<8x32xf32>, %h: memref<8x32xf16>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %tile = kernel.local : memref<8x32xf32, #kernel.space<shared>>
    kernel.for %j = 0 to 8 map(thread) {
      // expected-error @below {{begins at no multiple of 4 elements}}
      kernel.copy_async %x[%j, %j * 4] to %tile[%j, %j * 2] elements = 4 : memref<8x32xf32>, memref<8x32xf32, #kernel.space<shared>>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @rest(%x: memref<8x32xf32>, %h: memref<8x32xf16>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %tile = kernel.local : memref<8x33xf32, #kernel.space<shared>>
    kernel.for %j = 0 to 8 map(thread) {
      // expected-error @below {{begins at no multiple of 4 elements}}
      kernel.copy_async %x[%j, %j * 4] to %tile[%j, %j * 4] elements = 4 : memref<8x32xf32>, memref<8x33xf32, #kernel.space<shared>>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @many(%x: memref<8x32xf32>, %h: memref<8x32xf16>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %tile = kernel.local : memref<8x32xf32, #kernel.space<shared>>
    kernel.for %j = 0 to 8 map(thread) {
      // expected-error @below {{copies 8 elements of 4 bytes; there are a power of two of them, 4 to 16 bytes}}
      kernel.copy_async %x[%j, %j * 8] to %tile[%j, %j * 8] elements = 8 : memref<8x32xf32>, memref<8x32xf32, #kernel.space<shared>>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @three(%x: memref<8x32xf32>, %h: memref<8x32xf16>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %tile = kernel.local : memref<8x32xf32, #kernel.space<shared>>
    kernel.for %j = 0 to 8 map(thread) {
      // expected-error @below {{copies 3 elements of 4 bytes; there are a power of two of them, 4 to 16 bytes}}
      kernel.copy_async %x[%j, 0] to %tile[%j, 0] elements = 3 : memref<8x32xf32>, memref<8x32xf32, #kernel.space<shared>>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @converts(%x: memref<8x32xf32>, %h: memref<8x32xf16>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %tile = kernel.local : memref<8x32xf32, #kernel.space<shared>>
    kernel.for %j = 0 to 8 map(thread) {
      // expected-error @below {{copies elements of 'f16' to such of 'f32'; it leaves them as they are, of 1, 2, 4 or 8 bytes}}
      kernel.copy_async %h[%j, 0] to %tile[%j, 0] : memref<8x32xf16>, memref<8x32xf32, #kernel.space<shared>>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @subscripts(%x: memref<8x32xf32>, %h: memref<8x32xf16>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %tile = kernel.local : memref<8x32xf32, #kernel.space<shared>>
    kernel.for %j = 0 to 8 map(thread) {
      // expected-error @below {{has 1 subscripts for 'memref<8x32xf32>'}}
      kernel.copy_async %x[%j] to %tile[%j, 0] : memref<8x32xf32>, memref<8x32xf32, #kernel.space<shared>>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @own(%x: memref<8x32xf32>, %h: memref<8x32xf16>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %own = kernel.local : memref<1xf32, #kernel.space<thread>>
    kernel.for %j = 0 to 8 map(thread) {
      // expected-error @below {{it goes from memory to shared memory}}
      kernel.copy_async %x[%j, 0] to %own[0] : memref<8x32xf32>, memref<1xf32, #kernel.space<thread>>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @from_shared(%x: memref<8x32xf32>, %h: memref<8x32xf16>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %tile = kernel.local : memref<8x32xf32, #kernel.space<shared>>
    kernel.for %j = 0 to 8 map(thread) {
      // expected-error @below {{it goes from memory to shared memory}}
      kernel.copy_async %tile[%j, 0] to %tile[%j, 1] : memref<8x32xf32, #kernel.space<shared>>, memref<8x32xf32, #kernel.space<shared>>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @all(%x: memref<8x32xf32>, %h: memref<8x32xf16>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    %tile = kernel.local : memref<8x32xf32, #kernel.space<shared>>
    // expected-error @below {{is done by each thread, as no loop around is mapped to threads}}
    kernel.copy_async %x[0, 0] to %tile[0, 0] : memref<8x32xf32>, memref<8x32xf32, #kernel.space<shared>>
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @some(%x: memref<8x32xf32>, %h: memref<8x32xf16>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    // expected-note @below {{in this loop, which is mapped to threads}}
    kernel.for %j = 0 to 8 map(thread) {
      // expected-error @below {{is of a block, of which not all threads come to it}}
      kernel.commit_copies
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @few(%x: memref<8x32xf32>, %h: memref<8x32xf16>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    // expected-note @below {{in this loop, which is mapped to threads}}
    kernel.for %j = 0 to 8 map(thread) {
      // expected-error @below {{is of a block, of which not all threads come to it}}
      kernel.wait_copies most = 0
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @negative(%x: memref<8x32xf32>, %h: memref<8x32xf16>, %y: memref<8x32xf32>)
      attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    // expected-error @below {{leaves -1 groups on their way, expected 0 or more}}
    kernel.wait_copies most = -1
    kernel.return
  }
}
