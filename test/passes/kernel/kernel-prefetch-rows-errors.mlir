// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-prefetch-rows -split-input-file -verify-diagnostics
// What a config asks for is done, or a remark says why it is not: a prefetch is a
// hint, without which a kernel is right.

// expected-remark @below {{argument 0 is not prefetched: no tile reads it in another line with each step of a reduction, and no loop on threads has a loop that computes functions}}
kernel.func @copy(%x: memref<1024x512xf32> {kernel.prefetch}, %y: memref<1024x512xf32>)
    attributes {group = "one_pass", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 1024 map(parallel) {
    kernel.for %j = 0 to 512 step 16 {
      %0 = kernel.load %x[%i, %j] : memref<1024x512xf32> -> vector<16xf32>
      kernel.store %0, %y[%i, %j] : vector<16xf32>, memref<1024x512xf32>
    }
  }
  kernel.return
}

// -----

// expected-remark @below {{argument 0 is not prefetched: the loop that computes functions does not load it row by row}}
kernel.func @down(%x: memref<512x1024xf32> {kernel.prefetch}, %y: memref<1024x512xf32>)
    attributes {group = "s", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 1024 map(parallel) {
    kernel.for %j = 0 to 512 {
      %0 = kernel.load %x[%j, %i] : memref<512x1024xf32> -> f32
      %1 = math.exp %0 : f32
      kernel.store %1, %y[%i, %j] : f32, memref<1024x512xf32>
    }
  }
  kernel.return
}

// -----

// expected-remark @below {{argument 1 is not prefetched: it is there when the loop that computes functions is done}}
kernel.func @touched(%x: memref<1024x512xf32>, %y: memref<1024x512xf32> {kernel.prefetch})
    attributes {group = "s", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 1024 map(parallel) {
    kernel.for %j = 0 to 512 step 16 {
      %0 = kernel.load %x[%i, %j] : memref<1024x512xf32> -> vector<16xf32>
      %1 = math.exp %0 : vector<16xf32>
      kernel.store %1, %y[%i, %j] : vector<16xf32>, memref<1024x512xf32>
    }
  }
  kernel.return
}

// -----

// expected-remark @below {{argument 1 is not prefetched: no loop after the one that computes functions stores it row by row}}
kernel.func @unstored(%x: memref<1024x512xf32>, %y: memref<1024x512xf32> {kernel.prefetch})
    attributes {group = "s", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 1024 map(parallel) {
    %row = kernel.local : memref<32xvector<16xf32>>
    kernel.for %j = 0 to 512 step 16 {
      %0 = kernel.load %x[%i, %j] : memref<1024x512xf32> -> vector<16xf32>
      %1 = math.exp %0 : vector<16xf32>
      kernel.store %1, %row[%j floordiv 16] : vector<16xf32>, memref<32xvector<16xf32>>
    }
  }
  kernel.return
}

// -----

// expected-remark @below {{argument 1 is not prefetched: the loop that computes functions loads no row as long as its}}
kernel.func @shorter(%x: memref<1024x256xf32>, %y: memref<1024x512xf32> {kernel.prefetch})
    attributes {group = "s", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 1024 map(parallel) {
    %row = kernel.local : memref<16xvector<16xf32>>
    kernel.for %j = 0 to 256 step 16 {
      %0 = kernel.load %x[%i, %j] : memref<1024x256xf32> -> vector<16xf32>
      %1 = math.exp %0 : vector<16xf32>
      kernel.store %1, %row[%j floordiv 16] : vector<16xf32>, memref<16xvector<16xf32>>
    }
    kernel.for %j = 0 to 512 step 16 {
      %0 = kernel.load %row[0] : memref<16xvector<16xf32>> -> vector<16xf32>
      kernel.store %0, %y[%i, %j] : vector<16xf32>, memref<1024x512xf32>
    }
  }
  kernel.return
}

// -----

// IR that breaks a rule of the dialect is refused before the pass runs.
kernel.func @rank(%x: memref<1024x512xf32>, %y: memref<1024x512xf32>)
    attributes {group = "s", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 1024 map(parallel) {
    // expected-error @+1 {{has 1 subscripts for 'memref<1024x512xf32>', which has rank 2}}
    kernel.prefetch %x[%i] : memref<1024x512xf32>
  }
  kernel.return
}

// -----

// expected-error @below {{argument 2 has kernel.prefetch, which inputs and outputs may have}}
kernel.func @workspace(%x: memref<1024x512xf32>, %y: memref<1024x512xf32>, %z: memref<1024x512xf32> {kernel.prefetch})
    attributes {group = "s", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}
