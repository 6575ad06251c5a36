// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers in and around loops.
// RUN: fusec-opt %s --model-plan-memory | FileCheck %s

// %keep is read in each iteration, so that nothing inside may lie over it, also
// what is used only after its last use; the two temporaries of an iteration take
// turns. %a and %b live until the result is read.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: kernel.arena_bytes = 320 : i64
// CHECK-DAG: %keep = kernel.buffer offset = [[KEEP:[0-9]+]] :
// CHECK-DAG: %a = kernel.buffer offset = [[A:[0-9]+]] :
// CHECK-DAG: %b = kernel.buffer offset = [[B:[0-9]+]] :
// CHECK-DAG: %s = kernel.buffer offset = [[S:[0-9]+]] :
// CHECK-DAG: %t = kernel.buffer offset = [[T:[0-9]+]] :
// CHECK-DAG: %u = kernel.buffer offset = [[S]] :
// CHECK: %after = kernel.buffer offset = {{192|256|0|64|128}}
func.func @loop(%x: memref<16xf32>) attributes {fuse.outputs = 0 : i64} {
  %keep = kernel.buffer : memref<16xf32>
  kernel.copy %x, %keep : memref<16xf32>
  %a = kernel.buffer : memref<16xf32>
  %b = kernel.buffer : memref<16xf32>
  kernel.copy %x, %a : memref<16xf32>
  %last = kernel.repeat trips = 3 swaps(%a, %b) : (memref<16xf32>, memref<16xf32>) -> memref<16xf32> {
  ^bb0(%i: index, %now: memref<16xf32>, %next: memref<16xf32>):
    %s = kernel.buffer : memref<16xf32>
    kernel.copy %keep, %s : memref<16xf32>
    %t = kernel.buffer : memref<16xf32>
    kernel.copy %s, %t : memref<16xf32>
    %u = kernel.buffer : memref<16xf32>
    kernel.copy %t, %u : memref<16xf32>
    kernel.copy %u, %next : memref<16xf32>
    kernel.end
  }
  %after = kernel.buffer : memref<16xf32>
  kernel.copy %last, %after : memref<16xf32>
  kernel.copy %after, %x : memref<16xf32>
  return
}
