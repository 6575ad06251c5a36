// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-widen-accesses --split-input-file | FileCheck %s
// RUN: fusec-opt %s --kernel-widen-accesses=remarks --split-input-file --verify-diagnostics -o /dev/null

module attributes {fuse.target = "cuda-sm80"} {
// Elements of two sizes: as many as the access has of the wider ones. What the
// condition asks is the same for all four; what does not follow the loop is
// read one by one, and what else needs the index gets it.
// CHECK-DAG: #[[SET:.*]] = affine_set<(d0, d1) : (d0 * -256 - d1 * 4 + 771 >= 0)>
// CHECK-DAG: #[[PART:.*]] = affine_set<(d0, d1) : (d0 * -256 - d1 * 4 + 511 >= 0)>
// CHECK-LABEL: kernel.func @guarded
// CHECK: kernel.for %[[J:.*]] = 0 to 64 map(thread) {
// CHECK-NEXT: kernel.if #[[SET]](%{{.*}}, %[[J]]) {
// CHECK-NEXT: %x_row = kernel.local : memref<4xf32, #kernel.space<thread>>
// CHECK-NEXT: kernel.load_row %x[%i, %j_tile * 256 + %[[J]] * 4] to %x_row : memref<7x772xf16>
// CHECK-NEXT: %y_row = kernel.local
// CHECK-NEXT: kernel.for %[[V:.*]] = 0 to 4 map(unroll) {
// CHECK-NEXT: %[[A:.*]] = kernel.load %x_row[%[[V]]]
// CHECK-NEXT: %[[S:.*]] = kernel.load %s[%i] : memref<7xf32> -> f32
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[A]], %[[S]]
// CHECK-NEXT: kernel.store %[[P]], %y_row[%[[V]]]
// CHECK-NEXT: }
// CHECK-NEXT: kernel.store_row %y[%i, %j_tile * 256 + %[[J]] * 4] from %y_row : memref<7x772xf32>
kernel.func @guarded(%x: memref<7x772xf16>, %s: memref<7xf32>, %y: memref<7x772xf32>)
    attributes {group = "guarded", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
  kernel.for %i = 0 to 7 map(block) {
    kernel.for %j_tile = 0 to 4 map(block) {
      kernel.for %j = 0 to 256 map(thread) {
        kernel.if affine_set<(d0, d1) : (d0 * -256 - d1 + 771 >= 0)>(%j_tile, %j) {
          %0 = kernel.load %x[%i, %j_tile * 256 + %j] : memref<7x772xf16> -> f32
          %1 = kernel.load %s[%i] : memref<7xf32> -> f32
          %2 = arith.mulf %0, %1 : f32
          kernel.store %2, %y[%i, %j_tile * 256 + %j] : f32, memref<7x772xf32>
        }
      }
    }
  }
  kernel.return
}

// Arrays of one iteration are each iteration's.
// CHECK-LABEL: kernel.func @own
// CHECK: map(unroll) {
// CHECK-NEXT: %a = kernel.local : memref<f32, #kernel.space<thread>>
// CHECK-NEXT: kernel.load %x_row
// CHECK-NEXT: kernel.store %{{.*}}, %a[]
// CHECK-NEXT: kernel.load %a[]
// CHECK-NEXT: kernel.store %{{.*}}, %y_row
kernel.func @own(%x: memref<256xf32>, %y: memref<256xf32>)
    attributes {group = "own", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
  kernel.for %j = 0 to 256 map(thread) {
    %a = kernel.local : memref<f32, #kernel.space<thread>>
    %0 = kernel.load %x[%j] : memref<256xf32> -> f32
    kernel.store %0, %a[] : f32, memref<f32, #kernel.space<thread>>
    %1 = kernel.load %a[] : memref<f32, #kernel.space<thread>> -> f32
    kernel.store %1, %y[%j] : f32, memref<256xf32>
  }
  kernel.return
}

