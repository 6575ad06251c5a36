// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and branches of the host program, as C++.
// RUN: rm -rf %t && fusec compile %s -o %t --runtime=installed
// RUN: FileCheck %s --match-full-lines --input-file %t/control.cpp
// RUN: fusec verify %s

// CHECK: #include <cstring>
// CHECK-NEXT: #include <utility>
// CHECK: int32_t run(const fusec_run_ctx *run) {
// CHECK: float *[[H:.*]] = arena<float>(run, {{[0-9]+}});
// CHECK: std::memcpy([[H]], h0, 16);
// CHECK: float *h_next = arena<float>(run, {{[0-9]+}});
// CHECK-NEXT: for (int64_t i = 0; i < 5; ++i) {
// CHECK-NEXT:   const float *b = x + (16 - i * 4);
// CHECK-NEXT:   float *[[ROW:.*]] = y + i * 4;
// CHECK-NEXT:   launch<control::{{.*}}_fn>(run, {{.*}}, [[H]], b, h_next);
// CHECK-NEXT:   std::memcpy([[ROW]], h_next, 16);
// CHECK-NEXT:   std::swap([[H]], h_next);
// CHECK-NEXT: }
// CHECK: std::memset(rows, 0, 80);
// CHECK: for (int64_t i = 0; i < 5 && i < *n && *[[GO:.*]]; ++i) {
// CHECK: *{{.*}} = i;
// CHECK: if (*c) {
// CHECK-NEXT:   launch<control::exp_0_fn>(run, exp_0, {{.*}}, z);
// CHECK-NEXT: } else {
// CHECK-NEXT:   std::memcpy(z, h0, 16);
// CHECK-NEXT: }
module @control {
  func.func @main(%x: tensor<5x4xf32> {fuse.name = "x"}, %h0: tensor<4xf32> {fuse.name = "h0"},
      %c: tensor<i1> {fuse.name = "c"}, %n: tensor<i64> {fuse.name = "n"})
      -> (tensor<5x4xf32> {fuse.name = "y"}, tensor<4xf32> {fuse.name = "z"}, tensor<5x4xf32> {fuse.name = "rows"}) {
    %h, %y = fuse.loop trips = 5 carries(%h0) slices(%x) attributes {reversed_slices = array<i64: 0>}
        : (tensor<4xf32>, tensor<5x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
    ^bb0(%i: tensor<i64>, %a: tensor<4xf32> loc("h"), %b: tensor<4xf32> loc("b")):
      %0 = fuse.add %a, %b : tensor<4xf32> loc("add")
      fuse.yield %0, %0 : tensor<4xf32>, tensor<4xf32>
    }
    %k, %rows = fuse.loop trips = 5 count(%n) while(%c) carries(%h)
        : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
    ^bb0(%i: tensor<i64>, %a: tensor<4xf32> loc("k")):
      %0 = fuse.tanh %a : tensor<4xf32> loc("tanh")
      %1 = fuse.cmp ne %i, %n : tensor<i64>, tensor<i64> -> tensor<i1> loc("cmp")
      fuse.yield %1, %0, %a : tensor<i1>, tensor<4xf32>, tensor<4xf32>
    }
    %z = fuse.if %c : (tensor<i1>) -> tensor<4xf32> {
      %0 = fuse.exp %k : tensor<4xf32> loc("exp")
      fuse.yield %0 : tensor<4xf32>
    } else {
      fuse.yield %h0 : tensor<4xf32>
    }
    return %y, %z, %rows : tensor<5x4xf32>, tensor<4xf32>, tensor<5x4xf32>
  }
}
