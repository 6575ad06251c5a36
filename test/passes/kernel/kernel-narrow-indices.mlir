// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-narrow-indices --split-input-file | FileCheck %s
// RUN: fusec-opt %s --kernel-narrow-indices=remarks --split-input-file --verify-diagnostics -o /dev/null

module attributes {fuse.target = "cuda-sm80"} {
// As many elements as 31 bits count, and one more.
// CHECK-LABEL: kernel.func @border
// CHECK-SAME: narrow_indices
kernel.func @border(%x: memref<2147483647xf32>, %y: memref<2147483647xf32>)
    attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 256 : i64} {
  kernel.for %b = 0 to 8388608 map(block) {
    kernel.for %t = 0 to 256 map(thread) {
      kernel.if affine_set<(d0, d1) : (d0 * -256 - d1 + 2147483646 >= 0)>(%b, %t) {
        %0 = kernel.load %x[%b * 256 + %t] : memref<2147483647xf32> -> f32
        kernel.store %0, %y[%b * 256 + %t] : f32, memref<2147483647xf32>
      }
    }
  }
  kernel.return
}

// CHECK-LABEL: kernel.func @past
// CHECK-NOT: narrow_indices
// CHECK: kernel.return
kernel.func @past(%x: memref<65536x32768xf32>, %y: memref<65536x32768xf32>)
    attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 256 : i64} {
  kernel.for %i = 0 to 65536 map(block) {
    kernel.for %j = 0 to 32768 map(thread) {
      // expected-remark @below {{indices of the kernel have 64 bits: what is computed here of indices is not known to fit 32}}
      %0 = kernel.load %x[%i, %j] : memref<65536x32768xf32> -> f32
      kernel.store %0, %y[%i, %j] : f32, memref<65536x32768xf32>
    }
  }
  kernel.return
}

// Rows are further apart than subscripts say: it is the place that counts.
// CHECK-LABEL: kernel.func @rows
// CHECK-NOT: narrow_indices
// CHECK: kernel.return
kernel.func @rows(%x: memref<2x1073741823xf32>, %y: memref<32xf32>)
    attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
  kernel.for %t = 0 to 32 map(thread) {
    // expected-remark @below {{what is computed here of indices}}
    %0 = kernel.load %x[1, %t + 1073741820] : memref<2x1073741823xf32> -> f32
    kernel.store %0, %y[%t] : f32, memref<32xf32>
  }
  kernel.return
}

// The dividend has to fit, not only the quotient.
// CHECK-LABEL: kernel.func @dividend
// CHECK-NOT: narrow_indices
// CHECK: kernel.return
kernel.func @dividend(%x: memref<256xf32>, %y: memref<256xf32>)
    attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 256 : i64} {
  kernel.for %t = 0 to 256 map(thread) {
    // expected-remark @below {{what is computed here of indices}}
    %0 = kernel.load %x[(%t * 16777217) floordiv 16777216] : memref<256xf32> -> f32
    kernel.store %0, %y[%t] : f32, memref<256xf32>
  }
  kernel.return
}

// Each of the threads takes every 1024th iteration, and one more step to see
// that it is done.
// CHECK-LABEL: kernel.func @steps
// CHECK-NOT: narrow_indices
// CHECK: kernel.return
kernel.func @steps(%x: memref<2147483647xf32>, %y: memref<2147483647xf32>)
    attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 1024 : i64} {
  // expected-remark @below {{the index of this loop}}
  kernel.for %t = 0 to 2147483647 map(thread) {
    %0 = kernel.load %x[%t] : memref<2147483647xf32> -> f32
    kernel.store %0, %y[%t] : f32, memref<2147483647xf32>
  }
  kernel.return
}

// Loops that are numbered as one.
// CHECK-LABEL: kernel.func @nest
// CHECK-NOT: narrow_indices
// CHECK: kernel.return
kernel.func @nest(%x: memref<65536xf32>, %y: memref<65536xf32>)
    attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 256 : i64} {
  kernel.for %i = 0 to 65536 map(thread) {
    // expected-remark @below {{the index of this loop}}
    kernel.for %j = 0 to 32768 map(thread) {
      %0 = kernel.load %x[%i] : memref<65536xf32> -> f32
      kernel.store %0, %y[%i] : f32, memref<65536xf32>
    }
  }
  kernel.return
}

// What data says is inside of its dimension, and has a place in a row; of what
// else is computed with it nothing is known.
// CHECK-LABEL: kernel.func @found
// CHECK-SAME: narrow_indices
kernel.func @found(%x: memref<30x64xf32>, %rows: memref<64xi64>, %y: memref<64xf32>)
    attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 256 : i64} {
  kernel.for %t = 0 to 64 map(thread) {
    %row = kernel.load %rows[%t] : memref<64xi64> -> i64
    %0 = kernel.gather %x, affine_map<(d0)[s0] -> (s0, d0)>(%t)[%row] : memref<30x64xf32>, i64 -> f32
    kernel.store %0, %y[%t] : f32, memref<64xf32>
  }
  kernel.return
}

// CHECK-LABEL: kernel.func @scaled
// CHECK-NOT: narrow_indices
// CHECK: kernel.return
kernel.func @scaled(%x: memref<64xf32>, %rows: memref<64xi64>, %y: memref<64xf32>)
    attributes {group = "g", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 256 : i64} {
  kernel.for %t = 0 to 64 map(thread) {
    %row = kernel.load %rows[%t] : memref<64xi64> -> i64
    // expected-remark @below {{what is computed here of indices}}
    %0 = kernel.gather %x, affine_map<(d0)[s0] -> (s0 * 4 + d0)>(%t)[%row] : memref<64xf32>, i64 -> f32
    kernel.store %0, %y[%t] : f32, memref<64xf32>
  }
  kernel.return
}

// Arithmetic that is no affine expression.
// CHECK-LABEL: kernel.func @computed
// CHECK-NOT: narrow_indices
// CHECK: kernel.return
kernel.func @computed(%y: memref<64xi64>)
    attributes {group = "g", variant = "default", num_inputs = 0 : i64, num_outputs = 1 : i64, threads = 256 : i64} {
  kernel.for %t = 0 to 64 map(thread) {
    // expected-remark @below {{this index is not known to fit 32}}
    %0 = arith.muli %t, %t : index
    %1 = arith.index_cast %0 : index to i64
    kernel.store %1, %y[%t] : i64, memref<64xi64>
  }
  kernel.return
}
}

// -----

// Those of a CPU have 64 bits.
// CHECK-LABEL: kernel.func @of_cpu
// CHECK-NOT: narrow_indices
module attributes {fuse.target = "zen4"} {
kernel.func @of_cpu(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {group = "g", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 {
    %0 = kernel.load %x[%i] : memref<8xf32> -> f32
    kernel.store %0, %y[%i] : f32, memref<8xf32>
  }
  kernel.return
}
}
