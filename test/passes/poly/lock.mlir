// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fusec.lock says who proposes, which config is taken, and which variant is the
// default. The group is found by its key, which no name is part of.
// RUN: rm -rf %t && mkdir -p %t
// RUN: fusec-opt %s --sched-compute --sched-select-configs > %t/free.mlir
// RUN: FileCheck %s --check-prefix=FREE --input-file %t/free.mlir
// RUN: printf 'fusec.lock 4\ntarget generic\n' > %t/fusec.lock
// RUN: sed -n 's/.*group = "gemm", isa = "avx2", key = "\([0-9a-f]*\)", proposer = "isl".*/group \1 proposer=structural variant=naive config=#sched.config<"default", [registers<tile = [8, 32]>]>/p' %t/free.mlir >> %t/fusec.lock
// RUN: fusec-opt %s --sched-compute=lock=%t/fusec.lock --sched-select-configs=lock=%t/fusec.lock --sched-verify | FileCheck %s
// RUN: sed -e 's/@gemm/@other/; s/@mac/@o/; s/\[a/[row/g; s/%acc/%q/g' %s | fusec-opt --sched-compute=lock=%t/fusec.lock | FileCheck %s --check-prefix=OTHER
// RUN: sed -e 's/math.fma %1, %2, %0/math.fma %1, %1, %0/' %s | fusec-opt --sched-compute=lock=%t/fusec.lock | FileCheck %s --check-prefix=SQUARES

// An entry that says what would be decided anyway costs isl nothing.
// RUN: printf 'fusec.lock 4\ntarget generic\n' > %t/same.lock
// RUN: sed -n 's/.*group = "gemm", isa = "avx2", key = "\([0-9a-f]*\)", proposer = "isl".*/group \1 isa=avx2 proposer=isl variant=default config=#sched.config<"default", [registers<tile = [6, 16], order = [1, 0]>, unit<lanes = 16, along = [1, 1, 1]>]>/p' %t/free.mlir >> %t/same.lock
// RUN: fusec-opt %s --sched-compute --sched-select-configs="variants=1 operations=70000" > %t/tight.mlir
// RUN: fusec-opt %s --sched-compute --sched-select-configs="variants=1 operations=70000 lock=%t/same.lock" | diff %t/tight.mlir -
// RUN: not grep timed_out %t/tight.mlir

// The key is what committed files find the group by: if this line changes, their
// entries are lost.
// FREE-LABEL: sched.scop @gemm
// FREE: attributes {group = "gemm", isa = "avx2", key = "064e3018ea3b557d", proposer = "isl"}
// FREE-LABEL: sched.scop @gemm_naive
// FREE: attributes {group = "gemm", key = "064e3018ea3b557d", proposer = "program order"}

// CHECK-LABEL: sched.scop @gemm{{$}}
// CHECK: config(#sched.config<"naive", []>)
// CHECK: attributes {group = "gemm", key = "{{[0-9a-f]*}}", locked, proposer = "program order"}
// CHECK-LABEL: sched.scop @gemm_default
// CHECK: config(#sched.config<"default", [cores<grain = {{[0-9]+}}>, registers<tile = [8, 32]>]>)
// CHECK: attributes {group = "gemm", key = "{{[0-9a-f]*}}", proposer = "structural"}
// The other group is in no lock.
// CHECK-LABEL: sched.scop @copy
// CHECK: tile = [64]
// CHECK-NOT: locked
// CHECK: sched.scop @copy_naive

// OTHER-LABEL: sched.scop @other
// OTHER: proposer = "structural"
// Other operations are another group.
// SQUARES-LABEL: sched.scop @gemm
// SQUARES: proposer = "isl"
sched.scop @gemm ins(%x: memref<128x64xf32>, %w: memref<64x256xf32>) outs(%y: memref<128x256xf32>) arrays(%acc: memref<128x256xf32>) {
  sched.stmt @init [i: 128, j: 256] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [a: 128, b: 256, c: 64] reduces [c] reads %acc[a, b], %x[a, c], %w[c, b] writes %acc[a, b] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 128, j: 256] reads %acc[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
sched.scop @copy ins(%x: memref<64xf32>) outs(%y: memref<64xf32>) {
  sched.stmt @copy [i: 64] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
