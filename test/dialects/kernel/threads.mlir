// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels of a GPU hold, printed and parsed again.
// RUN: fusec-opt %s | fusec-opt | FileCheck %s
// RUN: fusec-opt %s --mlir-print-op-generic | fusec-opt | FileCheck %s

module attributes {fuse.target = "cuda-sm80"} {
  // CHECK: kernel.func @rows
  // CHECK-SAME: threads = 128
  kernel.func @rows(%x: memref<8x300xf32>, %y: memref<8xf32>)
      attributes {group = "rows", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 128 : i64} {
    // CHECK: kernel.for %{{.*}} = 0 to 2 map(block)
    kernel.for %it = 0 to 2 map(block) {
      // CHECK: kernel.for %{{.*}} = 0 to 4 map(warp)
      kernel.for %iw = 0 to 4 map(warp) {
        // CHECK: kernel.local : memref<f32, #kernel.space<thread>>
        %own = kernel.local : memref<f32, #kernel.space<thread>>
        // CHECK: kernel.for %{{.*}} = 0 to 300 map(thread) carries(add
        kernel.for %j = 0 to 300 map(thread) carries(add %own : memref<f32, #kernel.space<thread>>) {
          %0 = kernel.load %x[%it * 4 + %iw, %j] : memref<8x300xf32> -> f32
          %1 = kernel.load %own[] : memref<f32, #kernel.space<thread>> -> f32
          %2 = arith.addf %1, %0 : f32
          kernel.store %2, %own[] : f32, memref<f32, #kernel.space<thread>>
        }
        // CHECK: kernel.barrier warp
        kernel.barrier warp
        %3 = kernel.load %own[] : memref<f32, #kernel.space<thread>> -> f32
        // CHECK: kernel.combine add %{{.*}} : f32
        %sum = kernel.combine add %3 : f32
        // CHECK: kernel.for %{{.*}} = 0 to 1 map(thread)
        kernel.for %t = 0 to 1 map(thread) {
          kernel.store %sum, %y[%it * 4 + %iw] : f32, memref<8xf32>
        }
      }
    }
    kernel.return
  }

  // Neighbouring threads have neighbouring columns, and eight of them each.
  // CHECK: kernel.func @columns
  kernel.func @columns(%x: memref<300x96xf32>, %y: memref<96xf32>)
      attributes {group = "columns", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 256 : i64} {
    kernel.for %it = 0 to 3 map(block) {
      // CHECK: kernel.for %{{.*}} = 0 to 32 map(column)
      kernel.for %i = 0 to 32 map(column) {
        %own = kernel.local : memref<f32, #kernel.space<thread>>
        // CHECK: kernel.for %{{.*}} = 0 to 300 map(thread) carries(max
        kernel.for %j = 0 to 300 map(thread) carries(max %own : memref<f32, #kernel.space<thread>>) {
          %0 = kernel.load %x[%j, %it * 32 + %i] : memref<300x96xf32> -> f32
          %1 = kernel.load %own[] : memref<f32, #kernel.space<thread>> -> f32
          %2 = arith.maximumf %1, %0 : f32
          kernel.store %2, %own[] : f32, memref<f32, #kernel.space<thread>>
        }
        // CHECK: kernel.barrier block
        kernel.barrier block
        %3 = kernel.load %own[] : memref<f32, #kernel.space<thread>> -> f32
        // CHECK: kernel.combine max %{{.*}} : f32
        %most = kernel.combine max %3 : f32
        kernel.for %t = 0 to 1 map(thread) {
          kernel.store %most, %y[%it * 32 + %i] : f32, memref<96xf32>
        }
      }
    }
    kernel.return
  }

