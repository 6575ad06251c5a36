// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of what an operator of a user's takes nobody knows: the first is taken, but what is known
// goes before it, and a limit of memory before both.
// RUN: fusec-opt %s --model-apply-choices | FileCheck %s
// RUN: fusec-opt %s --model-apply-choices=workspace-limit=64 | FileCheck %s --check-prefix=LIMIT
// RUN: fusec-opt %s --model-apply-choices=workspace-limit=0 | FileCheck %s --check-prefix=NONE

// The key is of what the operators are made of, too.
// RUN: sed 's/0123456789abcdef/fedcba9876543210/' %s > %t.mlir
// RUN: sh -c 'for f in %s %t.mlir; do fusec-opt $f --model-apply-choices | grep -o "key = \"[0-9a-f]*\", name = \"sum\""; done | sort -u | wc -l' | FileCheck %s --check-prefix=KEYS
// KEYS: 2

fuse.op @custom.Sum version 1 inputs ["x"] outputs ["y"] parameters {} of "sums" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
sched.scop @exp_direct ins(%x: memref<8xf32>) outs(%y: memref<8xf32>) {
  sched.stmt @exp [i: 8] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
}

// CHECK-LABEL: func.func @main
// CHECK-SAME: {algorithm = "stored", {{.*}} name = "sum", reason = "the first of those whose cost nobody knows", varying = ["atomic"], workspaces = array<i64: 128, 64, 0>}
// CHECK-SAME: {algorithm = "written", {{.*}} name = "exp", reason = "{{[0-9]+}} steps of a core, called unknown", workspaces = array<i64: 0, 0>}
// CHECK: kernel.call @custom.Sum(%arg0) {{.*}}op.algorithm = "stored"
// CHECK: kernel.launch @exp_direct
// LIMIT-LABEL: func.func @main
// LIMIT-SAME: {algorithm = "blocked", {{.*}} reason = "the first of those whose cost nobody knows; what goes before it has larger buffers than the limit"
// LIMIT: kernel.call @custom.Sum(%arg0) {{.*}}op.algorithm = "blocked"
// NONE-LABEL: func.func @main
// NONE-SAME: {algorithm = "atomic",
func.func @main(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) attributes {fuse.outputs = 2 : i64} {
  kernel.choice @sum ["stored", "blocked", "atomic"] {
    %w = kernel.buffer : memref<128xi8>
    kernel.call @custom.Sum(%x) outs(%y) workspace(%w : memref<128xi8>) {op.algorithm = "stored", op.workspace = 128}
        : (memref<8xf32>) -> memref<8xf32>
  }, {
    %w = kernel.buffer : memref<64xi8>
    kernel.call @custom.Sum(%x) outs(%y) workspace(%w : memref<64xi8>) {op.algorithm = "blocked", op.workspace = 64}
        : (memref<8xf32>) -> memref<8xf32>
  }, {
    kernel.call @custom.Sum(%x) outs(%y) {op.algorithm = "atomic", op.reproducible = false}
        : (memref<8xf32>) -> memref<8xf32>
  }
  kernel.choice @exp ["called", "written"] {
    kernel.call @custom.Sum(%x) outs(%z) {} : (memref<8xf32>) -> memref<8xf32>
  }, {
    kernel.launch @exp_direct(%x, %z) : memref<8xf32>, memref<8xf32>
  }
  return
}
