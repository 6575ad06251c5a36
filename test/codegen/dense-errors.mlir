// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cannot be printed is a located error, and nothing is written.
// RUN: rm -rf %t && split-file %s %t
// RUN: not fusec compile %t/pattern.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=PATTERN
// PATTERN: pattern.mlir:count: error: 'math.ctlz' op has no form in emitted source
// RUN: not fusec compile %t/buffer.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=BUFFER
// BUFFER: error: 'kernel.buffer' op has no place in the arena; run --model-plan-memory
// RUN: not fusec compile %t/main.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=MAIN
// MAIN: error: the module has no host program
// RUN: not fusec compile %t/set.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=SET
// SET: set.mlir:{{.*}}error: 'kernel.func' op is of a group that has no variant for avx2, which the target has tiles for
// RUN: not test -e %t/out

//--- pattern.mlir
module attributes {fuse.stage = "model-plan-memory"} {
  func.func @main(%x: memref<4xi32>, %y: memref<4xi32>) attributes {fuse.outputs = 1 : i64} {
    kernel.launch @k(%x, %y) : memref<4xi32>, memref<4xi32>
    return
  }
  kernel.func @k(%x: memref<4xi32>, %y: memref<4xi32>)
      attributes {group = "k", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
    kernel.for %i = 0 to 4 {
      %0 = kernel.load %x[%i] : memref<4xi32> -> i32
      %1 = math.ctlz %0 : i32 loc("count")
      kernel.store %1, %y[%i] : i32, memref<4xi32>
    }
    kernel.return
  }
}

//--- set.mlir
module attributes {fuse.stage = "model-plan-memory"} {
  func.func @main(%x: memref<4xi32>, %y: memref<4xi32>) attributes {fuse.outputs = 1 : i64} {
    kernel.launch @k(%x, %y) : memref<4xi32>, memref<4xi32>
    return
  }
  kernel.func @k(%x: memref<4xi32>, %y: memref<4xi32>)
      attributes {group = "k", variant = "default", isa = "avx512", num_inputs = 1 : i64, num_outputs = 1 : i64} {
    kernel.return
  }
}

//--- buffer.mlir
module attributes {fuse.stage = "model-plan-memory"} {
  func.func @main(%y: memref<4xi32>) attributes {fuse.outputs = 1 : i64} {
    %0 = kernel.buffer : memref<4xi32>
    kernel.copy %0, %y : memref<4xi32>
    return
  }
}

//--- main.mlir
module attributes {fuse.stage = "model-plan-memory"} {
  func.func private @other()
}
