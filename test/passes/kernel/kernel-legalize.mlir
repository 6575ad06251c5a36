// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --kernel-legalize -split-input-file -verify-diagnostics | FileCheck %s

// Ranges of indices resolve floordiv and mod; a loop of one iteration goes, and
// so do bounds, conditions and masks that always hold.
// CHECK-LABEL: kernel.func @indices
// CHECK: kernel.for %i = 0 to 8 {
// CHECK-NEXT: kernel.for %k = 0 to 8 {
// CHECK-NEXT: kernel.load %x[%i, %k] : memref<8x8xf32> -> f32
// CHECK-NEXT: kernel.store %{{.*}}, %y[%k, 0] : f32
// CHECK: kernel.for %j = 0 to 32 step 16 {
// CHECK-NEXT: kernel.load %z[%j floordiv 16, 0] : memref<8x16xf32> -> vector<16xf32>
// CHECK-NEXT: kernel.store %{{.*}}, %z[2, 0] : vector<16xf32>
kernel.func @indices(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %z: memref<8x16xf32>)
    attributes {group = "indices", variant = "default", num_inputs = 1 : i64, num_outputs = 2 : i64} {
  kernel.for %i = 0 to 8 {
    kernel.for %k = 0 to min affine_map<(d0) -> (8, d0 + 8)>(%i) {
      kernel.for %one = 0 to 16 step 16 {
        %row = kernel.apply affine_map<(d0, d1) -> ((8 * d0 + d1) floordiv 8)>(%i, %k)
        %in = kernel.in_bounds affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>(%k) : i1
        kernel.if affine_set<(d0) : (d0 + 1 >= 0)>(%k) {
          %0 = kernel.load %x[%row, (%i * 8 + %k) mod 8] mask %in fill 1.0 : f32 : memref<8x8xf32>, i1 -> f32
          kernel.store %0, %y[%k + %one, %one] : f32, memref<8x8xf32>
        }
        kernel.if affine_set<(d0) : (d0 - 8 >= 0)>(%k) {
          %0 = kernel.load %x[0, 0] : memref<8x8xf32> -> f32
          kernel.store %0, %y[0, 0] : f32, memref<8x8xf32>
        }
      }
    }
  }
  kernel.for %j = 0 to 32 step 16 {
    %m = kernel.tail_mask %j, affine_map<() -> (32)>() : vector<16xi1>
    %0 = kernel.load %z[%j floordiv 16, %j mod 16] mask %m : memref<8x16xf32>, vector<16xi1> -> vector<16xf32>
    kernel.store %0, %z[(%j + 32) floordiv 16 - %j floordiv 16, 0] mask %m : vector<16xf32>, memref<8x16xf32>, vector<16xi1>
  }
  kernel.return
}

// -----

// What does not change leaves the loop, but not the parallel one and not a loop
// that may have no iteration. An array that nothing reads goes.
// CHECK-LABEL: kernel.func @invariants
// CHECK: kernel.for %i = 0 to 64 map(parallel) {
// CHECK-NEXT: %s = kernel.load %x[%i] : memref<64xf32> -> f32
// CHECK-NEXT: %[[B:.*]] = kernel.broadcast %s
// CHECK-NEXT: kernel.for %j = 0 to 512 step 16 {
// CHECK-NEXT: kernel.store %[[B]], %y[%i, %j]
// CHECK: kernel.for %k = 0 to #{{.*}}(%i) {
// CHECK-NEXT: kernel.load %x[%i] : memref<64xf32> -> f32
// CHECK-NOT: kernel.local
kernel.func @invariants(%x: memref<64xf32>, %y: memref<64x512xf32>)
    attributes {group = "invariants", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 64 map(parallel) {
    kernel.for %j = 0 to 512 step 16 {
      %s = kernel.load %x[%i] : memref<64xf32> -> f32
      %b = kernel.broadcast %s : f32 -> vector<16xf32>
      kernel.store %b, %y[%i, %j] : vector<16xf32>, memref<64x512xf32>
    }
    %dead = kernel.local : memref<64xf32>
    %deader = kernel.local : memref<64xf32>
    kernel.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
      %s = kernel.load %x[%i] : memref<64xf32> -> f32
      kernel.store %s, %y[%i, %k] : f32, memref<64x512xf32>
      kernel.store %s, %dead[%k] : f32, memref<64xf32>
      %d = kernel.load %dead[%k] : memref<64xf32> -> f32
      kernel.store %d, %deader[%k] : f32, memref<64xf32>
    }
  }
  kernel.return
}