  // The host program has memory of its own beside the GPU's.
  // CHECK: func.func @main
  // CHECK: kernel.buffer offset = 64 : memref<f32, #kernel.space<host>>
  // CHECK: kernel.copy %{{.*}}, %{{.*}} : memref<f32>, memref<f32, #kernel.space<host>>
  // CHECK: kernel.copy %{{.*}}, %{{.*}} : memref<f32, #kernel.space<host>>, memref<f32>
  func.func @main(%x: memref<f32>, %y: memref<f32>) attributes {fuse.outputs = 1 : i64} {
    %h = kernel.buffer offset = 64 : memref<f32, #kernel.space<host>>
    kernel.copy %x, %h : memref<f32>, memref<f32, #kernel.space<host>>
    kernel.copy %h, %y : memref<f32, #kernel.space<host>>, memref<f32>
    return
  }

  // A block and no loop of blocks: two nests of threads with a tile between them.
  // CHECK: kernel.func @turned
  kernel.func @turned(%x: memref<8x4xi32>, %y: memref<4x8xi32>)
      attributes {group = "turned", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    // CHECK: kernel.local : memref<8x4xi32, #kernel.space<shared>>
    %tile = kernel.local : memref<8x4xi32, #kernel.space<shared>>
    kernel.for %i = 0 to 8 map(thread) {
      kernel.for %j = 0 to 4 map(thread) {
        %0 = kernel.load %x[%i, %j] : memref<8x4xi32> -> i32
        kernel.store %0, %tile[%i, %j] : i32, memref<8x4xi32, #kernel.space<shared>>
      }
    }
    // CHECK: kernel.barrier block
    kernel.barrier block
    kernel.for %j = 0 to 4 map(thread) {
      kernel.for %i = 0 to 8 map(thread) {
        %0 = kernel.load %tile[%i, %j] : memref<8x4xi32, #kernel.space<shared>> -> i32
        kernel.store %0, %y[%j, %i] : i32, memref<4x8xi32>
      }
    }
    kernel.return
  }

  // Blocks that share a reduction: what stands around it each of them runs.
  kernel.func @shared(%x: memref<10x300xf32>, %y: memref<10xf32>)
      attributes {group = "shared", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64, workspace_bytes = 40 : i64, zeroed_bytes = 40 : i64} {
    %tickets = kernel.workspace offset = 0 : memref<10xi32>
    // CHECK: kernel.for %{{.*}} = 0 to 10 map(block) {
    kernel.for %i = 0 to 10 map(block) {
      %sum = kernel.local : memref<f32, #kernel.space<thread>>
      %zero = arith.constant 0.0 : f32
      kernel.store %zero, %sum[] : f32, memref<f32, #kernel.space<thread>>
      // CHECK: kernel.for %{{.*}} = 0 to 3 map(block) carries(add %
      kernel.for %jt = 0 to 3 map(block) carries(add %sum : memref<f32, #kernel.space<thread>>) {
        %0 = kernel.load %x[%i, %jt] : memref<10x300xf32> -> f32
        %1 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
        %2 = arith.addf %1, %0 : f32
        kernel.store %2, %sum[] : f32, memref<f32, #kernel.space<thread>>
      }
      // CHECK: kernel.last_block of 3 %{{.*}}[%{{.*}}] : memref<10xi32> {
      kernel.last_block of 3 %tickets[%i] : memref<10xi32> {
        kernel.for %t = 0 to 1 map(thread) {
          %3 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
          kernel.store %3, %y[%i] : f32, memref<10xf32>
        }
      }
    }
    kernel.return
  }

  // CHECK-LABEL: kernel.func @added(
  // CHECK-SAME:  {kernel.zeroed}
  kernel.func @added(%x: memref<300xf32>, %y: memref<1xf32> {kernel.zeroed})
      attributes {group = "added", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    // CHECK: kernel.for %{{.*}} = 0 to 3 map(block) atomic {
    kernel.for %i = 0 to 3 map(block) atomic {
      kernel.for %j = 0 to 100 map(thread) {
        %0 = kernel.load %x[%i * 100 + %j] : memref<300xf32> -> f32
        // CHECK: kernel.atomic add %{{.*}}, %{{.*}}[0] : f32, memref<1xf32>
        kernel.atomic add %0, %y[0] : f32, memref<1xf32>
      }
    }
    kernel.return
  }
}
