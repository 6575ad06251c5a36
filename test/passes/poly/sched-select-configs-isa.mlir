// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each instruction set that the target tiles for takes its own config: where they
// differ a variant each, one for all where they agree.
// RUN: rm -rf %t && mkdir -p %t
// RUN: fusec-opt %s --sched-compute > %t/scheduled.mlir
// RUN: fusec-opt %t/scheduled.mlir --sched-select-configs > %t/free.mlir
// RUN: FileCheck %s --input-file %t/free.mlir
// RUN: fusec-opt %t/free.mlir | diff %t/free.mlir -
// RUN: fusec-opt %t/free.mlir --sched-tile --sched-map --sched-promote-arrays --sched-verify --convert-sched-to-kernel | FileCheck %s --check-prefix=KERNEL
// RUN: sed -e 's/generic/zen4/' %t/scheduled.mlir | fusec-opt --sched-select-configs | FileCheck %s --check-prefix=ONE
// RUN: sed -e 's/generic/portable/' %t/scheduled.mlir | fusec-opt --sched-select-configs | FileCheck %s --check-prefix=PORTABLE
// RUN: sed -e 's/generic/neon/' %t/scheduled.mlir | fusec-opt --sched-select-configs | FileCheck %s --check-prefix=ARM

// CHECK-LABEL: sched.scop @gemm{{$}}
// CHECK: tile = [6, 16]
// CHECK: attributes {group = "gemm", isa = "avx2", key = "[[KEY:[0-9a-f]*]]", proposer = "isl"}
// CHECK-LABEL: sched.scop @gemm_avx512{{$}}
// Fourteen rows 4,096 bytes apart would share eight places of the first cache.
// CHECK: tile = [5, 80]
// CHECK: attributes {group = "gemm", isa = "avx512", key = "[[KEY]]", proposer = "isl"}
// CHECK-LABEL: sched.scop @gemm_naive{{$}}
// CHECK: attributes {group = "gemm", key = "[[KEY]]", proposer = "program order"}
// CHECK-LABEL: sched.scop @copy{{$}}
// CHECK: attributes {group = "copy", key = "{{[0-9a-f]*}}", proposer = "isl"}
// CHECK-LABEL: sched.scop @copy_naive{{$}}
// CHECK-NOT: sched.scop

// KERNEL: kernel.func @gemm({{.*}} isa = "avx2", {{.*}} variant = "default"}
// KERNEL: kernel.func @gemm_avx512({{.*}} isa = "avx512", {{.*}} variant = "default"}
// KERNEL: kernel.func @gemm_naive({{.*}} variant = "naive"

// ONE-LABEL: sched.scop @gemm{{$}}
// ONE: tile = [8, 48]
// ONE-NOT: isa =
// ONE: sched.scop @gemm_naive

// Sixteen registers of 16 bytes hold two rows of a vector, 32 the tile of AVX2.
// PORTABLE-LABEL: sched.scop @gemm{{$}}
// PORTABLE: tile = [2, 16]
// PORTABLE-NOT: isa =
// PORTABLE: sched.scop @gemm_naive
// ARM-LABEL: sched.scop @gemm{{$}}
// ARM: tile = [6, 16]
// ARM-NOT: isa =
// ARM: sched.scop @gemm_naive

// A lock says it for one of them, or for all.
// RUN: printf 'fusec.lock 4\ntarget generic\n' > %t/head
// RUN: sed -n 's/.*isa = "avx512", key = "\([0-9a-f]*\)".*/group \1 isa=avx512 proposer=isl variant=default config=#sched.config<"default", [registers<tile = [7, 32], order = [1, 0]>, unit<lanes = 16>]>/p' %t/free.mlir > %t/entry
// RUN: cat %t/head %t/entry > %t/one.lock
// RUN: fusec-opt %t/scheduled.mlir --sched-select-configs=lock=%t/one.lock | FileCheck %s --check-prefix=LOCKED
// LOCKED-LABEL: sched.scop @gemm{{$}}
// LOCKED: tile = [6, 16]
// LOCKED: isa = "avx2", key = "{{.*}}", locked
// LOCKED-LABEL: sched.scop @gemm_avx512{{$}}
// LOCKED: tile = [7, 32]
// LOCKED: isa = "avx512"
// RUN: sed -e 's/ isa=avx512//; s/\[7, 32\]/[6, 16]/' %t/one.lock > %t/all.lock
// RUN: fusec-opt %t/scheduled.mlir --sched-select-configs=lock=%t/all.lock | FileCheck %s --check-prefix=ALL
// ALL-LABEL: sched.scop @gemm{{$}}
// ALL: tile = [6, 16]
// ALL: attributes {group = "gemm", key = "{{.*}}", locked, proposer = "isl"}
// ALL-LABEL: sched.scop @gemm_naive{{$}}