// -----

// Parallel loops have the grain of the config. A perfect nest of them runs as one:
// the grain is in its iterations.
// CHECK-LABEL: kernel.func @nest
// CHECK: kernel.for %i = 0 to 64 map(parallel) {
// CHECK-NEXT: kernel.for %j = 0 to 64 map(parallel) grain = 7 {
kernel.func @nest(%x: memref<64x64xf32>, %y: memref<64x64xf32>)
    attributes {config = #sched.config<"default", [cores<grain = 7>, registers<tile = [1, 1]>]>, group = "nest", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 64 map(parallel) {
    kernel.for %j = 0 to 64 map(parallel) {
      %0 = kernel.load %x[%i, %j] : memref<64x64xf32> -> f32
      kernel.store %0, %y[%i, %j] : f32, memref<64x64xf32>
    }
  }
  kernel.return
}

// -----

// What was not made with a config keeps what its text says.
// CHECK-LABEL: kernel.func @written
// CHECK: kernel.for %i = 0 to 64 map(parallel) grain = 3 {
kernel.func @written(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {group = "written", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 64 map(parallel) grain = 3 {
    %0 = kernel.load %x[%i] : memref<64xf32> -> f32
    kernel.store %0, %y[%i] : f32, memref<64xf32>
  }
  kernel.return
}

// -----

// What the vocabulary lacks is expanded.
// CHECK-LABEL: kernel.func @words
// CHECK-NOT: ceildivsi
// CHECK: arith.floordivsi
// CHECK: arith.xori
// CHECK: arith.cmpi slt
// CHECK: math.powf
kernel.func @words(%x: memref<64xf32>, %n: memref<64xi32>, %m: memref<64xi32>, %b: memref<64xi1>, %y: memref<64xf32>)
    attributes {group = "words", variant = "default", num_inputs = 2 : i64, num_outputs = 3 : i64} {
  kernel.for %i = 0 to 64 step 16 {
    %0 = kernel.load %n[%i] : memref<64xi32> -> vector<16xi32>
    %1 = kernel.load %m[%i] : memref<64xi32> -> vector<16xi32>
    %2 = arith.ceildivsi %0, %1 : vector<16xi32>
    kernel.store %2, %m[%i] : vector<16xi32>, memref<64xi32>
    %3 = arith.cmpi ult, %0, %1 : vector<16xi32>
    kernel.store %3, %b[%i] : vector<16xi1>, memref<64xi1>
    %4 = kernel.load %x[%i] : memref<64xf32> -> vector<16xf32>
    %5 = math.fpowi %4, %0 : vector<16xf32>, vector<16xi32>
    kernel.store %5, %y[%i] : vector<16xf32>, memref<64xf32>
  }
  kernel.return
}

// -----

// CHECK-LABEL: kernel.func @unrolled
// CHECK: kernel.for %i = 0 to 8 map(unroll) {
// CHECK: kernel.for %i = 0 to 65 {
// CHECK: kernel.for %j = 0 to #{{.*}}(%i) {
kernel.func @unrolled(%x: memref<65xf32>, %y: memref<65x65xf32>)
    attributes {group = "unrolled", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 8 map(unroll) {
    %0 = kernel.load %x[%i] : memref<65xf32> -> f32
    kernel.store %0, %y[%i, 1] : f32, memref<65x65xf32>
  }
  // expected-remark @+1 {{not unrolled: it has 65 iterations, more than 64}}
  kernel.for %i = 0 to 65 map(unroll) {
    // expected-remark @+1 {{not unrolled: its trip count is not a constant}}
    kernel.for %j = 0 to affine_map<(d0) -> (d0)>(%i) map(unroll) {
      %0 = kernel.load %x[%j] : memref<65xf32> -> f32
      kernel.store %0, %y[%i, %j] : f32, memref<65x65xf32>
    }
  }
  kernel.return
}

// -----

// A naive kernel comes out as it went in.
// CHECK-LABEL: kernel.func @naive
// CHECK-NEXT: kernel.for %i = 0 to 64 {
// CHECK-NEXT: kernel.for %k = 0 to 32 {
// CHECK-NEXT: %a = kernel.load %x[%i, %k] : memref<64x32xf32> -> f32
// CHECK-NEXT: %c = kernel.load %y[%i] : memref<64xf32> -> f32
// CHECK-NEXT: %[[D:.*]] = arith.addf %c, %a : f32
// CHECK-NEXT: kernel.store %[[D]], %y[%i] : f32, memref<64xf32>
kernel.func @naive(%x: memref<64x32xf32>, %y: memref<64xf32>)
    attributes {group = "naive", variant = "naive", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %i = 0 to 64 {
    kernel.for %k = 0 to 32 {
      %a = kernel.load %x[%i, %k] : memref<64x32xf32> -> f32
      %c = kernel.load %y[%i] : memref<64xf32> -> f32
      %d = arith.addf %c, %a : f32
      kernel.store %d, %y[%i] : f32, memref<64xf32>
    }
  }
  kernel.return
}

// -----

// A store of what the place holds already, and the loop around it, go; not one behind
// another store, nor of lanes that a mask filled.
// CHECK-LABEL: kernel.func @idle
// CHECK-NOT: kernel.for %k
// CHECK: kernel.for %i = 0 to 4 {
// CHECK-NEXT: %[[V:.*]] = kernel.load %y[%i]
// CHECK-NEXT: kernel.store %{{.*}}, %y[%i]
// CHECK-NEXT: kernel.store %[[V]], %y[%i]
// CHECK-NEXT: }
// CHECK-NEXT: kernel.for %j = 0 to 2
// CHECK: kernel.load %z[%j * 16] mask
// CHECK: kernel.store
// CHECK: kernel.return
kernel.func @idle(%y: memref<64xf32>, %z: memref<32xf32>)
    attributes {group = "idle", variant = "naive", num_inputs = 0 : i64, num_outputs = 2 : i64} {
  %zero = arith.constant 0.0 : f32
  kernel.for %k = 0 to 32 {
    kernel.for %i = 0 to 64 {
      %a = kernel.load %y[%i] : memref<64xf32> -> f32
      %b = arith.addf %a, %a : f32
      kernel.store %a, %y[%i] : f32, memref<64xf32>
    }
  }
  kernel.for %i = 0 to 4 {
    %a = kernel.load %y[%i] : memref<64xf32> -> f32
    kernel.store %zero, %y[%i] : f32, memref<64xf32>
    kernel.store %a, %y[%i] : f32, memref<64xf32>
  }
  kernel.for %j = 0 to 2 {
    %m = kernel.tail_mask %j, affine_map<() -> (1)>() : vector<16xi1>
    %v = kernel.load %z[%j * 16] mask %m : memref<32xf32>, vector<16xi1> -> vector<16xf32>
    kernel.store %v, %z[%j * 16] : vector<16xf32>, memref<32xf32>
  }
  kernel.return
}

// -----

// Guards have the smallest numbers that say the same: rows 6 * it + 5 < 320, columns
// 12 * it + 3 >= 12, and every third one.
// CHECK: #[[$GUARD:.*]] = affine_set<(d0, d1) : (-d0 + 52 >= 0, d1 - 1 >= 0, d0 - d1 == 0)>
// CHECK-LABEL: kernel.func @guards
// CHECK: kernel.if #[[$GUARD]](%it, %jt) {
kernel.func @guards(%x: memref<54x54xf32>, %y: memref<54x54xf32>)
    attributes {group = "guards", variant = "default", num_inputs = 1 : i64, num_outputs = 1 : i64} {
  kernel.for %it = 0 to 54 {
    kernel.for %jt = 0 to 54 {
      kernel.if affine_set<(d0, d1) : (d0 * -6 + 314 >= 0, d1 * 12 - 9 >= 0, d0 * 3 - d1 * 3 == 0)>(%it, %jt) {
        %a = kernel.load %x[%it, %jt] : memref<54x54xf32> -> f32
        kernel.store %a, %y[%it, %jt] : f32, memref<54x54xf32>
      }
    }
  }
  kernel.return
}
