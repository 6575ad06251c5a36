// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-describe-variants | FileCheck %s
// RUN: fusec-opt %s --model-describe-variants=remarks --verify-diagnostics -o /dev/null

// CHECK: module attributes {kernel.algorithms = {{[1-9][0-9]*}} : i64}

// What it does has a hash, and a lock a line for it.
// CHECK-LABEL: kernel.func @first(
// CHECK-SAME:  choice = "proposer=isl variant=default config=#sched.config<\22default\22, [cores<grain = 7>, registers<tile = [4]>, unit<lanes = 16, along = [0]>]>"
// CHECK-SAME:  hash = "[[HASH:[0-9a-f]+]]"
kernel.func @first(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {group = "first", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64,
                proposer = "isl", key = "00000000000000a1",
                config = #sched.config<"default", [cores<grain = 7>, registers<tile = [4]>, unit<lanes = 16, along = [0]>]>} {
  kernel.for %i = 0 to 64 {
    %0 = kernel.load %x[%i] : memref<64xf32> -> f32
    kernel.store %0, %y[%i] : f32, memref<64xf32>
  }
  kernel.return
}

// The same under other names, in another model, beside arguments of other variants.
// CHECK-LABEL: kernel.func @again(
// CHECK-SAME:  hash = "[[HASH]]"
kernel.func @again(%image: memref<64xf32>, %packed: memref<16xf32>, %copy: memref<64xf32>)
    attributes {group = "again", variant = "tiles_4", isa = "avx2", num_inputs = 2 : i64, num_outputs = 1 : i64,
                proposer = "structural", key = "00000000000000a2", locked,
                config = #sched.config<"tiles_4", [cores<grain = 9>, registers<tile = [2]>, unit<lanes = 16, along = [0]>]>} {
  kernel.for %row = 0 to 64 {
    %pixel = kernel.load %image[%row] : memref<64xf32> -> f32
    kernel.store %pixel, %copy[%row] : f32, memref<64xf32>
  }
  kernel.return
}

// Another body has another one. A naive variant has no line of its own.
// CHECK-LABEL: kernel.func @naive(
// CHECK-NOT:   choice
// CHECK-NOT:   hash = "[[HASH]]"
// CHECK-SAME:  hash = "
kernel.func @naive(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {group = "first", variant = "naive", num_inputs = 1 : i64, num_outputs = 1 : i64,
                proposer = "isl", key = "00000000000000a1",
                config = #sched.config<"naive", []>} {
  kernel.for %i = 0 to 63 {
    %0 = kernel.load %x[%i] : memref<64xf32> -> f32
    kernel.store %0, %y[%i] : f32, memref<64xf32>
  }
  kernel.return
}

// CHECK-LABEL: kernel.func @by_hand(
// CHECK-NOT:   hash =
// expected-remark@+1 {{is not described: it was made of no config}}
kernel.func @by_hand(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {group = "by_hand", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.return
}
