// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fusec.lock says which alternative of a choice is taken. The choice is found by its
// key: what its alternatives compute, whatever they are called and wherever they stand.
// RUN: rm -rf %t && mkdir -p %t
// RUN: fusec-opt %s --model-apply-choices > %t/free.mlir
// RUN: FileCheck %s --check-prefix=FREE --input-file %t/free.mlir
// RUN: printf 'fusec.lock 4\ntarget generic\n' > %t/head
// RUN: sed -n 's/.*key = "\([0-9a-f]*\)", name = "sum".*/choice \1 algorithm=direct/p' %t/free.mlir > %t/entry
// RUN: cat %t/head %t/entry > %t/fusec.lock
// RUN: fusec-opt %s --model-apply-choices=lock=%t/fusec.lock | FileCheck %s
// RUN: sed -e 's/@sum_direct/@one/g; s/@sum /@total /; s/%x/%many/g' -e 's/^  \/\/ before$/  kernel.launch @idle(%e, %e) : memref<8xf32>, memref<8xf32>/' %s | fusec-opt --model-apply-choices=lock=%t/fusec.lock | FileCheck %s --check-prefix=OTHER
// RUN: sed -e 's/arith.addf %0, %1/arith.mulf %0, %1/' %s | fusec-opt --model-apply-choices=lock=%t/fusec.lock | FileCheck %s --check-prefix=PRODUCT
// RUN: fusec-opt %s --model-apply-choices="lock=%t/fusec.lock choices=sum=split_reduce" | FileCheck %s --check-prefix=FORCED
// What costs least anyway needs no lock.
// RUN: sed -e 's/=direct/=split_reduce/' %t/fusec.lock > %t/same.lock
// RUN: fusec-opt %s --model-apply-choices=lock=%t/same.lock | diff %t/free.mlir -

// RUN: sed -e 's/=direct/=fast/' %t/fusec.lock > %t/unknown.lock
// RUN: not fusec-opt %s --model-apply-choices=lock=%t/unknown.lock 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: unknown.lock:3:1: error: there is no algorithm 'fast' for choice @sum
// UNKNOWN: note: take one of direct, split_reduce, or remove the line for what costs least

// The key is what committed files find the choice by: if this line changes, their
// entries are lost.
// FREE: kernel.choices = [{algorithm = "split_reduce", {{.*}} key = "f21e8316121bd0d8", name = "sum"
// CHECK: kernel.choices = [{algorithm = "direct", {{.*}} name = "sum", reason = "locked"}]
// CHECK: kernel.launch @sum_direct
// OTHER: algorithm = "direct", {{.*}} name = "total", reason = "locked"
// PRODUCT: algorithm = "split_reduce", {{.*}} steps of a core
// FORCED: algorithm = "split_reduce", {{.*}} reason = "forced"
sched.scop @sum_direct ins(%x: memref<8000000xf32>) outs(%y: memref<f32>) {
  sched.stmt @init [] writes %y[] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [k: 8000000] reduces [k] reads %y[], %x[k] writes %y[] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}
sched.scop @sum_parts ins(%x: memref<8000000xf32>) outs(%y: memref<8xf32>) {
  sched.stmt @init [i: 8] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [i: 8, k: 1000000] reduces [k] reads %y[i], %x[1000000 * i + k] writes %y[i] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}
sched.scop @sum_total ins(%x: memref<8xf32>) outs(%y: memref<f32>) {
  sched.stmt @init [] writes %y[] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  sched.stmt @sum [k: 8] reduces [k] reads %y[], %x[k] writes %y[] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    sched.yield %2 : f32
  }
}
sched.scop @idle ins(%x: memref<8xf32>) outs(%y: memref<8xf32>) {
  sched.stmt @exp [i: 8] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
}
func.func @main(%x: memref<8000000xf32>, %y: memref<f32>) attributes {fuse.outputs = 1 : i64} {
  %e = kernel.buffer : memref<8xf32>
  // before
  kernel.choice @sum ["direct", "split_reduce"] {
    kernel.launch @sum_direct(%x, %y) : memref<8000000xf32>, memref<f32>
  }, {
    %0 = kernel.buffer : memref<8xf32>
    kernel.launch @sum_parts(%x, %0) : memref<8000000xf32>, memref<8xf32>
    kernel.launch @sum_total(%0, %y) : memref<8xf32>, memref<f32>
  }
  return
}
