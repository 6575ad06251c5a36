// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --model-apply-choices | FileCheck %s
// RUN: fusec-opt %s --model-apply-choices=choices=sum=direct | FileCheck %s --check-prefix=DIRECT
// RUN: fusec-opt %s --model-apply-choices="choices=*=direct" | FileCheck %s --check-prefix=DIRECT
// RUN: fusec-opt %s --model-apply-choices=workspace-limit=0 | FileCheck %s --check-prefix=LIMIT
// RUN: fusec-opt %s --model-apply-choices="alternatives=2 choices=sum=direct" | FileCheck %s --check-prefix=DIRECT
// RUN: fusec-opt %s --model-apply-choices=numerics=fast | FileCheck %s --check-prefix=FAST
// RUN: fusec-opt %s --model-apply-choices=alternatives=2 | FileCheck %s --check-prefix=SEVERAL
// RUN: fusec-opt %s --model-apply-choices=remarks --verify-diagnostics -o /dev/null

// RUN: fusec-opt %s --model-apply-choices | sed -n 's/.*kernel.model_key = "\([0-9a-f]*\)".*/\1/p' > %t.cheapest
// RUN: fusec-opt %s --model-apply-choices=choices=sum=direct | sed -n 's/.*kernel.model_key = "\([0-9a-f]*\)".*/\1/p' > %t.direct
// RUN: diff %t.cheapest %t.direct
// RUN: fusec-opt %s --model-apply-choices=choices=sum=direct | fusec-opt --model-apply-choices | FileCheck %s --check-prefix=KEPT

// The model's key is the same whatever is taken, and stays when nothing is left to take.
// KEPT: kernel.model_key = "{{[0-9a-f]+}}"

// What costs least is taken, with its temporaries; the other kernel goes.
// CHECK-NOT: sched.scop @sum_direct
// CHECK: sched.scop @sum_parts
// CHECK: sched.scop @sum_total
// CHECK: sched.scop @idle
// CHECK-LABEL: func.func @main
// CHECK-SAME: kernel.choices = [{algorithm = "split_reduce", alternatives = ["direct", "split_reduce"], key = "{{[0-9a-f]+}}", name = "sum", reason = "{{.*}} steps of a core, direct {{.*}}"}]
// CHECK-NEXT: %[[B:.*]] = kernel.buffer : memref<8xf32>
// CHECK-NEXT: kernel.launch @sum_parts(%arg0, %[[B]])
// CHECK-NEXT: kernel.launch @sum_total(%[[B]], %arg1)
// CHECK-NEXT: return

// With no room for temporaries the one that has none is the cheapest.
// LIMIT-NOT: @sum_parts
// LIMIT-LABEL: func.func @main
// LIMIT-SAME: kernel.choices = [{algorithm = "direct", {{.*}}, reason = "{{[0-9]+}} steps of a core, split_reduce {{[0-9]+}}; what costs less has larger buffers than the limit"}]

// Where threads may add up parts in any order, one kernel is one long reduction of all cores.
// FAST-LABEL: func.func @main
// FAST-SAME: kernel.choices = [{algorithm = "direct", {{.*}}, reason = "[[#%u,COST:]] steps of a core, split_reduce {{[0-9]+}}"}]

// Where programs have several, the one that is taken comes first.
// SEVERAL: sched.scop @sum_direct
// SEVERAL-LABEL: func.func @main
// SEVERAL-SAME: kernel.choices = [{algorithm = "split_reduce",
// SEVERAL: kernel.choice @sum ["split_reduce", "direct"] attributes {key = "[[KEY:[0-9a-f]+]]"} {
// SEVERAL-NEXT: %[[B:.*]] = kernel.buffer : memref<8xf32>
// SEVERAL-NEXT: kernel.launch @sum_parts(%arg0, %[[B]])
// SEVERAL-NEXT: kernel.launch @sum_total(%[[B]], %arg1)
// SEVERAL-NEXT: }, {
// SEVERAL-NEXT: kernel.launch @sum_direct(%arg0, %arg1)
// SEVERAL-NEXT: }

// DIRECT-NOT: @sum_parts
// DIRECT-LABEL: func.func @main
// DIRECT-SAME: kernel.choices = [{algorithm = "direct", {{.*}}, reason = "forced"}]
// DIRECT-NEXT: kernel.launch @sum_direct(%arg0, %arg1)
// DIRECT-NEXT: return
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
// No choice launches it: it is none of this pass's business.
sched.scop @idle ins(%x: memref<8xf32>) outs(%y: memref<8xf32>) {
  sched.stmt @exp [i: 8] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    sched.yield %1 : f32
  }
}
func.func @main(%x: memref<8000000xf32>, %y: memref<f32>) attributes {fuse.outputs = 1 : i64} {
  // expected-remark @below {{@sum is split_reduce: 1032778 steps of a core, direct 8016385}}
  kernel.choice @sum ["direct", "split_reduce"] {
    kernel.launch @sum_direct(%x, %y) : memref<8000000xf32>, memref<f32>
  }, {
    %0 = kernel.buffer : memref<8xf32>
    kernel.launch @sum_parts(%x, %0) : memref<8000000xf32>, memref<8xf32>
    kernel.launch @sum_total(%0, %y) : memref<8xf32>, memref<f32>
  }
  return
}
