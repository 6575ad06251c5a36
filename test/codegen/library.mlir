// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the library in the emitted folder, which holds the headers that it
// needs of the library and no others.
// RUN: rm -rf %t && fusec compile %s -o %t
// RUN: FileCheck %s --input-file %t/picks.cpp
// RUN: tr -s ' \n' ' ' < %t/picks.cpp | FileCheck %s --check-prefix=CALLS
// RUN: ls %t/runtime/include/fusec/library | FileCheck %s --check-prefix=FILES
// RUN: FileCheck %s --check-prefix=JSON --input-file %t/model.json
// RUN: fusec inspect %t | FileCheck %s --check-prefix=INSPECT
// RUN: fusec verify %s
// RUN: g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I%t -I%t/runtime/include %t/picks.cpp

// CHECK: #include "fusec/host.h"
// CHECK-NEXT: #include "fusec/library/scatter.h"
// CHECK-NEXT: #include "fusec/library/top_k.h"

// CALLS: enum launch_index : uint32_t { {{.*}}num_launches };
// CALLS-SAME: enum call_index : uint32_t { best_call = num_launches, spread_call };
// CALLS-SAME: call(run, best_call, [&] { fusec::library::top_k({{ ?}}run->kernel_ctx, {{[^;]*}}, /*outer=*/4, /*extent=*/9, /*inner=*/1, /*k=*/3, /*largest=*/true);
// CALLS-SAME: for (int64_t [[I:[a-z_0-9]+]] = 0; [[I]] < 2; ++[[I]]) {
// CALLS-SAME: call(run, spread_call, [&] { fusec::library::scatter_elements({{ ?}}run->kernel_ctx, {{[^;]*}}, /*dims=*/{4, 3}, /*counts=*/{4, 2}, /*axis=*/1, /*reduction=*/fusec::library::Reduction::add); });
// CALLS-SAME: std::swap(

// FILES: common.h
// FILES-NEXT: elements.h
// FILES-NEXT: scatter.h
// FILES-NEXT: top_k.h
// FILES-NOT: {{.}}

// JSON: "calls": [
// JSON: "name": "best_call"
// JSON-NEXT: "routine": "top_k"
// JSON-NEXT: "symbol": "fusec::library::top_k"
// JSON-NEXT: "header": "fusec/library/top_k.h"
// JSON-NEXT: "nodes": [
// JSON-NEXT: "best"
// JSON: "workspace_bytes": 0

// INSPECT: picks: {{.*}}, 2 library calls, {{[0-9]+}} bytes of temporaries
// INSPECT: top_k
// INSPECT-NEXT: nodes best
// INSPECT-NEXT: library fusec::library::top_k of fusec/library/top_k.h
module @picks {
  func.func @main(%x: tensor<4x9xf32> {fuse.name = "x"}, %i: tensor<4x2xi64> {fuse.name = "i"})
      -> (tensor<4x3xf32> {fuse.name = "y"}, tensor<4x3xi64> {fuse.name = "where"}) {
    %e = fuse.exp %x : tensor<4x9xf32> loc("exp")
    %v, %w = fuse.call @top_k(%e) {axis = 1, k = 3, largest = true} : (tensor<4x9xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>) loc("best")
    %y = fuse.loop trips = 2 carries(%v) : (tensor<4x3xf32>) -> tensor<4x3xf32> {
    ^bb0(%n: tensor<i64>, %a: tensor<4x3xf32> loc("a")):
      %u = fuse.slice %a offsets = [0, 0] strides = [1, 1] : tensor<4x3xf32> -> tensor<4x2xf32> loc("part")
      %0 = fuse.call @scatter_elements(%a, %i, %u) {axis = 1, reduction = "add"}
          : (tensor<4x3xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x3xf32> loc("spread")
      fuse.yield %0 : tensor<4x3xf32>
    }
    return %y, %w : tensor<4x3xf32>, tensor<4x3xi64>
  }
}
