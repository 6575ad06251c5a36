// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-plan-memory --split-input-file | FileCheck %s
// RUN: fusec-opt %s --model-plan-memory=remarks --split-input-file --verify-diagnostics -o /dev/null

// A chain: a and b are alive together, as are b and c (through a view), and c
// and d. So c takes the place of a, and d that of b.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    kernel.arena_bytes = 8192 : i64
// CHECK:         %a = kernel.buffer offset = 0 : memref<1024xf32>
// CHECK:         %b = kernel.buffer offset = 4096 : memref<32x32xf32>
// CHECK:         %c = kernel.buffer offset = 0 : memref<1024xf32>
// CHECK:         %d = kernel.buffer offset = 4096 : memref<1024xf32>
func.func @chain(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {fuse.outputs = 1 : i64} {
  %a = kernel.buffer : memref<1024xf32>
  kernel.launch @k(%x, %a) : memref<1024xf32>, memref<1024xf32>
  %b = kernel.buffer : memref<32x32xf32>
  %v = kernel.view %b : memref<32x32xf32> -> memref<1024xf32>
  kernel.launch @k(%a, %v) : memref<1024xf32>, memref<1024xf32>
  %c = kernel.buffer : memref<1024xf32>
  kernel.launch @k(%v, %c) : memref<1024xf32>, memref<1024xf32>
  %d = kernel.buffer : memref<1024xf32>
  kernel.launch @k(%c, %d) : memref<1024xf32>, memref<1024xf32>
  kernel.copy %d, %y : memref<1024xf32>
  return
}
kernel.func @k(%x: memref<1024xf32>, %y: memref<1024xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}

// -----

// A residual stays alive over the chain; sizes round up to 64 bytes, a boolean
// takes a byte; two small ones share the gap that a large one leaves; what is
// never used goes.
// CHECK-LABEL: func.func @residual
// CHECK-SAME:    kernel.arena_bytes = 640 : i64
// CHECK-NOT:     memref<777xf32>
// CHECK:         %skip = kernel.buffer offset = 0 : memref<64xf32>
// CHECK:         %large = kernel.buffer offset = 256 : memref<64xf32>
// CHECK:         %odd = kernel.buffer offset = 512 : memref<65xi1>
// CHECK:         %small = kernel.buffer offset = 256 : memref<8xi64>
// CHECK:         %tiny = kernel.buffer offset = 320 : memref<1xf32>
func.func @residual(%x: memref<64xf32>) attributes {fuse.outputs = 0 : i64} {
  // expected-remark@+1 {{is not placed: nothing uses it}}
  %unused = kernel.buffer : memref<777xf32>
  %v = kernel.view %unused : memref<777xf32> -> memref<1x777xf32>
  %skip = kernel.buffer : memref<64xf32>
  kernel.copy %x, %skip : memref<64xf32>
  %large = kernel.buffer : memref<64xf32>
  kernel.copy %x, %large : memref<64xf32>
  %odd = kernel.buffer : memref<65xi1>
  kernel.copy %odd, %odd : memref<65xi1>
  kernel.copy %large, %skip : memref<64xf32>
  %small = kernel.buffer : memref<8xi64>
  %tiny = kernel.buffer : memref<1xf32>
  kernel.copy %small, %small : memref<8xi64>
  kernel.copy %tiny, %tiny : memref<1xf32>
  kernel.copy %small, %small : memref<8xi64>
  kernel.copy %skip, %x : memref<64xf32>
  return
}

// -----

// What has a place keeps it; empty buffers need none.
// CHECK-LABEL: func.func @fixed
// CHECK-SAME:    kernel.arena_bytes = 512 : i64
// CHECK:         %a = kernel.buffer offset = 128 : memref<16xf32>
// CHECK:         %b = kernel.buffer offset = 192 : memref<80xf32>
// CHECK:         %c = kernel.buffer offset = 0 : memref<32xf32>
// CHECK:         %none = kernel.buffer offset = {{[0-9]+}} : memref<0xf32>
func.func @fixed(%x: memref<16xf32>) attributes {fuse.outputs = 0 : i64} {
  // expected-remark@+1 {{keeps its offset 128}}
  %a = kernel.buffer offset = 128 : memref<16xf32>
  %b = kernel.buffer : memref<80xf32>
  %c = kernel.buffer : memref<32xf32>
  %none = kernel.buffer : memref<0xf32>
  kernel.copy %x, %a : memref<16xf32>
  kernel.copy %b, %b : memref<80xf32>
  kernel.copy %c, %c : memref<32xf32>
  kernel.copy %none, %none : memref<0xf32>
  kernel.copy %b, %b : memref<80xf32>
  kernel.copy %a, %x : memref<16xf32>
  return
}

// -----

// Host memory of a GPU's program has an arena of its own.
module attributes {fuse.target = "cuda-sm80"} {
  // CHECK-LABEL: func.func @memories
  // CHECK-SAME:    kernel.arena_bytes = 4096 : i64, kernel.host_arena_bytes = 4096 : i64
  // CHECK:         %a = kernel.buffer offset = 0 : memref<1024xf32>
  // CHECK:         %h = kernel.buffer offset = 0 : memref<1024xf32, #kernel.space<host>>
  func.func @memories(%x: memref<1024xf32>) attributes {fuse.outputs = 1 : i64} {
    %a = kernel.buffer : memref<1024xf32>
    kernel.copy %x, %a : memref<1024xf32>
    %h = kernel.buffer : memref<1024xf32, #kernel.space<host>>
    kernel.copy %a, %h : memref<1024xf32>, memref<1024xf32, #kernel.space<host>>
    kernel.copy %h, %x : memref<1024xf32, #kernel.space<host>>, memref<1024xf32>
    return
  }
}

// -----

// Two branches. One step after the other, c takes the place of a; on a
// GPU that would keep the branches from running side by side.
// CHECK-LABEL: func.func @branches
// CHECK-SAME:    kernel.arena_bytes = 8192 : i64
// CHECK:         %a = kernel.buffer offset = 0 : memref<1024xf32>
// CHECK:         %c = kernel.buffer offset = 0 : memref<1024xf32>
func.func @branches(%x: memref<1024xf32>, %y: memref<1024xf32>, %z: memref<1024xf32>) attributes {fuse.outputs = 2 : i64} {
  %a = kernel.buffer : memref<1024xf32>
  kernel.launch @k(%x, %a) : memref<1024xf32>, memref<1024xf32>
  %b = kernel.buffer : memref<1024xf32>
  kernel.launch @k(%a, %b) : memref<1024xf32>, memref<1024xf32>
  kernel.launch @k(%b, %y) : memref<1024xf32>, memref<1024xf32>
  %c = kernel.buffer : memref<1024xf32>
  kernel.launch @k(%x, %c) : memref<1024xf32>, memref<1024xf32>
  kernel.launch @k(%c, %z) : memref<1024xf32>, memref<1024xf32>
  return
}
kernel.func @k(%x: memref<1024xf32>, %y: memref<1024xf32>)
    attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}