// What the schedule put side by side is in rows where that is proven, in shared memory
// too. A condition that all of a row have the same answer to goes around them.
// CHECK-LABEL: kernel.func @shared_out
// CHECK: kernel.for %[[J:.*]] = 0 to 64 map(thread) {
// CHECK-NEXT: kernel.if #[[PART]](%{{.*}}, %[[J]]) {
// CHECK-NEXT: %x_row = kernel.local
// CHECK-NEXT: kernel.load_row %x[%j_tile * 256 + %[[J]] * 4] to %x_row
// CHECK-NEXT: %e_row = kernel.local
// CHECK-NEXT: kernel.for %[[K:.*]] = 0 to 4 map(unroll) {
// CHECK-NEXT: kernel.load %x_row[%[[K]]]
// CHECK-NEXT: kernel.load %s[%[[K]], %[[J]]]
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: kernel.store %{{.*}}, %e_row[%[[K]]]
// CHECK-NEXT: }
// CHECK-NEXT: kernel.store_row %e[%j_tile * 256 + %[[J]] * 4] from %e_row : memref<512xf32, #kernel.space<shared>>
kernel.func @shared_out(%x: memref<512xf32>, %s: memref<4x64xf32>, %y: memref<512xf32>)
    attributes {group = "shared_out", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
  %e = kernel.local : memref<512xf32, #kernel.space<shared>>
  kernel.for %j_tile = 0 to 2 map(block) {
    kernel.for %j_thread = 0 to 64 map(thread) {
      kernel.for %j = 0 to 4 map(unroll) {
        kernel.if affine_set<(d0, d1, d2) : (d0 * -256 - d1 * 4 - d2 + 511 >= 0)>(%j_tile, %j_thread, %j) {
          %0 = kernel.load %x[%j_tile * 256 + %j_thread * 4 + %j] : memref<512xf32> -> f32
          // expected-remark @below {{stays an access to single elements: the elements are not side by side}}
          %1 = kernel.load %s[%j, %j_thread] : memref<4x64xf32> -> f32
          %2 = arith.mulf %0, %1 : f32
          kernel.store %2, %e[%j_tile * 256 + %j_thread * 4 + %j] : f32, memref<512xf32, #kernel.space<shared>>
        }
      }
    }
  }
  kernel.return
}

// An order of accesses that counts stays as it is.
// CHECK-LABEL: kernel.func @again_side_by_side
// CHECK-NOT: _row

kernel.func @again_side_by_side(%x: memref<256xf32>, %h: memref<256xf16>, %y: memref<256xf32>)
    attributes {group = "again_side_by_side", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
  kernel.for %j_thread = 0 to 64 map(thread) {
    kernel.for %j = 0 to 4 map(unroll) {
      // expected-remark @below {{stays an access to single elements: it is accessed there again}}
      %0 = kernel.load %y[%j_thread * 4 + %j] : memref<256xf32> -> f32
      // expected-remark @below {{stays an access to single elements: it is accessed there again}}
      kernel.store %0, %y[%j_thread * 4 + %j] : f32, memref<256xf32>
    }
  }
  kernel.return
}

kernel.func @unaligned_side_by_side(%x: memref<260xf32>, %h: memref<256xf64>, %y: memref<2xf64>)
    attributes {group = "unaligned_side_by_side", variant = "default", num_inputs = 2 : i64, num_outputs = 1 : i64, threads = 32 : i64} {
  %e = kernel.local : memref<256xf64, #kernel.space<shared>>
  kernel.for %j_thread = 0 to 64 map(thread) {
    kernel.for %j = 0 to 4 map(unroll) {
      // expected-remark @below {{stays an access to single elements: they begin at no multiple of their number}}
      %0 = kernel.load %x[%j_thread * 4 + %j + 1] : memref<260xf32> -> f32
      // expected-remark @below {{stays an access to single elements: they have more bytes than an access}}
      %1 = kernel.load %h[%j_thread * 4 + %j] : memref<256xf64> -> f64
      %2 = arith.extf %0 : f32 to f64
      %3 = arith.addf %1, %2 : f64
      // expected-remark @below {{stays an access to single elements: they have more bytes than an access}}
      kernel.store %3, %e[%j_thread * 4 + %j] : f64, memref<256xf64, #kernel.space<shared>>
    }
  }
  kernel.return
}

// CHECK-LABEL: kernel.func @transposed
// CHECK-NOT: _row

kernel.func @transposed(%x: memref<256x4xf32>, %y: memref<256xf32>)
    attributes {group = "transposed", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
  // expected-remark @below {{keeps accesses to single elements: it accesses no whole rows of elements side by side}}
  kernel.for %j = 0 to 256 map(thread) {
    %0 = kernel.load %x[%j, 1] : memref<256x4xf32> -> f32
    kernel.store %0, %y[%j] : f32, memref<256xf32>
  }
  kernel.return
}