// The default of an instruction set is the first variant that serves it.
// RUN: sed -e 's/variant=default/variant=naive/' %t/one.lock > %t/naive.lock
// RUN: fusec-opt %t/scheduled.mlir --sched-select-configs=lock=%t/naive.lock | FileCheck %s --check-prefix=NAIVE
// NAIVE-LABEL: sched.scop @gemm{{$}}
// NAIVE: isa = "avx2"
// NAIVE-LABEL: sched.scop @gemm_naive{{$}}
// NAIVE-LABEL: sched.scop @gemm_avx512{{$}}
// RUN: sed -e 's/isa=avx512/isa=avx2/; s/32\]/16]/' %t/naive.lock > %t/weak.lock
// RUN: fusec-opt %t/scheduled.mlir --sched-select-configs=lock=%t/weak.lock | FileCheck %s --check-prefix=WEAK
// WEAK-LABEL: sched.scop @gemm{{$}}
// WEAK: isa = "avx512"
// WEAK-LABEL: sched.scop @gemm_naive{{$}}
// WEAK-LABEL: sched.scop @gemm_avx2{{$}}

// What a line for one of them says must fit it, and be for one that there is.
// RUN: sed -e 's/= .7, 32., order = .1, 0./= [7]/' %t/one.lock > %t/bad.lock
// RUN: not fusec-opt %t/scheduled.mlir --sched-select-configs=lock=%t/bad.lock 2>&1 | FileCheck %s --check-prefix=MISFIT
// MISFIT: bad.lock:3:1: error: the config does not fit group @gemm for avx512: it has 1 tile sizes for 2 loops
// MISFIT: note: change the line, or remove it for the default
// RUN: sed -e 's/isa=avx512/isa=neon/' %t/one.lock > %t/bad.lock
// RUN: not fusec-opt %t/scheduled.mlir --sched-select-configs=lock=%t/bad.lock 2>&1 | FileCheck %s --check-prefix=NEON
// NEON: bad.lock:3:1: error: is for group {{[0-9a-f]+}} and instruction set 'neon', for which target generic has no tiles
// NEON: note: name one of avx2, avx512, or leave out isa=: the line is then for all
// RUN: sed -e 's/isa=avx512/isa=avx2/; s/generic/zen4/' %t/one.lock > %t/bad.lock
// RUN: sed -e 's/generic/zen4/' %t/scheduled.mlir | not fusec-opt --sched-select-configs=lock=%t/bad.lock 2>&1 | FileCheck %s --check-prefix=ROW
// ROW: bad.lock:3:1: error: is for group {{[0-9a-f]+}} and instruction set 'avx2', for which target zen4 has no tiles
// ROW: note: name one of avx512, or leave out isa=
// RUN: cp %t/one.lock %t/bad.lock
// RUN: sed -n 's/ isa=avx512//p' %t/one.lock >> %t/bad.lock
// RUN: not fusec-opt %t/scheduled.mlir --sched-select-configs=lock=%t/bad.lock 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: bad.lock:4:1: error: is a second entry for group {{[0-9a-f]+$}}
// BOTH: note: line 3 is the first; keep one of them
// RUN: cp %t/one.lock %t/bad.lock
// RUN: sed -n 's/isa=avx512 proposer=isl/isa=avx2 proposer=structural/p' %t/one.lock >> %t/bad.lock
// RUN: not fusec-opt %t/scheduled.mlir --sched-select-configs=lock=%t/bad.lock 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: bad.lock:4:1: error: names proposer 'structural' for group {{[0-9a-f]+}}, and line 3 'isl': a group has one schedule

module attributes {fuse.target = "generic"} {
sched.scop @gemm ins(%x: memref<1024x1024xf32>, %w: memref<1024x1024xf32>) outs(%y: memref<1024x1024xf32>) arrays(%acc: memref<1024x1024xf32>) {
  sched.stmt @init [i: 1024, j: 1024] writes %acc[i, j] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @mac [i: 1024, j: 1024, k: 1024] reduces [k] reads %acc[i, j], %x[i, k], %w[k, j] writes %acc[i, j] {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = math.fma %1, %2, %0 : f32
    sched.yield %3 : f32
  }
  sched.stmt @epi [i: 1024, j: 1024] reads %acc[i, j] writes %y[i, j] {
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
}
