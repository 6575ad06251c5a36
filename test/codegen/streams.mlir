// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores past the caches, and how each thread that made some ends. Masked and scalar
// stores go where they always do.
// RUN: rm -rf %t && mkdir %t && fusec compile %s -o %t/streams
// RUN: FileCheck %s < %t/streams/streams_kernels.cpp
// RUN: g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -mavx2 -mfma -mf16c -DFUSEC_ISA=avx2 -I%t/streams -I%t/streams/runtime/include %t/streams/streams_kernels.cpp

// CHECK-LABEL: void copies_default(
//      CHECK: parallel_for(ctx, 8,
//      CHECK:   store(&z(i, 0), x_i);
// CHECK-NEXT:   store_streamed(&y(i, 0), x_i);
//      CHECK:   store(&y(i, 16), x_i, mask_lt(i, i + 3));
//      CHECK:  }
// CHECK-NEXT:  finish_streams();
// CHECK-NEXT: });
//  CHECK-NOT: finish_streams
//      CHECK: void serial_default(
//      CHECK: store_streamed(&y(0, 0),
// CHECK-NEXT: finish_streams();
// CHECK-NEXT: }
module @streams attributes {fuse.stage = "model-plan-memory"} {
  func.func @main(%x: memref<8x19xf32> {fuse.name = "x"}, %y: memref<8x19xf32> {fuse.name = "y"}, %z: memref<8x19xf32> {fuse.name = "z"}, %s: memref<8x19xf32> {fuse.name = "s"})
      attributes {fuse.outputs = 3 : i64} {
    kernel.launch @copies(%x, %y, %z) : memref<8x19xf32>, memref<8x19xf32>, memref<8x19xf32>
    kernel.launch @serial(%x, %s) : memref<8x19xf32>, memref<8x19xf32>
    return
  }

  kernel.func @copies(%x: memref<8x19xf32> loc("x"), %y: memref<8x19xf32> {kernel.stream} loc("y"), %z: memref<8x19xf32> loc("z"))
      attributes {group = "copies", variant = "default", num_inputs = 1 : i64, num_outputs = 2 : i64,
                  proposer = "isl", schedule = "none"} {
    kernel.for %i = 0 to 8 map(parallel) {
      %mask = kernel.tail_mask %i, affine_map<(d0) -> (d0 + 3)>(%i) : vector<16xi1>
      %0 = kernel.load %x[%i, 0] : memref<8x19xf32> -> vector<16xf32>
      kernel.store %0, %z[%i, 0] : vector<16xf32>, memref<8x19xf32>
      kernel.store %0, %y[%i, 0] : vector<16xf32>, memref<8x19xf32>
      kernel.store %0, %y[%i, 16] mask %mask : vector<16xf32>, memref<8x19xf32>, vector<16xi1>
    }
    kernel.return
  }

  kernel.func @serial(%x: memref<8x19xf32> loc("x"), %y: memref<8x19xf32> {kernel.stream} loc("y"))
      attributes {group = "serial", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64,
                  proposer = "isl", schedule = "none"} {
    %0 = kernel.load %x[0, 0] : memref<8x19xf32> -> vector<16xf32>
    kernel.store %0, %y[0, 0] : vector<16xf32>, memref<8x19xf32>
    kernel.return
  }
}