kernel.func @shifted(%x: memref<260xf32>, %y: memref<256xf32>)
    attributes {group = "shifted", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
  // expected-remark @below {{keeps accesses to single elements: it accesses no whole rows of elements side by side}}
  kernel.for %j = 0 to 256 map(thread) {
    %0 = kernel.load %x[%j + 1] : memref<260xf32> -> f32
    kernel.store %0, %y[%j] : f32, memref<256xf32>
  }
  kernel.return
}

kernel.func @boundary(%x: memref<256xf32>, %y: memref<256xf32>)
    attributes {group = "boundary", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
  // expected-remark @below {{keeps accesses to single elements: it accesses no whole rows of elements side by side}}
  kernel.for %j = 0 to 256 map(thread) {
    kernel.if affine_set<(d0) : (-d0 + 254 >= 0)>(%j) {
      %0 = kernel.load %x[%j] : memref<256xf32> -> f32
      kernel.store %0, %y[%j] : f32, memref<256xf32>
    }
  }
  kernel.return
}

kernel.func @few(%x: memref<256xf32>, %y: memref<256xf32>)
    attributes {group = "few", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 256 : i64} {
  // expected-remark @below {{keeps accesses to single elements: its 256 iterations are too few for 256 threads to have 4 each}}
  kernel.for %j = 0 to 256 map(thread) {
    %0 = kernel.load %x[%j] : memref<256xf32> -> f32
    kernel.store %0, %y[%j] : f32, memref<256xf32>
  }
  kernel.return
}

kernel.func @twice(%x: memref<256xf32>, %y: memref<256xf32>)
    attributes {group = "twice", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
  // expected-remark @below {{keeps accesses to single elements: it stores to an array twice}}
  kernel.for %j = 0 to 256 map(thread) {
    %0 = kernel.load %x[%j] : memref<256xf32> -> f32
    kernel.store %0, %y[%j] : f32, memref<256xf32>
    kernel.store %0, %y[%j] : f32, memref<256xf32>
  }
  kernel.return
}

kernel.func @again(%x: memref<256xf32>, %y: memref<256xf32>)
    attributes {group = "again", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
  // expected-remark @below {{keeps accesses to single elements: it reads what it writes}}
  kernel.for %j = 0 to 256 map(thread) {
    %0 = kernel.load %y[%j] : memref<256xf32> -> f32
    kernel.store %0, %y[%j] : f32, memref<256xf32>
  }
  kernel.return
}

kernel.func @loops(%x: memref<256xf32>, %y: memref<256xf32>)
    attributes {group = "loops", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
  // expected-remark @below {{keeps accesses to single elements: it has kernel.for in it}}
  kernel.for %j = 0 to 256 map(thread) {
    kernel.for %k = 0 to 3 {
      %0 = kernel.load %x[%j] : memref<256xf32> -> f32
      kernel.store %0, %y[%j] : f32, memref<256xf32>
    }
  }
  kernel.return
}

// Who has which iteration is what barriers rest on.

kernel.func @team(%x: memref<256xf32>, %y: memref<256xf32>)
    attributes {group = "team", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
  kernel.barrier block
  // expected-remark @below {{keeps accesses to single elements: threads of the kernel share more than memory}}
  kernel.for %j = 0 to 256 map(thread) {
    %0 = kernel.load %x[%j] : memref<256xf32> -> f32
    kernel.store %0, %y[%j] : f32, memref<256xf32>
  }
  kernel.return
}

// But not where all wait before and after: of that any thread may have any part. An
// iteration of a loop around comes after the one before it.
// CHECK-LABEL: kernel.func @loaded_tiles
// CHECK: kernel.barrier
// CHECK-NEXT: kernel.for %k = 0 to 16 map(thread) {
// CHECK-NEXT: kernel.for %j = 0 to 16 map(thread) {
// CHECK-NEXT: %x_row = kernel.local
// CHECK-NEXT: kernel.load_row %x[%t * 16 + %k, %j * 4] to %x_row
// CHECK-NEXT: kernel.store_row %e[%k, %j * 4] from %x_row
// CHECK-NEXT: }

