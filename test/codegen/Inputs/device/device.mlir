// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of a GPU by hand, for DeviceKernelsTest: the ways in which blocks, warps and
// threads share loops.
module @device attributes {fuse.stage = "model-plan-memory", fuse.target = "cuda-sm80"} {
  func.func @main(%x: memref<10x300xf32> {fuse.name = "x"}, %b: memref<300xf32> {fuse.name = "b"},
                  %y: memref<10x300xf32> {fuse.name = "y"}, %w: memref<10x300xf32> {fuse.name = "w"},
                  %z: memref<10x300xf32> {fuse.name = "z"}, %g: memref<10x10xf32> {fuse.name = "g"},
                  %t: memref<10x300xi32> {fuse.name = "t"}, %s: memref<10xf32> {fuse.name = "s"})
      attributes {fuse.outputs = 6 : i64} {
    kernel.launch @bias_relu(%x, %b, %y) : memref<10x300xf32>, memref<300xf32>, memref<10x300xf32>
    kernel.launch @softmax(%x, %w) : memref<10x300xf32>, memref<10x300xf32>
    kernel.launch @center(%x, %z) : memref<10x300xf32>, memref<10x300xf32>
    kernel.launch @gram(%x, %g) : memref<10x300xf32>, memref<10x10xf32>
    kernel.launch @wrapped(%x, %t) : memref<10x300xf32>, memref<10x300xi32>
    kernel.launch @sums(%x, %s) : memref<10x300xf32>, memref<10xf32>
    return
  }

  // Tiles of a row: whole ones, and one that ends early.
  kernel.func @bias_relu(%x: memref<10x300xf32>, %b: memref<300xf32>, %y: memref<10x300xf32>)
      attributes {group = "bias_relu", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64,
                  threads = 128 : i64, schedule = "a thread an element"} {
    %zero = arith.constant 0.0 : f32
    kernel.for %i = 0 to 10 map(block) {
      kernel.for %jt = 0 to 3 map(block) {
        kernel.for %j = affine_map<(d0) -> (d0 * 128)>(%jt) to min affine_map<(d0) -> (d0 * 128 + 128, 300)>(%jt) map(thread) {
          %0 = kernel.load %x[%i, %j] : memref<10x300xf32> -> f32
          %1 = kernel.load %b[%j] : memref<300xf32> -> f32
          %2 = arith.addf %0, %1 : f32
          %3 = arith.maximumf %2, %zero : f32
          kernel.store %3, %y[%i, %j] : f32, memref<10x300xf32>
        }
      }
    }
    kernel.return
  }

  // A warp a row, several rows a block, the last of which has too few.
  kernel.func @softmax(%x: memref<10x300xf32>, %y: memref<10x300xf32>)
      attributes {group = "softmax", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64,
                  threads = 128 : i64, schedule = "a warp a row"} {
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    kernel.for %it = 0 to 3 map(block) {
      kernel.for %iw = 0 to 4 map(warp) {
        kernel.if affine_set<(d0, d1) : (9 - d0 * 4 - d1 >= 0)>(%it, %iw) {
          %most = kernel.local : memref<f32, #kernel.space<thread>>
          kernel.store %low, %most[] : f32, memref<f32, #kernel.space<thread>>
          kernel.for %j = 0 to 300 map(thread) {
            %0 = kernel.load %x[%it * 4 + %iw, %j] : memref<10x300xf32> -> f32
            %1 = kernel.load %most[] : memref<f32, #kernel.space<thread>> -> f32
            %2 = arith.maximumf %1, %0 : f32
            kernel.store %2, %most[] : f32, memref<f32, #kernel.space<thread>>
          }
          %own = kernel.load %most[] : memref<f32, #kernel.space<thread>> -> f32
          %max = kernel.combine max %own : f32
          %sum = kernel.local : memref<f32, #kernel.space<thread>>
          kernel.store %zero, %sum[] : f32, memref<f32, #kernel.space<thread>>
          kernel.for %j = 0 to 300 map(thread) {
            %0 = kernel.load %x[%it * 4 + %iw, %j] : memref<10x300xf32> -> f32
            %1 = arith.subf %0, %max : f32
            %2 = math.exp %1 : f32
            %3 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
            %4 = arith.addf %3, %2 : f32
            kernel.store %4, %sum[] : f32, memref<f32, #kernel.space<thread>>
          }
          %part = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
          %total = kernel.combine add %part : f32
          kernel.for %j = 0 to 300 map(thread) {
            %0 = kernel.load %x[%it * 4 + %iw, %j] : memref<10x300xf32> -> f32
            %1 = arith.subf %0, %max : f32
            %2 = math.exp %1 : f32
            %3 = arith.divf %2, %total : f32
            kernel.store %3, %y[%it * 4 + %iw, %j] : f32, memref<10x300xf32>
          }
        }
      }
    }
    kernel.return
  }

  // A block a row, which waits in shared memory.
  kernel.func @center(%x: memref<10x300xf32>, %y: memref<10x300xf32>)
      attributes {group = "center", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64,
                  threads = 256 : i64, schedule = "a block a row"} {
    %zero = arith.constant 0.0 : f32
    %n = arith.constant 300.0 : f32
    kernel.for %i = 0 to 10 map(block) {
      %row = kernel.local : memref<300xf32, #kernel.space<shared>>
      %sum = kernel.local : memref<f32, #kernel.space<thread>>
      kernel.store %zero, %sum[] : f32, memref<f32, #kernel.space<thread>>
      kernel.for %j = 0 to 300 map(thread) {
        %0 = kernel.load %x[%i, %j] : memref<10x300xf32> -> f32
        kernel.store %0, %row[%j] : f32, memref<300xf32, #kernel.space<shared>>
        %1 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
        %2 = arith.addf %1, %0 : f32
        kernel.store %2, %sum[] : f32, memref<f32, #kernel.space<thread>>
      }
      %part = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
      %total = kernel.combine add %part : f32
      %mean = arith.divf %total, %n : f32
      // Backwards: what another thread has put there.
      kernel.for %j = 0 to 300 map(thread) {
        %0 = kernel.load %row[-%j + 299] : memref<300xf32, #kernel.space<shared>> -> f32
        %1 = arith.subf %0, %mean : f32
        kernel.store %1, %y[%i, -%j + 299] : f32, memref<10x300xf32>
      }
    }
    kernel.return
  }

  // g = x x', of one block: a nest of threads, and columns that it reads together.
  kernel.func @gram(%x: memref<10x300xf32>, %g: memref<10x10xf32>)
      attributes {group = "gram", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64,
                  threads = 64 : i64, schedule = "tiles of columns in shared memory"} {
    %zero = arith.constant 0.0 : f32
    %acc = kernel.local : memref<2xf32, #kernel.space<thread>>
    kernel.for %r = 0 to 2 map(unroll) {
      kernel.store %zero, %acc[%r] : f32, memref<2xf32, #kernel.space<thread>>
    }
    %tile = kernel.local : memref<10x20xf32, #kernel.space<shared>>
    kernel.for %kt = 0 to 15 {
      kernel.barrier block
      kernel.for %i = 0 to 10 map(thread) {
        kernel.for %k = 0 to 20 map(thread) {
          %0 = kernel.load %x[%i, %kt * 20 + %k] : memref<10x300xf32> -> f32
          kernel.store %0, %tile[%i, %k] : f32, memref<10x20xf32, #kernel.space<shared>>
        }
      }
      kernel.barrier block
      kernel.for %i = 0 to 5 map(thread) {
        kernel.for %j = 0 to 10 map(thread) {
          kernel.for %k = 0 to 20 {
            kernel.for %r = 0 to 2 map(unroll) {
              %0 = kernel.load %tile[%i * 2 + %r, %k] : memref<10x20xf32, #kernel.space<shared>> -> f32
              %1 = kernel.load %tile[%j, %k] : memref<10x20xf32, #kernel.space<shared>> -> f32
              %2 = kernel.load %acc[%r] : memref<2xf32, #kernel.space<thread>> -> f32
              %3 = math.fma %0, %1, %2 : f32
              kernel.store %3, %acc[%r] : f32, memref<2xf32, #kernel.space<thread>>
            }
          }
        }
      }
    }
    kernel.for %i = 0 to 5 map(thread) {
      kernel.for %j = 0 to 10 map(thread) {
        kernel.for %r = 0 to 2 map(unroll) {
          %0 = kernel.load %acc[%r] : memref<2xf32, #kernel.space<thread>> -> f32
          kernel.store %0, %g[%i * 2 + %r, %j] : f32, memref<10x10xf32>
        }
      }
    }
    kernel.return
  }

  // Bits doubled, which overflow; rows wait in scratch memory, and change places.
  kernel.func @wrapped(%x: memref<10x300xf32>, %t: memref<10x300xi32>)
      attributes {group = "wrapped", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64,
                  threads = 320 : i64, schedule = "a thread a column", workspace_bytes = 12096 : i64} {
    %rows = kernel.workspace offset = 64 : memref<10x300xi32>
    kernel.for %j = 0 to 300 map(thread) {
      kernel.for %i = 0 to 10 {
        %0 = kernel.load %x[%i, %j] : memref<10x300xf32> -> f32
        %1 = arith.bitcast %0 : f32 to i32
        %2 = arith.addi %1, %1 : i32
        kernel.store %2, %rows[%i, %j] : i32, memref<10x300xi32>
      }
    }
    kernel.barrier block
    kernel.for %j = 0 to 300 map(thread) {
      kernel.for %i = 0 to 10 {
        %0 = kernel.load %rows[-%i + 9, -%j + 299] : memref<10x300xi32> -> i32
        kernel.store %0, %t[%i, %j] : i32, memref<10x300xi32>
      }
    }
    kernel.return
  }

  // Blocks leave their sums in scratch memory; the last one adds them up.
  kernel.func @sums(%x: memref<10x300xf32>, %s: memref<10xf32>)
      attributes {group = "sums", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64,
                  threads = 64 : i64, schedule = "blocks share a row", workspace_bytes = 168 : i64,
                  zeroed_bytes = 40 : i64} {
    %parts = kernel.workspace offset = 0 : memref<10x3xf32>
    %tickets = kernel.workspace offset = 128 : memref<10xi32>
    kernel.for %i = 0 to 10 map(block) {
      kernel.for %jt = 0 to 3 map(block) {
        %zero = arith.constant 0.0 : f32
        %own = kernel.local : memref<f32, #kernel.space<thread>>
        kernel.store %zero, %own[] : f32, memref<f32, #kernel.space<thread>>
        kernel.for %j = 0 to 100 map(thread) {
          %0 = kernel.load %x[%i, %jt * 100 + %j] : memref<10x300xf32> -> f32
          %1 = kernel.load %own[] : memref<f32, #kernel.space<thread>> -> f32
          %2 = arith.addf %1, %0 : f32
          kernel.store %2, %own[] : f32, memref<f32, #kernel.space<thread>>
        }
        %3 = kernel.load %own[] : memref<f32, #kernel.space<thread>> -> f32
        %part = kernel.combine add %3 : f32
        kernel.for %one = 0 to 1 map(thread) {
          kernel.store %part, %parts[%i, %jt] : f32, memref<10x3xf32>
        }
        kernel.last_block of 3 %tickets[%i] : memref<10xi32> {
          kernel.for %one = 0 to 1 map(thread) {
            %4 = kernel.load %parts[%i, 0] : memref<10x3xf32> -> f32
            %5 = kernel.load %parts[%i, 1] : memref<10x3xf32> -> f32
            %6 = kernel.load %parts[%i, 2] : memref<10x3xf32> -> f32
            %7 = arith.addf %4, %5 : f32
            %8 = arith.addf %7, %6 : f32
            kernel.store %8, %s[%i] : f32, memref<10xf32>
          }
        }
      }
    }
    kernel.return
  }
}