// -----

// CHECK-LABEL: func.func @branches
// CHECK-SAME:    kernel.arena_bytes = 12288 : i64
// CHECK:         %a = kernel.buffer offset = 0 : memref<1024xf32>
// CHECK:         %b = kernel.buffer offset = 4096 : memref<1024xf32>
// CHECK:         %c = kernel.buffer offset = 8192 : memref<1024xf32>
module attributes {fuse.target = "cuda-sm80"} {
  func.func @branches(%x: memref<1024xf32>, %y: memref<1024xf32>, %z: memref<1024xf32>) attributes {fuse.outputs = 2 : i64} {
    %a = kernel.buffer : memref<1024xf32>
    kernel.launch @k(%x, %a) : memref<1024xf32>, memref<1024xf32>
    %b = kernel.buffer : memref<1024xf32>
    kernel.launch @k(%a, %b) : memref<1024xf32>, memref<1024xf32>
    kernel.launch @k(%b, %y) : memref<1024xf32>, memref<1024xf32>
    %c = kernel.buffer : memref<1024xf32>
    kernel.launch @k(%x, %c) : memref<1024xf32>, memref<1024xf32>
    kernel.launch @k(%c, %z) : memref<1024xf32>, memref<1024xf32>
    return
  }
  kernel.func @k(%x: memref<1024xf32>, %y: memref<1024xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.return
  }
}

// -----

// A chain comes one after the other there, too; and what the host waits for is over.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    kernel.arena_bytes = 8192 : i64
// CHECK:         %a = kernel.buffer offset = 0 : memref<1024xf32>
// CHECK:         %b = kernel.buffer offset = 4096 : memref<1024xf32>
// CHECK:         %c = kernel.buffer offset = 0 : memref<1024xf32>
// CHECK:         %d = kernel.buffer offset = 0 : memref<1024xf32>
module attributes {fuse.target = "cuda-sm80"} {
  func.func @chain(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {fuse.outputs = 1 : i64} {
    %a = kernel.buffer : memref<1024xf32>
    kernel.launch @k(%x, %a) : memref<1024xf32>, memref<1024xf32>
    %b = kernel.buffer : memref<1024xf32>
    kernel.launch @k(%a, %b) : memref<1024xf32>, memref<1024xf32>
    %c = kernel.buffer : memref<1024xf32>
    kernel.launch @k(%b, %c) : memref<1024xf32>, memref<1024xf32>
    %h = kernel.buffer : memref<1024xf32, #kernel.space<host>>
    kernel.copy %c, %h : memref<1024xf32>, memref<1024xf32, #kernel.space<host>>
    %d = kernel.buffer : memref<1024xf32>
    kernel.launch @k(%x, %d) : memref<1024xf32>, memref<1024xf32>
    kernel.launch @k(%d, %y) : memref<1024xf32>, memref<1024xf32>
    return
  }
  kernel.func @k(%x: memref<1024xf32>, %y: memref<1024xf32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
    kernel.return
  }
}
