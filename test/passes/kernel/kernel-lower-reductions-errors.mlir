// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-lower-reductions -split-input-file -verify-diagnostics
// IR that breaks a rule of the dialect is refused before the pass runs; its own errors
// are of sums that blocks cannot add to an output.

kernel.func @narrow(%x: memref<64xf16>, %y: memref<1xf16>)
    attributes {group = "narrow", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %j = 0 to 64 map(vector) {
    %a = kernel.load %x[%j] : memref<64xf16> -> f32
    %b = kernel.load %y[0] : memref<1xf16> -> f32
    %c = arith.addf %a, %b : f32
    %d = arith.truncf %c : f32 to f16
    // expected-error @+1 {{operand #0 must be scalar of a compute type or 16 lanes of one, but got 'f16'}}
    kernel.store %d, %y[0] : f16, memref<1xf16>
  }
  kernel.return
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @one(%x: memref<300xf32>, %y: memref<2xf32>)
      attributes {group = "one", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    %sum = kernel.local : memref<f32, #kernel.space<thread>>
    %one = arith.constant 1.0 : f32
    // expected-note @+1 {{here}}
    kernel.store %one, %sum[] : f32, memref<f32, #kernel.space<thread>>
    // expected-error @+1 {{is atomic, but a sum of it cannot be added to an output: it begins with something else than zero}}
    kernel.for %jt = 0 to 3 map(block) atomic carries(add %sum : memref<f32, #kernel.space<thread>>) {
      kernel.for %j = 0 to 100 map(thread) carries(add %sum : memref<f32, #kernel.space<thread>>) {
        %0 = kernel.load %x[%jt * 100 + %j] : memref<300xf32> -> f32
        %1 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
        %2 = arith.addf %1, %0 : f32
        kernel.store %2, %sum[] : f32, memref<f32, #kernel.space<thread>>
      }
    }
    kernel.for %first = 0 to 1 map(thread) {
      %0 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
      kernel.store %0, %y[0] : f32, memref<2xf32>
    }
    kernel.return
  }
}

// -----

module attributes {fuse.target = "cuda-sm80"} {
  kernel.func @root(%x: memref<300xf32>, %y: memref<2xf32>)
      attributes {group = "root", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64, threads = 64 : i64} {
    %sum = kernel.local : memref<f32, #kernel.space<thread>>
    %zero = arith.constant 0.0 : f32
    kernel.store %zero, %sum[] : f32, memref<f32, #kernel.space<thread>>
    // expected-error @+1 {{is atomic, but a sum of it cannot be added to an output: it is not only stored to one}}
    kernel.for %jt = 0 to 3 map(block) atomic carries(add %sum : memref<f32, #kernel.space<thread>>) {
      kernel.for %j = 0 to 100 map(thread) carries(add %sum : memref<f32, #kernel.space<thread>>) {
        %0 = kernel.load %x[%jt * 100 + %j] : memref<300xf32> -> f32
        %1 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
        %2 = arith.addf %1, %0 : f32
        kernel.store %2, %sum[] : f32, memref<f32, #kernel.space<thread>>
      }
    }
    kernel.for %first = 0 to 1 map(thread) {
      // expected-note @+1 {{here}}
      %0 = kernel.load %sum[] : memref<f32, #kernel.space<thread>> -> f32
      %1 = math.sqrt %0 : f32
      kernel.store %1, %y[0] : f32, memref<2xf32>
    }
    kernel.return
  }
}
