// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels of a GPU may not hold, and what only they may.
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

module attributes {fuse.target = "zen4"} {
  // expected-error @+1 {{says how many threads a block has, which target zen4, a CPU, does not have}}
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {

    kernel.return
  }
}

// -----

module attributes {fuse.target = "zen4"} {
  // expected-error @+1 {{has narrow_indices; under target zen4 indices have 64 bits}}
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, narrow_indices} {

    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    // expected-error @+1 {{takes 2147483648 blocks; a grid has at most 2147483647}}
    kernel.for %i = 0 to 65536 map(block) {
      kernel.for %j = 0 to 32768 map(block) {
      }
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @+1 {{is of a GPU, and does not say how many `threads` a block has}}
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {

    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @+1 {{has blocks of 16 threads; a block has whole warps of 32, up to 1024 threads}}
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 16 : i64} {

    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @+1 {{has blocks of 100 threads; a block has whole warps of 32, up to 1024 threads}}
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 100 : i64} {

    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @+1 {{has blocks of 2048 threads; a block has whole warps of 32, up to 1024 threads}}
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 2048 : i64} {

    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-error @+1 {{is mapped to 'parallel', which target cuda-sm80, a GPU, does not have; its loops are mapped to blocks, warps, columns and threads}}
    kernel.for %i = 0 to 8 map(parallel) { }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-error @+1 {{is mapped to 'vector', which target cuda-sm80, a GPU, does not have; its loops are mapped to blocks, warps, columns and threads}}
    kernel.for %i = 0 to 8 map(vector) { }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-note @+1 {{this one; loops of one mapping are a nest of constant bounds with nothing between them}}
    kernel.for %i = 0 to 8 map(thread) {
      // expected-error @+1 {{is mapped to blocks, inside of a loop of threads}}
      kernel.for %j = 0 to 8 map(block) { }
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-note @+1 {{this one; loops of one mapping}}
    kernel.for %i = 0 to 8 map(thread) {
      %0 = kernel.load %x[%i] : memref<8xf32> -> f32
      // expected-error @+1 {{is mapped to threads, inside of a loop of threads}}
      kernel.for %j = 0 to 8 map(thread) { }
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    kernel.for %k = 0 to 8 {
      // expected-error @+1 {{is mapped to blocks inside of something else: blocks are the outermost loops of a kernel}}
      kernel.for %j = 0 to 8 map(block) { }
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-note @+1 {{the first}}
    kernel.for %i = 0 to 8 map(block) { }
    // expected-error @+1 {{is a second nest of blocks; a kernel has one}}
    kernel.for %j = 0 to 8 map(block) { }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    kernel.for %i = 0 to 8 map(block) {
      // expected-error @+1 {{is mapped to warps and has bounds that are no constants}}
      kernel.for %j = 0 to affine_map<(d0) -> (d0)>(%i) map(warp) { }
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-error @+1 {{is of a kernel of a GPU, and says neither #kernel.space<shared> nor <thread>}}
    %a = kernel.local : memref<8xf32>
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-note @+1 {{this one}}
    kernel.for %i = 0 to 8 map(thread) {
      // expected-error @+1 {{is shared by the threads of a block, and stands in a loop of them}}
      %a = kernel.local : memref<8xf32, #kernel.space<shared>>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @+1 {{has 240000 bytes of arrays in shared memory, of which a kernel may have 162816 on target cuda-sm80: give it smaller or fewer of them, or a config that fits, which fusec algos lists}}
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    %a = kernel.local : memref<30000xf32, #kernel.space<shared>>
    %b = kernel.local : memref<30000xf32, #kernel.space<shared>>
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    %one = arith.constant 1.0 : f32
    kernel.for %i = 0 to 8 map(block) {
      // expected-error @+1 {{is done by each thread, as no loop around is mapped to threads; one of a single iteration leaves it to one thread}}
      kernel.store %one, %y[%i] : f32, memref<8xf32>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    %one = arith.constant 1.0 : f32
    kernel.for %i = 0 to 8 map(block) {
      // expected-error @+1 {{is done by each thread, as no loop around is mapped to threads; one of a single iteration leaves it to one thread}}
      kernel.atomic add %one, %y[%i] : f32, memref<8xf32>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-error @+1 {{has a value of type 'vector<16xf32>'; on target cuda-sm80, a GPU, threads take the place of lanes}}
    %0 = arith.constant dense<0.0> : vector<16xf32>
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-error @+1 {{has no form on target cuda-sm80, a GPU}}
    kernel.prefetch %x[0] : memref<8xf32>
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-note @+1 {{in this loop, which is mapped to threads}}
    kernel.for %i = 0 to 2 map(thread) {
      // expected-error @+1 {{is of a block, of which not all threads come to it}}
      kernel.barrier block
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-note @+1 {{in this loop, which is mapped to threads}}
    kernel.for %i = 0 to 2 map(thread) {
      // expected-error @+1 {{is of a warp, of which not all threads come to it}}
      kernel.barrier warp
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-note @+1 {{in this loop, which is mapped to warps}}
    kernel.for %i = 0 to 2 map(warp) {
      // expected-error @+1 {{is of a block, of which not all threads come to it}}
      kernel.barrier block
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    %one = arith.constant 1.0 : f32
    // expected-note @+1 {{in this loop, which is mapped to threads}}
    kernel.for %i = 0 to 8 map(thread) {
      // expected-error @+1 {{is of a block, of which not all threads come to it}}
      %0 = kernel.combine add %one : f32
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    %one = arith.constant 1.0 : f32
    // expected-error @+1 {{cannot combine 'f32' by 'and'; and, or are for i1, the others for numbers}}
    %0 = kernel.combine and %one : f32
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    %one = arith.constant 1.0 : f16
    // expected-error @+1 {{operand #0 must be scalar of a compute type, but got 'f16'}}
    %0 = kernel.combine add %one : f16
    kernel.return
  }
}

// -----

module attributes {fuse.target = "generic"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
    // expected-error @+1 {{waits for other threads, which target generic, a CPU, does not have}}
    kernel.barrier block
    kernel.return
  }
}

// -----

module attributes {fuse.target = "generic"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
    %one = arith.constant 1.0 : f32
    // expected-error @+1 {{combines values of threads, which target generic, a CPU, does not have}}
    %0 = kernel.combine add %one : f32
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @ticket(%y: memref<10xi32>)
      attributes {group = "ticket", variant = "default", num_inputs = 0 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    kernel.for %i = 0 to 10 map(block) {
      // expected-error @below {{has a ticket of 'memref<10xi32>', expected an element of a workspace of i32}}
      kernel.last_block of 3 %y[%i] : memref<10xi32> {
      }
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @between(%y: memref<10xi32>)
      attributes {group = "between", variant = "default", num_inputs = 0 : i64, num_outputs = 1 : i64, threads = 64 : i64, workspace_bytes = 40 : i64, zeroed_bytes = 4 : i64} {
    %tickets = kernel.workspace offset = 0 : memref<10xi32>
    kernel.for %i = 0 to 10 map(block) {
      // expected-error @below {{has tickets at 0, where the bytes that are zero begin at 36; they begin at a multiple of 64, and tickets lie among them}}
      kernel.last_block of 3 %tickets[%i] : memref<10xi32> {
      }
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @some(%y: memref<10xi32>)
      attributes {group = "some", variant = "default", num_inputs = 0 : i64, num_outputs = 1 : i64, threads = 64 : i64, workspace_bytes = 4 : i64} {
    %ticket = kernel.workspace offset = 0 : memref<i32>
    // expected-note @below {{in this loop, which is mapped to threads}}
    kernel.for %i = 0 to 10 map(thread) {
      // expected-error @below {{is of a block, of which not all threads come to it}}
      kernel.last_block of 3 %ticket[] : memref<i32> {
      }
    }
    kernel.return
  }
}

// -----

kernel.func @cpu(%y: memref<10xi32>)
    attributes {group = "cpu", variant = "default", num_inputs = 0 : i64, num_outputs = 1 : i64, workspace_bytes = 4 : i64} {
  %ticket = kernel.workspace offset = 0 : memref<i32>
  // expected-error @below {{waits for other blocks}}
  kernel.last_block of 3 %ticket[] : memref<i32> {
  }
  kernel.return
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @serial(%y: memref<10xf32>)
      attributes {group = "serial", variant = "default", num_inputs = 0 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-error @below {{is atomic but not mapped to blocks}}
    kernel.for %i = 0 to 10 map(thread) atomic {
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{argument 0 has kernel.zeroed, which outputs may have}}
  kernel.func @input(%x: memref<10xf32> {kernel.zeroed}, %y: memref<10xf32>)
      attributes {group = "input", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  // expected-error @below {{argument 0 has kernel.zeroed, but is not only added to}}
  kernel.func @stored(%y: memref<10xf32> {kernel.zeroed})
      attributes {group = "stored", variant = "default", num_inputs = 0 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    kernel.for %i = 0 to 10 map(thread) {
      %0 = arith.constant 1.0 : f32
      // expected-note @below {{here}}
      kernel.store %0, %y[%i] : f32, memref<10xf32>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-error @+1 {{is mapped to 6 columns, of which a block of 64 threads has no two for each; they are 2 or more, a power of two}}
    kernel.for %i = 0 to 6 map(column) { }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-error @+1 {{is mapped to 64 columns, of which a block of 64 threads has no two for each}}
    kernel.for %i = 0 to 8 map(column) {
      kernel.for %j = 0 to 8 map(column) { }
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-error @+1 {{is mapped to columns, which are counted from 0 in steps of 1}}
    kernel.for %i = 1 to 9 map(column) { }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-note @+1 {{the first}}
    kernel.for %i = 0 to 8 map(column) { }
    // expected-error @+1 {{is a second nest of columns; a kernel has one}}
    kernel.for %j = 0 to 8 map(column) { }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-note @+1 {{this one; loops of one mapping}}
    kernel.for %i = 0 to 2 map(warp) {
      // expected-error @+1 {{is mapped to columns, inside of a loop of warps}}
      kernel.for %j = 0 to 8 map(column) { }
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-note @+1 {{this one; loops of one mapping}}
    kernel.for %i = 0 to 8 map(column) {
      // expected-error @+1 {{is mapped to warps, inside of a loop of columns}}
      kernel.for %j = 0 to 2 map(warp) { }
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // expected-note @+1 {{this one; loops of one mapping}}
    kernel.for %i = 0 to 8 map(column) {
      // expected-error @+1 {{is mapped to blocks, inside of a loop of columns}}
      kernel.for %j = 0 to 2 map(block) { }
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @k(%x: memref<8xf32>, %y: memref<8xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    kernel.for %i = 0 to 8 map(column) {
      %j = kernel.apply affine_map<(d0) -> (d0 * 2)>(%i)
      // expected-note @+1 {{because of this condition}}
      kernel.if affine_set<(d0) : (d0 - 4 >= 0)>(%j) {
        // expected-error @+1 {{is of a block, of which not the threads of all columns come to it}}
        kernel.barrier block
      }
    }
    kernel.return
  }
}