kernel.func @loaded_tiles(%x: memref<256x64xf32>, %y: memref<16x64xf32>)
    attributes {group = "loaded_tiles", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
  kernel.for %t = 0 to 16 {
    %e = kernel.local : memref<16x64xf32, #kernel.space<shared>>
    kernel.barrier block
    kernel.for %k = 0 to 16 map(thread) {
      kernel.for %j = 0 to 64 map(thread) {
        %0 = kernel.load %x[%t * 16 + %k, %j] : memref<256x64xf32> -> f32
        kernel.store %0, %e[%k, %j] : f32, memref<16x64xf32, #kernel.space<shared>>
      }
    }
    kernel.barrier block
    // expected-remark @below {{keeps accesses to single elements: threads of the kernel share more than memory}}
    kernel.for %j = 0 to 64 map(thread) {
      %0 = kernel.load %e[%t, %j] : memref<16x64xf32, #kernel.space<shared>> -> f32
      kernel.store %0, %y[%t, %j] : f32, memref<16x64xf32>
    }
  }
  kernel.return
}

// The threads may still read what the next iteration overwrites.
// CHECK-LABEL: kernel.func @reads_on
// CHECK-NOT: _row
kernel.func @reads_on(%x: memref<16x256xf32>, %y: memref<16x256xf32>)
    attributes {group = "reads_on", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
  kernel.for %t = 0 to 16 {
    %e = kernel.local : memref<256xf32, #kernel.space<shared>>
    // expected-remark @below {{keeps accesses to single elements: threads of the kernel share more than memory}}
    kernel.for %j = 0 to 256 map(thread) {
      %0 = kernel.load %x[%t, %j] : memref<16x256xf32> -> f32
      kernel.store %0, %e[%j] : f32, memref<256xf32, #kernel.space<shared>>
    }
    kernel.barrier block
    // expected-remark @below {{keeps accesses to single elements: threads of the kernel share more than memory}}
    kernel.for %j = 0 to 256 map(thread) {
      %0 = kernel.load %e[-%j + 255] : memref<256xf32, #kernel.space<shared>> -> f32
      kernel.store %0, %y[%t, %j] : f32, memref<16x256xf32>
    }
  }
  kernel.return
}

// Nor does a warp wait for others.
// CHECK-LABEL: kernel.func @warps_wait
// CHECK-NOT: _row
kernel.func @warps_wait(%x: memref<256xf32>, %y: memref<256xf32>)
    attributes {group = "warps_wait", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
  %e = kernel.local : memref<256xf32, #kernel.space<shared>>
  // expected-remark @below {{keeps accesses to single elements: threads of the kernel share more than memory}}
  kernel.for %j = 0 to 256 map(thread) {
    %0 = kernel.load %x[%j] : memref<256xf32> -> f32
    kernel.store %0, %e[%j] : f32, memref<256xf32, #kernel.space<shared>>
  }
  kernel.barrier warp
  // expected-remark @below {{keeps accesses to single elements: threads of the kernel share more than memory}}
  kernel.for %j = 0 to 256 map(thread) {
    %0 = kernel.load %e[-%j + 255] : memref<256xf32, #kernel.space<shared>> -> f32
    kernel.store %0, %y[%j] : f32, memref<256xf32>
  }
  kernel.return
}
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
// Which iterations a thread has is what orders the two loops: nobody waits.
// CHECK-LABEL: kernel.func @passed
// CHECK-NOT: row
// CHECK: kernel.return
kernel.func @passed(%x: memref<2048xf32>, %y: memref<2048xf32>, %z: memref<2048xf32>)
    attributes {group = "passed", variant = "default", num_inputs = 1 : i64, num_outputs = 2 : i64, threads = 256 : i64} {
  // expected-remark @+1 {{keeps accesses to single elements: an array passes from iterations of one loop of threads to those of another}}
  kernel.for %i = 0 to 2048 map(thread) {
    %0 = kernel.load %x[%i] : memref<2048xf32> -> f32
    kernel.store %0, %y[%i] : f32, memref<2048xf32>
  }
  // expected-remark @+1 {{an array passes from iterations of one loop of threads to those of another}}
  kernel.for %i = 0 to 2047 map(thread) {
    %0 = kernel.load %y[%i] : memref<2048xf32> -> f32
    kernel.store %0, %z[%i] : f32, memref<2048xf32>
  }
  kernel.return
}
}
